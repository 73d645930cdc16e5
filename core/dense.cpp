#include "dense.h"

#include <vector>

#include "dispatch.h"
#include "parallel.h"

namespace likewise {

namespace {

constexpr std::size_t kLanes = 16;   // sums that run side by side
constexpr std::size_t kRun = 512;    // values summed in T before the sum moves to double
constexpr std::size_t kRows = 1024;  // rows that a thread takes at a time
constexpr std::size_t kStripe = 16384;

template <class T>
LIKEWISE_INLINE double row_dot(const float* row, const T* x, std::size_t width) {
    double total = 0;
    for (std::size_t first = 0; first < width; first += kRun) {
        const auto stop = std::min(width, first + kRun);
        T sum[kLanes] = {};
        std::size_t i = first;
        for (; i + kLanes <= stop; i += kLanes)
            for (std::size_t b = 0; b < kLanes; ++b) sum[b] += static_cast<T>(row[i + b]) * x[i + b];
        for (std::size_t b = 0; i < stop; ++i, ++b) sum[b] += static_cast<T>(row[i]) * x[i];
        for (std::size_t half = kLanes / 2; half > 0; half /= 2)
            for (std::size_t b = 0; b < half; ++b) sum[b] += sum[b + half];
        total += static_cast<double>(sum[0]);
    }
    return total;
}

template <class T>
LIKEWISE_INLINE void dot_range(const DenseView& x, std::size_t first, std::size_t last, const T* v, T* y) {
    for (auto r = first; r < last; ++r) y[r] = static_cast<T>(row_dot(x.row(r), v, x.width));
}

template <class T>
LIKEWISE_INLINE void dot_chosen(const DenseView& x, const std::uint32_t* ids, std::size_t count, const T* v, T* y) {
    for (std::size_t i = 0; i < count; ++i) y[i] = static_cast<T>(row_dot(x.row(ids[i]), v, x.width));
}

LIKEWISE_INLINE void add_one(const float* row, double amount, double* g, std::size_t width) {
    for (std::size_t c = 0; c < width; ++c) g[c] += amount * static_cast<double>(row[c]);
}

LIKEWISE_INLINE void sum_range(const DenseView& x, std::size_t first, std::size_t last, const double* a, double* g) {
    for (auto r = first; r < last; ++r)
        if (a[r] != 0) add_one(x.row(r), a[r], g, x.width);
}

LIKEWISE_INLINE void square_range(const DenseView& x, std::size_t first, std::size_t last, const double* factors,
                                  double* y) {
    for (auto r = first; r < last; ++r) {
        const float* row = x.row(r);
        double sum[kLanes] = {};
        for (std::size_t c = 0; c < x.width; ++c) {
            const double value = static_cast<double>(row[c]) * factors[c];
            sum[c % kLanes] += value * value;
        }
        for (std::size_t b = 1; b < kLanes; ++b) sum[0] += sum[b];
        y[r] = sum[0];
    }
}

LIKEWISE_DISPATCH(dot_float, (const DenseView& x, std::size_t first, std::size_t last, const float* v, float* y),
                  dot_range(x, first, last, v, y))
LIKEWISE_DISPATCH(dot_double, (const DenseView& x, std::size_t first, std::size_t last, const double* v, double* y),
                  dot_range(x, first, last, v, y))
LIKEWISE_DISPATCH(some_float, (const DenseView& x, const std::uint32_t* ids, std::size_t n, const float* v, float* y),
                  dot_chosen(x, ids, n, v, y))
LIKEWISE_DISPATCH(some_double,
                  (const DenseView& x, const std::uint32_t* ids, std::size_t n, const double* v, double* y),
                  dot_chosen(x, ids, n, v, y))
LIKEWISE_DISPATCH(sum_rows, (const DenseView& x, std::size_t first, std::size_t last, const double* a, double* g),
                  sum_range(x, first, last, a, g))
LIKEWISE_DISPATCH(square_rows,
                  (const DenseView& x, std::size_t first, std::size_t last, const double* factors, double* y),
                  square_range(x, first, last, factors, y))
LIKEWISE_DISPATCH(one_dot, (const float* row, const double* v, std::size_t width, double* y),
                  *y = row_dot(row, v, width))
LIKEWISE_DISPATCH(one_add, (const float* row, double amount, double* g, std::size_t width),
                  add_one(row, amount, g, width))

void any_dot(const DenseView& x, std::size_t first, std::size_t last, const float* v, float* y) {
    dot_float(x, first, last, v, y);
}
void any_dot(const DenseView& x, std::size_t first, std::size_t last, const double* v, double* y) {
    dot_double(x, first, last, v, y);
}
void any_some(const DenseView& x, const std::uint32_t* ids, std::size_t n, const float* v, float* y) {
    some_float(x, ids, n, v, y);
}
void any_some(const DenseView& x, const std::uint32_t* ids, std::size_t n, const double* v, double* y) {
    some_double(x, ids, n, v, y);
}

// Calls task(first, last) for ranges of `size` rows.
template <class Task>
void ranges(std::size_t rows, std::size_t size, unsigned threads, Task&& task) {
    parallel((rows + size - 1) / size, threads,
             [&](std::size_t part) { task(part * size, std::min(rows, (part + 1) * size)); });
}

}  // namespace

template <class T>
void dense_dot(const DenseView& x, const T* vector, T* y, unsigned threads) {
    ranges(x.rows(), kRows, threads, [&](std::size_t first, std::size_t last) { any_dot(x, first, last, vector, y); });
}

template <class T>
void dense_dot_rows(const DenseView& x, std::span<const std::uint32_t> ids, const T* vector, T* y, unsigned threads) {
    ranges(ids.size(), kRows, threads, [&](std::size_t first, std::size_t last) {
        any_some(x, ids.data() + first, last - first, vector, y + first);
    });
}

// Stripes of rows have sums of their own, added up in order: the same bits on any number of threads.
void dense_weighted_sum(const DenseView& x, const double* a, double* g, unsigned threads) {
    std::vector<std::vector<double>> partial((x.rows() + kStripe - 1) / kStripe);
    ranges(x.rows(), kStripe, threads, [&](std::size_t first, std::size_t last) {
        auto& sums = partial[first / kStripe];
        sums.assign(x.width, 0.0);
        sum_rows(x, first, last, a, sums.data());
    });
    for (const auto& sums : partial)
        for (std::size_t c = 0; c < x.width; ++c) g[c] += sums[c];
}

void dense_squares(const DenseView& x, const double* factors, double* y, unsigned threads) {
    ranges(x.rows(), kRows, threads,
           [&](std::size_t first, std::size_t last) { square_rows(x, first, last, factors, y); });
}

double dense_row_dot(const float* row, const double* vector, std::size_t width) {
    double sum = 0;
    one_dot(row, vector, width, &sum);
    return sum;
}

void dense_row_add(const float* row, double amount, double* vector, std::size_t width) {
    one_add(row, amount, vector, width);
}

template void dense_dot(const DenseView&, const float*, float*, unsigned);
template void dense_dot(const DenseView&, const double*, double*, unsigned);
template void dense_dot_rows(const DenseView&, std::span<const std::uint32_t>, const float*, float*, unsigned);
template void dense_dot_rows(const DenseView&, std::span<const std::uint32_t>, const double*, double*, unsigned);

}  // namespace likewise
