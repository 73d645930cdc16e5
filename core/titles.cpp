#include "titles.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "hashes.h"

namespace likewise {

namespace {

constexpr std::size_t kLetters = 4;  // of a part

bool is_ascii(std::string_view s) {
    return std::all_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::size_t letter(std::string_view s, std::size_t at) {
    const auto lead = static_cast<unsigned char>(s[at]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return std::min(size, s.size() - at);
}

}  // namespace

void TitleCounter::parts(std::string_view word, Columns& columns) {
    std::string edged;
    edged.reserve(word.size() + 2);
    edged.append(1, ' ').append(word).append(1, ' ');
    std::size_t starts[kLetters + 1] = {};  // of the last letters
    std::size_t letters = 0, at = 0;
    while (at < edged.size()) {
        at += letter(edged, at);
        ++letters;
        std::rotate(starts, starts + 1, starts + kLetters + 1);
        starts[kLetters] = at;
        if (letters >= kLetters)
            columns.push_back(static_cast<std::uint16_t>(
                xxh3(std::string_view(edged).substr(starts[0], at - starts[0])) % kWidth));
    }
    if (letters < kLetters) columns.push_back(static_cast<std::uint16_t>(xxh3(edged) % kWidth));
}

std::vector<std::string> TitleCounter::unknown(std::span<const std::string_view> titles) const {
    std::vector<std::string> found;
    std::unordered_map<std::string, bool> met;
    const Tokenizer tokenize(classes_, max_bytes_);
    for (const auto title : titles) {
        if (is_ascii(title)) continue;
        tokenize(title, [&](std::string_view form) {
            if (is_ascii(form)) return;
            std::string own(form);
            if (known_.contains(own) || !met.try_emplace(own, true).second) return;
            found.push_back(std::move(own));
        });
    }
    return found;
}

void TitleCounter::know(std::string form, std::span<const std::string_view> words) {
    Columns columns;
    for (const auto word : words) parts(word, columns);
    known_.insert_or_assign(std::move(form), std::move(columns));
}

// The same as parts() of a word in which each letter is a byte, most words by far.
void TitleCounter::add_ascii(std::string_view word) {
    char edged[kMaxForm + 2];
    edged[0] = ' ';
    std::memcpy(edged + 1, word.data(), word.size());
    edged[word.size() + 1] = ' ';
    const std::size_t size = word.size() + 2;
    if (size < kLetters) {
        maker_.add(static_cast<std::uint32_t>(xxh3({edged, size}) % kWidth), 1);
        return;
    }
    for (std::size_t at = 0; at + kLetters <= size; ++at) {
        std::uint32_t part;
        std::memcpy(&part, edged + at, sizeof part);
        const auto hash = xxh3_of_both(std::uint64_t{part} << 32 | part, kLetters);
        maker_.add(static_cast<std::uint32_t>(hash % kWidth), 1);
    }
}

void TitleCounter::add(std::span<const std::string_view> titles) {
    const Tokenizer tokenize(classes_, max_bytes_);
    for (const auto title : titles) {
        if (words_.read(title)) {
            words_.each(max_bytes_, [&](std::string_view form) { add_ascii(form); });
            maker_.end_row(rows_);
            continue;
        }
        tokenize(title, [&](std::string_view form) {
            if (is_ascii(form)) {
                add_ascii(form);
                return;
            }
            const auto found = known_.find(std::string(form));
            if (found == known_.end()) throw std::logic_error("a word of a title is not known");
            for (const auto column : found->second) maker_.add(column, 1);
        });
        maker_.end_row(rows_);
    }
}

CountArrays TitleCounter::drain() { return std::exchange(rows_, CountArrays{}); }

std::size_t TitleCounter::memory() const {
    return (rows_.starts.size() + rows_.more.size() + rows_.columns.size()) * 4 + rows_.counts.size();
}

}  // namespace likewise
