#include "ascii_words.h"

#include <algorithm>

#include "dispatch.h"

namespace likewise {

namespace {

constexpr std::size_t kBlock = 64;

// Whether each of eight bytes is 1, as a bit each.
inline std::uint64_t gathered(const std::uint8_t* ones) {
    return (load<std::uint64_t>(ones) * 0x0102040810204080ull) >> 56;
}

// Lower case and words of some blocks; whether a byte is beyond ASCII is the highest bit of `all`.
LIKEWISE_DISPATCH(fold_blocks, (const char* text, std::size_t blocks, char* lower, std::uint64_t* bits, std::uint8_t& all), {
    std::uint8_t any = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        std::uint8_t words[kBlock];
        for (std::size_t i = 0; i < kBlock; ++i) {
            const auto c = static_cast<std::uint8_t>(text[b * kBlock + i]);
            const auto low = static_cast<std::uint8_t>(c | 0x20);  // a digit has this bit already
            const bool letter = static_cast<std::uint8_t>(low - 'a') < 26;
            const bool digit = static_cast<std::uint8_t>(c - '0') < 10;
            any = static_cast<std::uint8_t>(any | c);
            words[i] = static_cast<std::uint8_t>(letter | digit);
            lower[b * kBlock + i] = static_cast<char>(low);
        }
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < kBlock; i += 8) found |= gathered(words + i) << i;
        bits[b] = found;
    }
    all = any;
})

}  // namespace

bool AsciiWords::read(std::string_view text) {
    const std::size_t whole = text.size() / kBlock, blocks = whole + 1;
    if (text.size() > 0xFFFFFFFFu - kBlock) return false;  // the other way can do it
    if (bits_.size() < blocks) {
        bits_.resize(2 * blocks);
        lower_.resize(2 * blocks * kBlock + kPadding);
        edges_.resize(2 * blocks * kBlock + 2);
    }
    std::uint8_t all = 0, all_of_last = 0;
    fold_blocks(text.data(), whole, lower_.data(), bits_.data(), all);
    char last[kBlock] = {};
    std::copy(text.begin() + static_cast<std::ptrdiff_t>(whole * kBlock), text.end(), last);
    fold_blocks(last, 1, lower_.data() + whole * kBlock, bits_.data() + whole, all_of_last);
    if ((all | all_of_last) >= 0x80) return false;
    auto* edge = edges_.data();
    std::uint64_t before = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        const auto first = static_cast<std::uint32_t>(b * kBlock);
        auto edges = bits_[b] ^ (bits_[b] << 1 | before);
        before = bits_[b] >> 63;
        for (; edges != 0; edges &= edges - 1) *edge++ = first + static_cast<std::uint32_t>(std::countr_zero(edges));
    }
    found_ = static_cast<std::size_t>(edge - edges_.data());
    return true;
}

}  // namespace likewise
