// XXH3 in 64 bits, seed 0, of at most 16 bytes: what the columns of parts of titles are made by, and
// most strings of a table are found by.
// Y. Collet, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "load.h"

namespace likewise {

constexpr std::size_t kLongestHashed = 16;

// Both halves of a product, as one number.
inline std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// The algorithm's last step.
inline std::uint64_t avalanche(std::uint64_t h) {
    h = (h ^ h >> 37) * 0x165667919E3779F9ull;
    return h ^ h >> 32;
}

// Of four to eight bytes: the last four as a number, and the first four above them.
inline std::uint64_t xxh3_of_both(std::uint64_t both, std::size_t size) {
    constexpr std::uint64_t kSome = 0x1cad21f72c81017cull ^ 0xdb979083e96dd4deull;  // of the algorithm's secret
    std::uint64_t h = both ^ kSome;
    h ^= std::rotl(h, 49) ^ std::rotl(h, 24);
    h *= 0x9FB21C651E98DF25ull;
    h ^= (h >> 35) + size;
    h *= 0x9FB21C651E98DF25ull;
    return h ^ h >> 28;
}

inline std::uint64_t xxh3(std::string_view s) {
    // Of the algorithm's secret, the pairs of words that short inputs are mixed with.
    constexpr std::uint64_t kNothing = 0x2d06800538d394c2ull;                              // the hash of no bytes
    constexpr std::uint32_t kFew = 0x396cfeb8u ^ 0xbe4ba423u;
    constexpr std::uint64_t kLow = 0x1f67b3b7a4a44072ull ^ 0x78e5c0cc4ee679cbull;
    constexpr std::uint64_t kHigh = 0x2172ffcc7dd05a82ull ^ 0x8e2443f7744608b8ull;
    const auto size = s.size();
    const auto read32 = [&](std::size_t at) { return std::uint64_t{load<std::uint32_t>(s.data() + at)}; };
    const auto read64 = [&](std::size_t at) { return load<std::uint64_t>(s.data() + at); };
    if (size == 0) return kNothing;
    if (size <= 3) {
        const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(s[i])}; };
        const auto together = byte(0) << 16 | byte(size / 2) << 24 | byte(size - 1) | static_cast<std::uint32_t>(size) << 8;
        std::uint64_t h = together ^ kFew;
        h = (h ^ h >> 33) * 0xC2B2AE3D27D4EB4Full;
        h = (h ^ h >> 29) * 0x165667B19E3779F9ull;
        return h ^ h >> 32;
    }
    if (size <= 8) return xxh3_of_both(read32(size - 4) + (read32(0) << 32), size);
    const std::uint64_t low = read64(0) ^ kLow, high = read64(size - 8) ^ kHigh;
    return avalanche(size + __builtin_bswap64(low) + high + folded(low, high));
}

}  // namespace likewise
