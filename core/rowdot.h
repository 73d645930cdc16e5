// One row times a vector: Σ_c f(X[r, c])·v[c].
#pragma once

#include <bit>
#include <type_traits>

#include "csr.h"
#include "folds.h"

namespace likewise {

template <class Columns, class T>
LIKEWISE_INLINE T small_factor(const CountsView<Columns>& x, const Factors<T>& f, std::uint32_t position) {
    return f.table[x.counts[position]];
}

template <class T, class Real>
LIKEWISE_INLINE T small_factor(const RealView<Real>& x, const Factors<T>&, std::uint32_t position) {
    return static_cast<T>(x.values[position]);
}

// What the large counts of rows first to last add; `add` takes the row and the amount.
template <class Columns, class T, class Add>
void each_large(const CountsView<Columns>& x, std::size_t first, std::size_t last, const T* v, const Factors<T>& f,
                Add&& add) {
    if (x.large_at.empty()) return;
    auto row = first;
    for (auto k = x.large_index(x.more[first]); k < x.large_at.size() && x.large_at[k] < x.more[last]; ++k) {
        while (x.more[row + 1] <= x.large_at[k]) ++row;
        const auto column = x.columns[x.split(row) + (x.large_at[k] - x.more[row])];
        add(row, static_cast<T>(f.large[k]) * v[column]);
    }
}

template <class T, class Real, class Add>
void each_large(const RealView<Real>&, std::size_t, std::size_t, const T*, const Factors<T>&, Add&&) {}

// Large counts are left out here and below: they are rare, and asking for them took a tenth of the
// time; each_large adds them. Wide gathers were no faster on Zen 3.
template <class View, class T>
double long_row_dot(const View& x, std::size_t row, const T* v, const Factors<T>& f) {
    const auto column = x.columns;
    auto p = x.begin(row);
    const auto split = x.split(row), end = x.end(row);
    double once = 0, often = 0;
    while (p < split) {
        const auto stop = split - p > kRun ? p + kRun : split;
        once += static_cast<double>(sum_at(v, column, p, stop));
        p = stop;
    }
    auto q = x.first_count(row);
    while (p < end) {
        const auto stop = end - p > kRun ? p + kRun : end;
        T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (; p + 4 <= stop; p += 4, q += 4) {
            s0 += small_factor(x, f, q) * v[column[p]];
            s1 += small_factor(x, f, q + 1) * v[column[p + 1]];
            s2 += small_factor(x, f, q + 2) * v[column[p + 2]];
            s3 += small_factor(x, f, q + 3) * v[column[p + 3]];
        }
        for (; p < stop; ++p, ++q) s0 += small_factor(x, f, q) * v[column[p]];
        often += static_cast<double>((s0 + s1) + (s2 + s3));
    }
    return static_cast<double>(f.table[1]) * once + often;
}

// The value, or 0 if the condition does not hold, without a branch.
template <class T>
LIKEWISE_INLINE T if_(bool condition, T value) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<T>(std::bit_cast<Bits>(value) & (Bits{0} - Bits{condition}));
}

// A row's length is unforeseeable, so that each loop's end costs a mispredicted branch: what is
// left of a row after its fours is taken without a loop, reading (not counting) up to three
// entries beyond it. Where these may not exist, the row's first is read instead: its sum is the
// same bits wherever it stands.
template <bool kRoom, class View, class T>
LIKEWISE_INLINE T short_row_dot(const View& x, std::size_t row, const T* v, const Factors<T>& f) {
    const auto column = x.columns;
    const auto begin = x.begin(row), split = x.split(row), end = x.end(row);
    const auto first = x.first_count(row);
    if (!kRoom && begin == end) return 0;
    auto p = begin;
    auto q = first;
    std::uint32_t left = 0;
    const auto entry = [&](std::uint32_t i) { return kRoom || left > i ? p + i : begin; };
    const auto count = [&](std::uint32_t i) { return kRoom || left > i ? q + i : first; };
    T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; p + 4 <= split; p += 4) {
        s0 += v[column[p]];
        s1 += v[column[p + 1]];
        s2 += v[column[p + 2]];
        s3 += v[column[p + 3]];
    }
    left = split - p;
    s0 += if_(left > 0, v[column[entry(0)]]);
    s1 += if_(left > 1, v[column[entry(1)]]);
    s2 += if_(left > 2, v[column[entry(2)]]);
    T t0 = 0, t1 = 0, t2 = 0, t3 = 0;
    for (p = split; p + 4 <= end; p += 4, q += 4) {
        t0 += small_factor(x, f, q) * v[column[p]];
        t1 += small_factor(x, f, q + 1) * v[column[p + 1]];
        t2 += small_factor(x, f, q + 2) * v[column[p + 2]];
        t3 += small_factor(x, f, q + 3) * v[column[p + 3]];
    }
    left = end - p;
    if (kRoom || split < end) {
        t0 += if_(left > 0, small_factor(x, f, count(0)) * v[column[entry(0)]]);
        t1 += if_(left > 1, small_factor(x, f, count(1)) * v[column[entry(1)]]);
        t2 += if_(left > 2, small_factor(x, f, count(2)) * v[column[entry(2)]]);
    }
    return f.table[1] * ((s0 + s1) + (s2 + s3)) + ((t0 + t1) + (t2 + t3));
}

template <class View, class T>
LIKEWISE_INLINE T row_dot(const View& x, std::size_t row, const T* v, const Factors<T>& f) {
    const auto end = x.end(row);
    if (end - x.begin(row) > kRun) [[unlikely]] return static_cast<T>(long_row_dot(x, row, v, f));
    const bool room = end + 3 <= x.entries() && x.first_count(row + 1) + 3 <= x.counts_stored();
    if (room) [[likely]] return short_row_dot<true>(x, row, v, f);
    return short_row_dot<false>(x, row, v, f);
}

}  // namespace likewise
