// Numbers of columns in as few bytes as the width of a matrix needs: 2, 3 or 4 each. Kernels read
// them as columns[p], whichever it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "load.h"

namespace likewise {

using Columns16 = std::span<const std::uint16_t>;
using Columns32 = std::span<const std::uint32_t>;

// Three bytes each, the lowest first, and one byte more behind the last: four are read at a time.
class Columns24 {
public:
    Columns24() = default;
    explicit Columns24(std::span<const std::uint8_t> bytes) : bytes_(bytes.data()), size_(bytes.size() / kBytes) {}

    // From one of them on: what a loop reads at constant distances.
    class Reader {
    public:
        explicit Reader(const std::uint8_t* at) : at_(at) {}
        std::uint32_t operator[](std::size_t i) const {
            return load<std::uint32_t>(at_ + kBytes * i) & kMask;
        }
        Reader& operator+=(std::size_t count) {
            at_ += kBytes * count;
            return *this;
        }
        const void* address() const { return at_; }

    private:
        const std::uint8_t* at_;
    };

    Reader reader(std::size_t p) const { return Reader(bytes_ + kBytes * p); }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint32_t operator[](std::size_t p) const { return reader(p)[0]; }
    // Whether so many bytes are columns and the one behind them.
    static bool fits(std::size_t bytes) { return bytes % kBytes == 1; }

private:
    static constexpr std::size_t kBytes = 3;
    static constexpr std::uint32_t kMask = 0xffffff;
    const std::uint8_t* bytes_ = nullptr;
    std::size_t size_ = 0;
};

template <class Number>
const Number* reader(std::span<const Number> columns, std::size_t p) {
    return columns.data() + p;
}
inline Columns24::Reader reader(const Columns24& columns, std::size_t p) { return columns.reader(p); }

// Four neighbours, read by as few loads as there can be, and none beyond them: loads are what products
// are short of. The first is in the lowest bits, as everywhere here.
struct Four {
    std::uint64_t a, b, c, d;
};

LIKEWISE_INLINE Four four(const std::uint16_t* columns) {
    const auto all = load<std::uint64_t>(columns);
    return {all & 0xffff, all >> 16 & 0xffff, all >> 32 & 0xffff, all >> 48};
}
LIKEWISE_INLINE Four four(const Columns24::Reader& columns) {
    const auto bytes = static_cast<const std::uint8_t*>(columns.address());
    const auto low = load<std::uint64_t>(bytes), high = load<std::uint64_t>(bytes + 4);
    return {low & 0xffffff, low >> 24 & 0xffffff, high >> 16 & 0xffffff, high >> 40};
}
LIKEWISE_INLINE Four four(const std::uint32_t* columns) { return {columns[0], columns[1], columns[2], columns[3]}; }

inline const void* address(const void* column) { return column; }
inline const void* address(const Columns24::Reader& column) { return column.address(); }

}  // namespace likewise
