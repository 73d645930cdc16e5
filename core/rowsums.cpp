#include "rowsums.h"

#include <cstdint>
#include <cstring>

#include "folds.h"

namespace likewise {

namespace {

// A row of a text has some fifty entries, so that the branches at the ends of its loops, which no
// CPU foresees, cost as much as the entries. So the vector's numbers are first brought together for
// some rows at once, in a loop that knows nothing of rows; then each row is a sum over neighbours.
constexpr std::size_t kRows = 32;
constexpr std::size_t kStep = 16;
// Bytes: what rows store is asked for early, for the CPU sees no stream beside v. Of columns, more than kRows rows
// have, so that memory is read while these are folded.
constexpr std::size_t kAhead = 6144, kCountsAhead = 1024, kStartsAhead = 2 * kRows * sizeof(std::uint32_t);
constexpr std::size_t kLine = 64;

// Four go out by one store, as they come in by one or two loads: a core does few of either in a cycle.
template <class T>
struct FourOf {
    typedef T Values __attribute__((vector_size(4 * sizeof(T))));
};

template <class Reader, class T>
LIKEWISE_INLINE void gather(Reader column, std::size_t count, const T* __restrict v, T* __restrict out) {
    std::size_t i = 0;
    for (; i + kStep <= count; i += kStep, out += kStep) {
        __builtin_prefetch(static_cast<const char*>(address(column)) + kAhead);
        for (std::size_t j = 0; j < kStep; j += 4, column += 4) {
            const auto at = four(column);
            const typename FourOf<T>::Values found = {v[at.a], v[at.b], v[at.c], v[at.d]};
            std::memcpy(out + j, &found, sizeof found);
        }
    }
    for (; i < count; ++i, column += 1) *out++ = v[column[0]];
}

// kRun columns, each counted once: what fold_rows makes of them, without bringing them together first.
template <class Reader, class T>
LIKEWISE_INLINE T once_run(Reader column, const T* __restrict v, T one) {
    using Four = typename FourOf<T>::Values;
    Four sums[kStep / 4] = {};
    for (std::uint32_t i = 0; i < kRun; i += kStep) {
        __builtin_prefetch(static_cast<const char*>(address(column)) + kAhead);
        for (auto& sum : sums) {
            const auto at = four(column);
            sum += Four{v[at.a], v[at.b], v[at.c], v[at.d]};
            column += 4;
        }
    }
    const Four all = (sums[0] * one + sums[2] * one) + (sums[1] * one + sums[3] * one);
    return ((all[0] + all[2]) + (all[1] + all[3])) + T{0};
}

// So many bytes, from some way behind `from` on: there may be none.
LIKEWISE_INLINE void ask_for(const void* from, std::size_t ahead, std::size_t bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(from) + ahead;
    for (std::size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(reinterpret_cast<const void*>(first + i));
}

// In runs that are summed like rows, and those in double precision.
template <class Columns, class T>
T long_row(const CountsView<Columns>& x, std::size_t row, const T* v, const Factors<T>& f, T* values) {
    const auto split = x.split(row), end = x.end(row);
    auto q = x.first_count(row);
    double sum = 0;
    auto p = x.begin(row);
    for (; split - p >= kRun; p += kRun) sum += static_cast<double>(once_run(reader(x.columns, p), v, f.table[1]));
    while (p < end) {
        const auto stop = end - p > kRun ? p + kRun : end;
        gather(reader(x.columns, p), stop - p, v, values);
        const auto counted = stop > split ? stop - std::max(p, split) : 0;
        const std::uint32_t starts[2] = {0, stop - p}, more[2] = {0, counted};
        const auto counts = x.counts.data() + q;
        T part;
        fold_rows({starts, more, 1}, values, counts, f.table, &part);
        q += counted;
        sum += static_cast<double>(part);
        p = stop;
    }
    return static_cast<T>(sum);
}

}  // namespace

template <class Columns, class T>
void row_sums(const CountsView<Columns>& x, std::size_t first, std::size_t last, const T* v, const Factors<T>& f,
              T* y) {
    T values[kMostEntries + kRoom] = {};
    for (std::size_t row = first; row < last;) {
        const auto begin = x.begin(row);
        auto rows = kRows;
        while (rows > 1 && (rows > last - row || x.begin(row + rows) - begin > kMostEntries)) rows /= 2;
        const auto entries = x.begin(row + rows) - begin;
        if (entries > kRun && rows == 1) {
            y[row - first] = long_row(x, row, v, f, values);
        } else {
            gather(reader(x.columns, begin), entries, v, values);
            const auto counts = x.counts.data() + x.more[row];
            ask_for(counts, kCountsAhead, kCountsAhead / 2);
            ask_for(&x.starts[row], kStartsAhead, kStartsAhead / 2);
            ask_for(&x.more[row], kStartsAhead, kStartsAhead / 2);
            fold_rows({&x.starts[row], &x.more[row], rows}, values, counts, f.table, y + (row - first));
        }
        row += rows;
    }
}

#define LIKEWISE_INSTANTIATE_FOR(Columns, T)                                                              \
    template void row_sums(const CountsView<Columns>&, std::size_t, std::size_t, const T*, const Factors<T>&, T*);
#define LIKEWISE_INSTANTIATE(Columns)        \
    LIKEWISE_INSTANTIATE_FOR(Columns, float) \
    LIKEWISE_INSTANTIATE_FOR(Columns, double)
LIKEWISE_INSTANTIATE(Columns16)
LIKEWISE_INSTANTIATE(Columns24)
LIKEWISE_INSTANTIATE(Columns32)

}  // namespace likewise
