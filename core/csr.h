// A sparse matrix of counts. In each row the columns counted once come first and store no count:
// two thirds of a text's entries are such, so most of a product is one load and one addition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "columns.h"
#include "dispatch.h"
#include "large_pages.h"

namespace likewise {

constexpr std::uint8_t kLarge = 255;  // stored for counts from 255 on; the true count is elsewhere

struct CountArrays {
    template <class Number>
    using Array = std::vector<Number, LargePages<Number>>;

    Array<std::uint32_t> starts{0};  // rows + 1: where each row's columns begin
    Array<std::uint32_t> more{0};    // rows + 1: where each row's counts begin
    Array<std::uint32_t> columns;
    Array<std::uint8_t> counts;      // of the columns counted more than once
    Array<std::uint32_t> large_at;   // positions in counts that hold kLarge, ascending
    Array<std::uint32_t> large;      // and the counts meant
};

template <class Columns>
struct CountsView {
    std::span<const std::uint32_t> starts, more;
    Columns columns;
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

using CountView = CountsView<Columns32>;
using AnyCounts = std::variant<CountsView<Columns16>, CountsView<Columns24>, CountView>;

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

template <class Columns, class T>
inline T factor(const CountsView<Columns>& x, const Factors<T>& f, std::uint32_t position) {
    const auto small = x.counts[position];
    if (small == kLarge) [[unlikely]] return static_cast<T>(f.large[x.large_index(position)]);
    return f.table[small];
}

template <class T, class Real>
inline T factor(const RealView<Real>& x, const Factors<T>&, std::uint32_t position) {
    return static_cast<T>(x.values[position]);
}

// A row in stored order: once(p) for each column p that is counted once, then between(), then
// often(p, q) for each whose count is the q-th stored. The callables must be inlined, or the
// products take a third longer.
template <class View, class Once, class Between, class Often>
LIKEWISE_INLINE void each_entry(const View& x, std::size_t row, Once&& once, Between&& between, Often&& often) {
    const auto split = x.split(row), end = x.end(row);
    for (auto p = x.begin(row); p < split; ++p) once(p);
    between();
    auto q = x.first_count(row);
    for (auto p = split; p < end; ++p, ++q) often(p, q);
}

template <class View, class Once, class Often>
LIKEWISE_INLINE void each_entry(const View& x, std::size_t row, Once&& once, Often&& often) {
    each_entry(x, row, once, []() LIKEWISE_ALWAYS_INLINE {}, often);
}

// use(column, f(count)) for each entry of a row.
template <class View, class T, class Use>
LIKEWISE_INLINE void each_value(const View& x, std::size_t row, const Factors<T>& f, Use&& use) {
    const auto column = x.columns;
    const T one = f.table[1];
    each_entry(
        x, row, [&](std::uint32_t p) LIKEWISE_ALWAYS_INLINE { use(column[p], one); },
        [&](std::uint32_t p, std::uint32_t q) LIKEWISE_ALWAYS_INLINE { use(column[p], factor(x, f, q)); });
}

// use(column, count) for each entry of a row.
template <class Columns, class Use>
void each_count(const CountsView<Columns>& x, std::size_t row, Use&& use) {
    each_entry(
        x, row, [&](std::uint32_t p) { use(x.columns[p], 1u); },
        [&](std::uint32_t p, std::uint32_t q) { use(x.columns[p], x.count(q)); });
}

// The sum of v at columns p to last − 1. Eight running sums hide the latency of an addition.
template <class Columns, class T>
LIKEWISE_INLINE T sum_at(const T* v, const Columns& column, std::uint32_t p, std::uint32_t last) {
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    for (; p + 8 <= last; p += 8) {
        s0 += v[column[p]];
        s1 += v[column[p + 1]];
        s2 += v[column[p + 2]];
        s3 += v[column[p + 3]];
        s4 += v[column[p + 4]];
        s5 += v[column[p + 5]];
        s6 += v[column[p + 6]];
        s7 += v[column[p + 7]];
    }
    for (; p < last; ++p) s0 += v[column[p]];
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
}

// Rows cut into shares of about so many entries; their number follows from the matrix alone.
template <class View>
std::vector<std::size_t> shares(const View& x, std::size_t entries) {
    std::vector<std::size_t> cuts{0};
    for (std::size_t target = entries; target < x.entries(); target += entries) {
        const auto row = std::lower_bound(x.starts.begin(), x.starts.end(), target) - x.starts.begin();
        if (static_cast<std::size_t>(row) > cuts.back()) cuts.push_back(static_cast<std::size_t>(row));
    }
    if (cuts.back() < x.rows() || cuts.size() == 1) cuts.push_back(x.rows());
    return cuts;
}

// Room for so many more. A large array gets so much at once that it seldom moves: memory that is not used is not
// taken from the system, but what moves is copied, and into fresh memory.
template <class Number>
void make_room(CountArrays::Array<Number>& numbers, std::size_t more) {
    constexpr std::size_t kLargeFrom = (1 << 20) / sizeof(Number), kRoom = (64 << 20) / sizeof(Number);
    const auto wanted = numbers.size() + more;
    if (wanted <= numbers.capacity()) return;
    numbers.reserve(std::max(2 * wanted, wanted < kLargeFrom ? 0 : kRoom));
}

// Appends one row at a time; entries are (column, count ≥ 1) in any order.
class RowAppender {
public:
    // Which columns are counted once is not to be foreseen: nothing is decided by it.
    template <class Entries>
    void append(CountArrays& a, const Entries& entries) {
        several_.resize(entries.size());
        make_room(a.columns, entries.size());
        a.columns.resize(a.columns.size() + entries.size());
        auto* once = a.columns.data() + a.columns.size() - entries.size();
        auto* more = several_.data();
        for (const auto& [column, count] : entries) {
            *once = column;
            *more = {column, count};
            once += count == 1;
            more += count != 1;
        }
        for (const auto& [column, count] : std::span(several_.data(), more)) {
            *once++ = column;
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
    std::vector<std::pair<std::uint32_t, std::uint32_t>> several_;  // of a row: those counted more than once
};

// Puts rows below others.
void append_rows(CountArrays& rows, const CountArrays& more);
// All of them, one below another.
CountArrays joined(std::span<const CountArrays> parts, unsigned threads);

// Throws std::invalid_argument where the arrays do not describe a matrix of this width; `highest` of its columns is
// given where somebody has read them already.
template <class Columns>
void check(const CountsView<Columns>& x, std::optional<std::uint64_t> highest = {});
void check(const ValueView& x);
// Whether no number is NaN or infinite.
bool all_finite(std::span<const float> numbers);
template <class Columns>
CountArrays select(const CountsView<Columns>& x, std::span<const std::uint32_t> ids);
// The same with other columns: column c becomes numbers[c], or is left out if that is kLeftOut or
// if there are fewer numbers.
constexpr std::uint32_t kLeftOut = 0xffffffff;
template <class Columns>
CountArrays select(const CountsView<Columns>& x, std::span<const std::uint32_t> ids,
                   std::span<const std::uint32_t> numbers);
// The same of several matrices, one below another.
struct Chosen {
    AnyCounts x;
    std::span<const std::uint32_t> ids, numbers;
};
CountArrays select(std::span<const Chosen> chosen, unsigned threads);
template <class Columns>
CountArrays transpose(const CountsView<Columns>& x, unsigned threads);
// In how many rows each column is.
template <class Columns>
std::vector<std::int64_t> frequencies(const CountsView<Columns>& x);

}  // namespace likewise
