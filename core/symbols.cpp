#include "symbols.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "numbering.h"
#include "parallel.h"
#include "require.h"

namespace likewise {

namespace {

constexpr int kRounds = 5;
constexpr std::size_t kAlone = 8;
constexpr std::uint64_t kTwo = 0xFFFF;
constexpr std::size_t kBlock = 1 << 12;  // strings that a thread takes at a time

std::uint64_t word_of(const char* at, std::size_t size) {
    static_assert(sizeof(std::uint64_t) == Symbols::kLongest);
    if (size >= Symbols::kLongest) return load<std::uint64_t>(at);  // most often
    std::uint64_t word = 0;
    std::memcpy(&word, at, size);
    return word;
}

// The first eight bytes of what is left of a string from `at` on, zeros behind its end. Near that, the string's
// last eight are read: a copy of any other size takes several times as long.
std::uint64_t word_at(std::string_view string, std::size_t at) {
    constexpr auto kWord = Symbols::kLongest;
    const auto left = string.size() - at;
    if (left >= kWord || string.size() < kWord) return word_of(string.data() + at, left);
    return word_of(string.data() + string.size() - kWord, kWord) >> 8 * (kWord - left);
}

std::uint64_t mask_of(std::size_t size) {
    std::uint64_t mask = 0;
    std::memset(&mask, 0xFF, std::min(size, Symbols::kLongest));
    return mask;
}

// Bytes that a symbol stands for; one that is none takes two bytes each time, and joins nothing.
std::size_t gain_of(std::size_t length) { return length == 1 ? kAlone : length; }

}  // namespace

Symbols::Symbols(std::span<const std::uint8_t> stored) {
    for (std::size_t at = 0; at < stored.size();) {
        const std::size_t length = stored[at++];
        require(length >= 1 && length <= kLongest && size_ < kMost, "a symbol has no such length");
        require(at + length <= stored.size(), "the last symbol is cut off");
        add({reinterpret_cast<const char*>(stored.data() + at), length});
        at += length;
    }
}

std::vector<std::uint8_t> Symbols::stored() const {
    std::vector<std::uint8_t> out;
    for (std::size_t code = 0; code < size_; ++code) {
        out.push_back(lengths_[code]);
        out.insert(out.end(), bytes_[code].begin(), bytes_[code].begin() + lengths_[code]);
    }
    return out;
}

void Symbols::add(std::string_view symbol) {
    std::copy(symbol.begin(), symbol.end(), bytes_[size_].begin());
    lengths_[size_++] = static_cast<std::uint8_t>(symbol.size());
}

void Symbols::unpack(std::string_view packed, std::string& out) const {
    const auto before = out.size();
    out.resize(before + kLongest * packed.size());
    char* to = out.data() + before;
    for (std::size_t at = 0; at < packed.size(); ++at) {
        const auto code = static_cast<std::uint8_t>(packed[at]);
        if (code == kEscape) {
            require(++at < packed.size(), "a string ends within a character");
            *to++ = packed[at];
            continue;
        }
        require(code < size_, "a string has an unknown symbol");
        std::memcpy(to, bytes_[code].data(), kLongest);
        to += lengths_[code];
    }
    out.resize(static_cast<std::size_t>(to - out.data()));
}

Packer::Packer(const Symbols& symbols) : symbols_(symbols), begins_(0x10001) {
    single_.fill(Symbols::kEscape);
    for (std::size_t code = 0; code < symbols.size(); ++code) {
        const auto symbol = symbols[code];
        if (symbol.size() == 1)
            single_[static_cast<std::uint8_t>(symbol[0])] = static_cast<std::uint8_t>(code);
        else
            entries_.push_back({word_of(symbol.data(), symbol.size()), mask_of(symbol.size()),
                                static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(symbol.size())});
    }
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        const auto x = a.word & kTwo, y = b.word & kTwo;
        return x != y ? x < y : a.length < b.length;
    });
    for (const auto& entry : std::exchange(entries_, {})) {
        const auto two = entry.word & kTwo;
        if (!entries_.empty() && (entries_.back().word & kTwo) != two) pad_group();
        entries_.push_back(entry);
        begins_[two + 1] = static_cast<std::uint16_t>((entries_.size() + kGroup - 1) / kGroup * kGroup);
    }
    pad_group();
    for (std::size_t b = 1; b < begins_.size(); ++b) begins_[b] = std::max(begins_[b], begins_[b - 1]);
}

// With entries that fit nothing: a loop over few whole groups has an end that the CPU predicts.
void Packer::pad_group() {
    while (entries_.size() % kGroup != 0) entries_.push_back({.word = 1, .mask = 0, .code = 0, .length = 0});
}

inline Packer::Match Packer::match(std::uint64_t word, std::size_t left) const {
    const auto two = word & kTwo;
    Match best{single_[word & 0xFF], 1};
    // All of them are tried, without a branch on which fits: it would be mispredicted.
    for (std::size_t first = begins_[two]; first < begins_[two + 1]; first += kGroup)
        for (std::size_t i = first; i < first + kGroup; ++i) {
            const auto& entry = entries_[i];
            // A zero byte of a symbol would be found behind the end, too.
            const bool fits = ((word & entry.mask) == entry.word) & (entry.length <= left);
            best = fits ? Match{entry.code, entry.length} : best;
        }
    return best;
}

void Packer::pack(std::string_view string, std::vector<std::uint8_t>& out) const {
    const auto before = out.size();
    out.resize(before + 2 * string.size());
    auto* to = out.data() + before;
    for (std::size_t at = 0; at < string.size();) {
        const auto left = string.size() - at;
        const auto [code, length] = match(word_at(string, at), left);
        *to++ = code;
        if (code == Symbols::kEscape) *to++ = static_cast<std::uint8_t>(string[at]);
        at += length;
    }
    out.resize(static_cast<std::size_t>(to - out.data()));
}

Packed Packer::pack(std::span<const std::string_view> strings, unsigned threads) const {
    const auto blocks = (strings.size() + kBlock - 1) / kBlock;
    std::vector<Packed> made(blocks);
    parallel(blocks, threads, [&](std::size_t b) {
        for (const auto string : strings.subspan(b * kBlock, std::min(kBlock, strings.size() - b * kBlock))) {
            pack(string, made[b].text);
            made[b].ends.push_back(static_cast<std::uint32_t>(made[b].text.size()));
        }
    });
    Packed all;
    all.ends.reserve(strings.size());
    for (const auto& block : made) {
        const auto before = static_cast<std::uint32_t>(all.text.size());
        all.text.insert(all.text.end(), block.text.begin(), block.text.end());
        for (const auto end : block.ends) all.ends.push_back(before + end);
    }
    return all;
}

// Each round counts which symbols and which neighbours occur where the sample is packed by the last
// table; those that save most, with neighbours joined, are the next one.
Packer Packer::learned(std::span<const std::string_view> sample) {
    Packer packer{Symbols()};
    for (int round = 0; round < kRounds; ++round) {
        Strings met;
        std::vector<std::size_t> gains;  // of each that was met
        const auto gain = [&](std::string_view symbol, std::size_t bytes) {
            const auto [number, fresh] = met.add(symbol);
            if (fresh) gains.push_back(0);
            gains[number] += bytes;
        };
        for (const auto string : sample) {
            std::size_t before = 0;  // length of the symbol before this one
            for (std::size_t at = 0; at < string.size();) {
                const auto left = string.size() - at;
                const std::size_t length = packer.match(word_at(string, at), left).length;
                gain(string.substr(at, length), gain_of(length));
                if (before && before + length <= Symbols::kLongest)
                    gain(string.substr(at - before, before + length), before + length);
                before = length;
                at += length;
            }
        }
        std::vector<std::pair<std::size_t, std::string_view>> best;
        for (std::uint32_t i = 0; i < met.size(); ++i) best.emplace_back(gains[i], met[i]);
        const auto chosen = std::min(best.size(), Symbols::kMost);
        const auto end = best.begin() + static_cast<std::ptrdiff_t>(chosen);
        std::partial_sort(best.begin(), end, best.end(), [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first > b.first : a.second < b.second;
        });
        Symbols next;
        for (std::size_t i = 0; i < chosen; ++i) next.add(best[i].second);
        packer = Packer(next);
    }
    return packer;
}

}  // namespace likewise
