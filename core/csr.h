// A sparse matrix of counts. In each row the columns counted once come first and store no count:
// two thirds of a text's entries are such, so most of a product is one load and one addition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace likewise {

constexpr std::uint8_t kLarge = 255;  // stored for counts from 255 on; the true count is elsewhere

struct CountArrays {
    std::vector<std::uint32_t> starts{0};  // rows + 1: where each row's columns begin
    std::vector<std::uint32_t> more{0};    // rows + 1: where each row's counts begin
    std::vector<std::uint32_t> columns;
    std::vector<std::uint8_t> counts;      // of the columns counted more than once
    std::vector<std::uint32_t> large_at;   // positions in counts that hold kLarge, ascending
    std::vector<std::uint32_t> large;      // and the counts meant
};

struct CountView {
    std::span<const std::uint32_t> starts, more, columns;
    std::span<const std::uint8_t> counts;
    std::span<const std::uint32_t> large_at, large;
    std::size_t width = 0;

    std::size_t rows() const { return starts.size() - 1; }
    std::size_t entries() const { return columns.size(); }
    std::uint32_t begin(std::size_t row) const { return starts[row]; }
    std::uint32_t end(std::size_t row) const { return starts[row + 1]; }
    // From here to end(row), columns have a stored count.
    std::uint32_t split(std::size_t row) const {
        return starts[row + 1] - (more[row + 1] - more[row]);
    }
    std::uint32_t first_count(std::size_t row) const { return more[row]; }
    std::size_t counts_stored() const { return counts.size(); }
    // Where a position of `counts` that holds kLarge stands in `large`.
    std::size_t large_index(std::uint32_t position) const {
        return static_cast<std::size_t>(
            std::lower_bound(large_at.begin(), large_at.end(), position) - large_at.begin());
    }
    std::uint32_t count(std::uint32_t position) const {
        const auto small = counts[position];
        return small == kLarge ? large[large_index(position)] : small;
    }
};

inline CountView view(const CountArrays& a, std::size_t width) {
    return {a.starts, a.more, a.columns, a.counts, a.large_at, a.large, width};
}

// Real values instead of counts: every column has one stored.
template <class Real>
struct RealView {
    std::span<const std::uint32_t> starts, columns;
    std::span<const Real> values;
    std::size_t width = 0;

    std::size_t rows() const { return starts.size() - 1; }
    std::size_t entries() const { return columns.size(); }
    std::uint32_t begin(std::size_t row) const { return starts[row]; }
    std::uint32_t end(std::size_t row) const { return starts[row + 1]; }
    std::uint32_t split(std::size_t row) const { return starts[row]; }
    std::uint32_t first_count(std::size_t row) const { return starts[row]; }
    std::size_t counts_stored() const { return values.size(); }
};
using ValueView = RealView<float>;
using DoubleView = RealView<double>;

// f(count) as numbers: `table` for counts below kLarge, `large` parallel to the matrix's own.
// table[kLarge] is 0, so that a loop may look up every count and add what is large afterwards.
template <class T>
struct Factors {
    const T* table;
    const double* large;
};

template <class T>
inline T factor(const CountView& x, const Factors<T>& f, std::uint32_t position) {
    const auto small = x.counts[position];
    if (small == kLarge) [[unlikely]] return static_cast<T>(f.large[x.large_index(position)]);
    return f.table[small];
}

template <class T, class Real>
inline T factor(const RealView<Real>& x, const Factors<T>&, std::uint32_t position) {
    return static_cast<T>(x.values[position]);
}

// Appends one row at a time; entries are (column, count ≥ 1) in any order.
class RowAppender {
public:
    explicit RowAppender(CountArrays& arrays) : arrays_(arrays) {}

    template <class Entries>
    void append(const Entries& entries) {
        auto& a = arrays_;
        for (const auto& [column, count] : entries)
            if (count == 1) a.columns.push_back(column);
        for (const auto& [column, count] : entries) {
            if (count == 1) continue;
            a.columns.push_back(column);
            if (count >= kLarge) {
                a.large_at.push_back(static_cast<std::uint32_t>(a.counts.size()));
                a.large.push_back(count);
            }
            a.counts.push_back(static_cast<std::uint8_t>(std::min<std::uint32_t>(count, kLarge)));
        }
        a.starts.push_back(static_cast<std::uint32_t>(a.columns.size()));
        a.more.push_back(static_cast<std::uint32_t>(a.counts.size()));
    }

private:
    CountArrays& arrays_;
};

// Throws std::invalid_argument where the arrays do not describe a matrix of this width.
void check(const CountView& x);
void check(const ValueView& x);
void check(const DoubleView& x);
CountArrays select(const CountView& x, std::span<const std::uint32_t> ids);
// The same with other columns: column c becomes numbers[c], or is left out if that is kLeftOut or
// if there are fewer numbers.
constexpr std::uint32_t kLeftOut = 0xffffffff;
CountArrays select(const CountView& x, std::span<const std::uint32_t> ids, std::span<const std::uint32_t> numbers);
CountArrays transpose(const CountView& x, unsigned threads);

}  // namespace likewise
