#include "checksum.h"

#include <string_view>

#include "hashes.h"
#include "load.h"
#include "wide.h"

namespace likewise {

namespace {

constexpr std::size_t kStripe = 64, kStripes = LongChecksum::kBlock / kStripe;
constexpr std::uint64_t kPrime32 = 0x9E3779B1ull, kPrime64 = 0x9E3779B185EBCA87ull;

// The algorithm's own.
constexpr std::uint8_t kSecret[192] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d,
    0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0,
    0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0,
    0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b,
    0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac,
    0xd8, 0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51,
    0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34,
    0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb, 0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49,
    0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8,
    0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b,
    0x40, 0x7e};
constexpr std::size_t kEnd = sizeof kSecret - kStripe;  // of the secret, where its last stripe begins

LIKEWISE_INLINE std::uint64_t read64(const std::uint8_t* from) { return load<std::uint64_t>(from); }

std::uint64_t mixed(const std::uint8_t* from, std::size_t secret) {
    return folded(read64(from) ^ read64(kSecret + secret), read64(from + 8) ^ read64(kSecret + secret + 8));
}

std::uint64_t of_17_to_128(Bytes all) {
    const auto* from = all.data();
    const auto* end = from + all.size();
    std::uint64_t h = all.size() * kPrime64;
    for (std::size_t i = (all.size() - 1) / 32 + 1; i-- > 0;)
        h += mixed(from + 16 * i, 32 * i) + mixed(end - 16 * (i + 1), 32 * i + 16);
    return avalanche(h);
}

std::uint64_t of_129_to_240(Bytes all) {
    constexpr std::size_t kFirst = 8;  // pieces of 16 bytes
    std::uint64_t h = all.size() * kPrime64;
    for (std::size_t i = 0; i < kFirst; ++i) h += mixed(all.data() + 16 * i, 16 * i);
    h = avalanche(h);
    for (std::size_t i = kFirst; i < all.size() / 16; ++i) h += mixed(all.data() + 16 * i, 16 * (i - kFirst) + 3);
    return avalanche(h + mixed(all.data() + all.size() - 16, 136 - 17));
}

LIKEWISE_INLINE void add_stripe(std::uint64_t* sums, const std::uint8_t* from, const std::uint8_t* secret) {
    for (std::size_t i = 0; i < 8; ++i) {
        const auto word = read64(from + 8 * i), key = word ^ read64(secret + 8 * i);
        sums[i ^ 1] += word;
        sums[i] += (key & 0xffffffff) * (key >> 32);
    }
}

void add_blocks_any(std::uint64_t* sums, const std::uint8_t* from, std::size_t blocks) {
    for (; blocks > 0; --blocks) {
        for (std::size_t n = 0; n < kStripes; ++n, from += kStripe) add_stripe(sums, from, kSecret + 8 * n);
        for (std::size_t i = 0; i < 8; ++i)
            sums[i] = (sums[i] ^ sums[i] >> 47 ^ read64(kSecret + kEnd + 8 * i)) * kPrime32;
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
constexpr std::size_t kAhead = 24 << 10;  // bytes: what follows is asked for while what was read is looked at

LIKEWISE_AVX2 LIKEWISE_INLINE __m256i read256(const std::uint8_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
LIKEWISE_AVX2 LIKEWISE_INLINE __m256i with_stripe(__m256i sums, const std::uint8_t* from, const std::uint8_t* secret) {
    const auto words = read256(from), key = _mm256_xor_si256(words, read256(secret));
    const auto products = _mm256_mul_epu32(key, _mm256_srli_epi64(key, 32));
    return _mm256_add_epi64(_mm256_add_epi64(sums, _mm256_shuffle_epi32(words, 0x4e)), products);
}
LIKEWISE_AVX2 LIKEWISE_INLINE __m256i scrambled(__m256i sums, const std::uint8_t* secret) {
    const auto prime = _mm256_set1_epi64x(static_cast<long long>(kPrime32));
    sums = _mm256_xor_si256(_mm256_xor_si256(sums, _mm256_srli_epi64(sums, 47)), read256(secret));
    const auto high = _mm256_mul_epu32(_mm256_srli_epi64(sums, 32), prime);
    return _mm256_add_epi64(_mm256_mul_epu32(sums, prime), _mm256_slli_epi64(high, 32));
}
LIKEWISE_AVX2 void add_blocks_avx2(std::uint64_t* sums, const std::uint8_t* from, std::size_t blocks) {
    auto* at = reinterpret_cast<__m256i*>(sums);
    auto low = _mm256_loadu_si256(at), high = _mm256_loadu_si256(at + 1);
    for (; blocks > 0; --blocks) {
        for (std::size_t n = 0; n < kStripes; ++n, from += kStripe) {
            __builtin_prefetch(from + kAhead);
            low = with_stripe(low, from, kSecret + 8 * n);
            high = with_stripe(high, from + 32, kSecret + 8 * n + 32);
        }
        low = scrambled(low, kSecret + kEnd);
        high = scrambled(high, kSecret + kEnd + 32);
    }
    _mm256_storeu_si256(at, low);
    _mm256_storeu_si256(at + 1, high);
}
const auto add_each_block = kWide ? add_blocks_avx2 : add_blocks_any;
#else
const auto add_each_block = add_blocks_any;
#endif

}  // namespace

std::uint64_t short_checksum(Bytes all) {
    if (all.size() <= kLongestHashed) return xxh3({reinterpret_cast<const char*>(all.data()), all.size()});
    return all.size() <= 128 ? of_17_to_128(all) : of_129_to_240(all);
}

void LongChecksum::add_blocks(const std::uint8_t* from, std::size_t blocks) {
    add_each_block(sums_.data(), from, blocks);
}

std::uint64_t LongChecksum::of(Bytes all) const {
    auto sums = sums_;
    const auto taken = (all.size() - 1) / kBlock * kBlock;
    for (std::size_t n = 0; n < (all.size() - 1 - taken) / kStripe; ++n)
        add_stripe(sums.data(), all.data() + taken + n * kStripe, kSecret + 8 * n);
    add_stripe(sums.data(), all.data() + all.size() - kStripe, kSecret + kEnd - 7);
    std::uint64_t h = all.size() * kPrime64;
    for (std::size_t i = 0; i < 4; ++i)
        h += folded(sums[2 * i] ^ read64(kSecret + 11 + 16 * i), sums[2 * i + 1] ^ read64(kSecret + 19 + 16 * i));
    return avalanche(h);
}

}  // namespace likewise
