// Numbers of columns in as few bytes as the width of a matrix needs: 2, 3 or 4 each. Kernels read
// them as columns[p], whichever it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace likewise {

using Columns16 = std::span<const std::uint16_t>;
using Columns32 = std::span<const std::uint32_t>;

// Three bytes each, the lowest first, and one byte more behind the last: four are read at a time.
class Columns24 {
public:
    Columns24() = default;
    explicit Columns24(std::span<const std::uint8_t> bytes) : bytes_(bytes.data()), size_(bytes.size() / kBytes) {}

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint32_t operator[](std::size_t p) const {
        std::uint32_t read;
        std::memcpy(&read, bytes_ + kBytes * p, sizeof read);
        return read & kMask;
    }
    // Whether so many bytes are columns and the one behind them.
    static bool fits(std::size_t bytes) { return bytes % kBytes == 1; }

private:
    static constexpr std::size_t kBytes = 3;
    static constexpr std::uint32_t kMask = 0xffffff;
    const std::uint8_t* bytes_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace likewise
