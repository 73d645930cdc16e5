#include "dense.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "parallel.h"
#include "wide.h"

namespace likewise {

namespace {

constexpr std::size_t kLanes = 16;   // sums that run side by side
constexpr std::size_t kRun = 512;    // values summed in T before the sum moves to double
constexpr std::size_t kRows = 1024;  // rows that a thread takes at a time
constexpr std::size_t kStripe = 4096;

// Vectors of 32 bytes: the compiler does not make sums wide by itself.
template <class T>
struct Vectors;
template <>
struct Vectors<float> {
    typedef float Wide __attribute__((vector_size(32)));
};
template <>
struct Vectors<double> {
    typedef double Wide __attribute__((vector_size(32)));
};
template <class T>
using Wide = typename Vectors<T>::Wide;

// Numbers of a row as T: where they are, or in `buffer`.
template <class T, class Stored>
LIKEWISE_INLINE const T* as(const Stored* row, std::size_t size, T* buffer) {
    if constexpr (std::is_same_v<Stored, T>) {
        return row;
    } else {
        for (std::size_t i = 0; i < size; ++i) buffer[i] = static_cast<T>(row[i]);
        return buffer;
    }
}

template <class T>
LIKEWISE_INLINE T by_halves(T* sum) {
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
    return sum[0];
}

// Σ a[i]·b[i] in kLanes running sums, which are added up by halves.
template <class T>
LIKEWISE_INLINE T product(const T* a, const T* b, std::size_t size) {
    constexpr std::size_t wide = sizeof(Wide<T>) / sizeof(T), parts = kLanes / wide;
    Wide<T> sums[parts] = {};
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes)
        for (std::size_t part = 0; part < parts; ++part) {
            Wide<T> left, right;
            __builtin_memcpy(&left, a + i + part * wide, sizeof left);
            __builtin_memcpy(&right, b + i + part * wide, sizeof right);
            sums[part] += left * right;
        }
    T sum[kLanes];
    __builtin_memcpy(sum, sums, sizeof sum);
    for (std::size_t lane = 0; i < size; ++i, ++lane) sum[lane] += a[i] * b[i];
    return by_halves(sum);
}

#if defined(__x86_64__) && defined(__GNUC__)
LIKEWISE_AVX2 LIKEWISE_INLINE __m256d as_doubles(const float* from) { return _mm256_cvtps_pd(_mm_loadu_ps(from)); }
LIKEWISE_AVX2 LIKEWISE_INLINE __m256d as_doubles(const std::int8_t* from) {
    int read;
    __builtin_memcpy(&read, from, sizeof read);
    return _mm256_cvtepi32_pd(_mm_cvtepi8_epi32(_mm_cvtsi32_si128(read)));
}

// The running sums of `product`, of all whole groups of kLanes; how many values that were. The
// compiler lowers vectors of 32 bytes before it knows that a function is for AVX2.
template <class Stored>
LIKEWISE_AVX2 std::size_t wide_sums(const Stored* a, const float* b, std::size_t size, float* sums) {
    __m256 s0 = _mm256_setzero_ps(), s1 = s0;
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes) {
        s0 = _mm256_add_ps(s0, _mm256_mul_ps(as_floats(a + i), as_floats(b + i)));
        s1 = _mm256_add_ps(s1, _mm256_mul_ps(as_floats(a + i + 8), as_floats(b + i + 8)));
    }
    _mm256_storeu_ps(sums, s0);
    _mm256_storeu_ps(sums + 8, s1);
    return i;
}
template <class Stored>
LIKEWISE_AVX2 std::size_t wide_sums(const Stored* a, const double* b, std::size_t size, double* sums) {
    __m256d s[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes)
        for (std::size_t part = 0; part < 4; ++part)
            s[part] = _mm256_add_pd(
                s[part], _mm256_mul_pd(as_doubles(a + i + 4 * part), _mm256_loadu_pd(b + i + 4 * part)));
    for (std::size_t part = 0; part < 4; ++part) _mm256_storeu_pd(sums + 4 * part, s[part]);
    return i;
}

template <class Stored, class T>
double wide_row_dot(const Stored* row, const T* x, std::size_t width) {
    double total = 0;
    for (std::size_t first = 0; first < width; first += kRun) {
        const auto size = std::min(width - first, kRun);
        T sums[kLanes];
        auto i = wide_sums(row + first, x + first, size, sums);
        for (std::size_t lane = 0; i < size; ++i, ++lane) sums[lane] += static_cast<T>(row[first + i]) * x[first + i];
        total += static_cast<double>(by_halves(sums));
    }
    return total;
}
#endif

template <class Stored, class T>
LIKEWISE_INLINE double row_dot(const Stored* row, const T* x, std::size_t width) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (kWide) return wide_row_dot(row, x, width);
#endif
    T buffer[kRun];
    double total = 0;
    for (std::size_t first = 0; first < width; first += kRun) {
        const auto size = std::min(width - first, kRun);
        total += static_cast<double>(product(as<T>(row + first, size, buffer), x + first, size));
    }
    return total;
}

template <class Stored, class T>
LIKEWISE_INLINE void dot_range(const DenseView<Stored>& x, std::size_t first, std::size_t last, const T* v, T* y) {
    for (auto r = first; r < last; ++r) y[r] = static_cast<T>(row_dot(x.row(r), v, x.width));
}

template <class Stored, class T>
LIKEWISE_INLINE void dot_chosen(const DenseView<Stored>& x, const std::uint32_t* ids, std::size_t count, const T* v,
                                T* y) {
    for (std::size_t i = 0; i < count; ++i) y[i] = static_cast<T>(row_dot(x.row(ids[i]), v, x.width));
}

template <class Stored>
LIKEWISE_INLINE void add_one(const Stored* row, double amount, double* g, std::size_t width) {
    for (std::size_t c = 0; c < width; ++c) g[c] += amount * static_cast<double>(row[c]);
}

template <class Stored>
LIKEWISE_INLINE void sum_range(const DenseView<Stored>& x, std::size_t first, std::size_t last, const double* a,
                               double* g) {
    for (auto r = first; r < last; ++r)
        if (a[r] != 0) add_one(x.row(r), a[r], g, x.width);
}

template <class Stored>
LIKEWISE_INLINE void square_range(const DenseView<Stored>& x, std::size_t first, std::size_t last,
                                  const double* factors, double* y) {
    double buffer[kRun];
    for (auto r = first; r < last; ++r) {
        y[r] = 0;
        for (std::size_t begin = 0; begin < x.width; begin += kRun) {
            const auto size = std::min(x.width - begin, kRun);
            for (std::size_t i = 0; i < size; ++i)
                buffer[i] = static_cast<double>(x.row(r)[begin + i]) * factors[begin + i];
            y[r] += product(buffer, buffer, size);
        }
    }
}

#define BOTH template <class Stored, class T>
#define STORED template <class Stored>
LIKEWISE_DISPATCH_TEMPLATE(BOTH, dot_all,
                           (const DenseView<Stored>& x, std::size_t first, std::size_t last, const T* v, T* y),
                           (x, first, last, v, y), dot_range(x, first, last, v, y))
LIKEWISE_DISPATCH_TEMPLATE(BOTH, dot_some,
                           (const DenseView<Stored>& x, const std::uint32_t* ids, std::size_t n, const T* v, T* y),
                           (x, ids, n, v, y), dot_chosen(x, ids, n, v, y))
LIKEWISE_DISPATCH_TEMPLATE(STORED, sum_rows,
                           (const DenseView<Stored>& x, std::size_t first, std::size_t last, const double* a,
                            double* g),
                           (x, first, last, a, g), sum_range(x, first, last, a, g))
LIKEWISE_DISPATCH_TEMPLATE(STORED, square_rows,
                           (const DenseView<Stored>& x, std::size_t first, std::size_t last, const double* factors,
                            double* y),
                           (x, first, last, factors, y), square_range(x, first, last, factors, y))
LIKEWISE_DISPATCH_TEMPLATE(STORED, one_dot, (const Stored* row, const double* v, std::size_t width, double* y),
                           (row, v, width, y), *y = row_dot(row, v, width))
LIKEWISE_DISPATCH_TEMPLATE(STORED, one_add, (const Stored* row, double amount, double* g, std::size_t width),
                           (row, amount, g, width), add_one(row, amount, g, width))
#undef BOTH
#undef STORED

// Calls task(first, last) for ranges of `size` rows.
template <class Task>
void ranges(std::size_t rows, std::size_t size, unsigned threads, Task&& task) {
    parallel((rows + size - 1) / size, threads,
             [&](std::size_t part) { task(part * size, std::min(rows, (part + 1) * size)); });
}

}  // namespace

template <class Stored, class T>
void dense_dot(const DenseView<Stored>& x, const T* vector, T* y, unsigned threads) {
    ranges(x.rows(), kRows, threads, [&](std::size_t first, std::size_t last) { dot_all(x, first, last, vector, y); });
}

template <class Stored, class T>
void dense_dot_rows(const DenseView<Stored>& x, std::span<const std::uint32_t> ids, const T* vector, T* y,
                    unsigned threads) {
    ranges(ids.size(), kRows, threads, [&](std::size_t first, std::size_t last) {
        dot_some(x, ids.data() + first, last - first, vector, y + first);
    });
}

template <class Stored>
void dense_add_rows(const DenseView<Stored>& x, std::span<const std::uint32_t> ids, const double* a, double* g) {
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (a[i] != 0) one_add(x.row(ids[i]), a[i], g, x.width);
}

// Stripes of rows have sums of their own, added up in order: the same bits on any number of threads.
template <class Stored>
void dense_weighted_sum(const DenseView<Stored>& x, const double* a, double* g, unsigned threads) {
    std::vector<std::vector<double>> partial((x.rows() + kStripe - 1) / kStripe);
    ranges(x.rows(), kStripe, threads, [&](std::size_t first, std::size_t last) {
        auto& sums = partial[first / kStripe];
        sums.assign(x.width, 0.0);
        sum_rows(x, first, last, a, sums.data());
    });
    for (const auto& sums : partial)
        for (std::size_t c = 0; c < x.width; ++c) g[c] += sums[c];
}

template <class Stored>
void dense_squares(const DenseView<Stored>& x, const double* factors, double* y, unsigned threads) {
    ranges(x.rows(), kRows, threads,
           [&](std::size_t first, std::size_t last) { square_rows(x, first, last, factors, y); });
}

template <class Stored>
double dense_row_dot(const Stored* row, const double* vector, std::size_t width) {
    double sum = 0;
    one_dot(row, vector, width, &sum);
    return sum;
}

template <class Stored>
void dense_row_add(const Stored* row, double amount, double* vector, std::size_t width) {
    one_add(row, amount, vector, width);
}

#define LIKEWISE_INSTANTIATE_FOR(Stored, T)                                                                         \
    template void dense_dot(const DenseView<Stored>&, const T*, T*, unsigned);                                      \
    template void dense_dot_rows(const DenseView<Stored>&, std::span<const std::uint32_t>, const T*, T*, unsigned);
#define LIKEWISE_INSTANTIATE(Stored)                                                                                \
    LIKEWISE_INSTANTIATE_FOR(Stored, float)                                                                         \
    LIKEWISE_INSTANTIATE_FOR(Stored, double)                                                                        \
    template void dense_weighted_sum(const DenseView<Stored>&, const double*, double*, unsigned);                   \
    template void dense_add_rows(const DenseView<Stored>&, std::span<const std::uint32_t>, const double*, double*);  \
    template void dense_squares(const DenseView<Stored>&, const double*, double*, unsigned);                        \
    template double dense_row_dot(const Stored*, const double*, std::size_t);                                       \
    template void dense_row_add(const Stored*, double, double*, std::size_t);
LIKEWISE_INSTANTIATE(float)
LIKEWISE_INSTANTIATE(std::int8_t)

template <class T>
void scale_rows(const DenseView<T>& x, const double* factors, T* out, unsigned threads) {
    parallel((x.height + kRows - 1) / kRows, threads, [&](std::size_t part) {
        for (std::size_t r = part * kRows; r < std::min(x.height, (part + 1) * kRows); ++r) {
            const T factor = static_cast<T>(factors[r]);
            std::transform(x.row(r), x.row(r) + x.width, out + r * x.width, [&](T v) { return factor * v; });
        }
    });
}
template void scale_rows(const DenseView<float>&, const double*, float*, unsigned);
template void scale_rows(const DenseView<double>&, const double*, double*, unsigned);

}  // namespace likewise
