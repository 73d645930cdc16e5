// XXH3 in 64 bits, seed 0, of any number of bytes: the checksum of what files hold.
// Y. Collet, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace likewise {

using Bytes = std::span<const std::uint8_t>;

// Of more than kMiddle bytes. They are taken in block by block, and the rest at the end.
class LongChecksum {
public:
    static constexpr std::size_t kMiddle = 240, kBlock = 1024;

    void add_blocks(const std::uint8_t* from, std::size_t blocks);
    // `all` are those that blocks were taken from: all whole blocks that leave at least one byte.
    std::uint64_t of(Bytes all) const;

private:
    using Sums = std::array<std::uint64_t, 8>;
    static constexpr Sums kStart = {0xC2B2AE3Dull,         0x9E3779B185EBCA87ull, 0xC2B2AE3D27D4EB4Full,
                                    0x165667B19E3779F9ull, 0x85EBCA77C2B2AE63ull, 0x85EBCA77ull,
                                    0x27D4EB2F165667C5ull, 0x9E3779B1ull};
    Sums sums_ = kStart;
};

// Of at most LongChecksum::kMiddle bytes.
std::uint64_t short_checksum(Bytes all);

// look(first, last) is called for all bytes in their order, some at a time, while they are near the CPU.
template <class Look>
std::uint64_t checksum(Bytes all, Look&& look) {
    constexpr std::size_t kAtOnce = 12;  // blocks: fewer than the nearest cache holds
    static_assert(kAtOnce * LongChecksum::kBlock % 24 == 0);  // whole numbers of 3 and of 8 bytes
    if (all.size() <= LongChecksum::kMiddle) {
        look(std::size_t{0}, all.size());
        return short_checksum(all);
    }
    LongChecksum sums;
    const auto blocks = (all.size() - 1) / LongChecksum::kBlock;
    for (std::size_t first = 0; first < blocks; first += kAtOnce) {
        const auto count = std::min(kAtOnce, blocks - first);
        sums.add_blocks(all.data() + first * LongChecksum::kBlock, count);
        if (count == kAtOnce) look(first * LongChecksum::kBlock, (first + count) * LongChecksum::kBlock);
    }
    look(blocks / kAtOnce * kAtOnce * LongChecksum::kBlock, all.size());
    return sums.of(all);
}

}  // namespace likewise
