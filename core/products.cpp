#include "products.h"

#include <memory>
#include <vector>

#include "dispatch.h"
#include "parallel.h"

namespace likewise {

namespace {

constexpr std::size_t kShare = 1 << 18;  // entries a thread takes at a time
constexpr std::uint32_t kRun = 256;      // entries summed in T before the sum moves to double

// Rows cut into shares of about kShare entries.
template <class View>
std::vector<std::size_t> shares(const View& x, std::size_t size) {
    std::vector<std::size_t> cuts{0};
    for (std::size_t target = size; target < x.entries(); target += size) {
        const auto row = std::lower_bound(x.starts.begin(), x.starts.end(), target) - x.starts.begin();
        if (static_cast<std::size_t>(row) > cuts.back()) cuts.push_back(static_cast<std::size_t>(row));
    }
    if (cuts.back() < x.rows() || cuts.size() == 1) cuts.push_back(x.rows());
    return cuts;
}

// Four running sums hide the latency of an addition. Wide gathers were no faster on Zen 3.
template <class View, class T>
double row_dot(const View& x, std::size_t row, const T* v, const Factors<T>& f) {
    const auto* column = x.columns.data();
    auto p = x.begin(row);
    const auto split = x.split(row), end = x.end(row);
    double once = 0, often = 0;
    while (p < split) {
        const auto stop = split - p > kRun ? p + kRun : split;
        T s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (; p + 4 <= stop; p += 4) {
            s0 += v[column[p]];
            s1 += v[column[p + 1]];
            s2 += v[column[p + 2]];
            s3 += v[column[p + 3]];
        }
        for (; p < stop; ++p) s0 += v[column[p]];
        once += static_cast<double>((s0 + s1) + (s2 + s3));
    }
    auto q = x.first_count(row);
    while (p < end) {
        const auto stop = end - p > kRun ? p + kRun : end;
        T s0 = 0, s1 = 0;
        for (; p + 2 <= stop; p += 2, q += 2) {
            s0 += factor(x, f, q) * v[column[p]];
            s1 += factor(x, f, q + 1) * v[column[p + 1]];
        }
        if (p < stop) s0 += factor(x, f, q++) * v[column[p++]];
        often += static_cast<double>(s0 + s1);
    }
    return static_cast<double>(f.table[1]) * once + often;
}

// One row times a few vectors; B values fit the widest registers there are.
template <std::size_t B, class View, class T>
LIKEWISE_INLINE void row_dot_block(const View& x, std::size_t row, const T* v, std::size_t stride,
                                   const Factors<T>& f, T* y) {
    T sum[B] = {};
    const auto split = x.split(row), end = x.end(row);
    const T first = f.table[1];
    for (auto p = x.begin(row); p < split; ++p) {
        const T* from = v + x.columns[p] * stride;
        for (std::size_t b = 0; b < B; ++b) sum[b] += from[b];
    }
    for (std::size_t b = 0; b < B; ++b) sum[b] *= first;
    auto q = x.first_count(row);
    for (auto p = split; p < end; ++p, ++q) {
        const T scale = factor(x, f, q);
        const T* from = v + x.columns[p] * stride;
        for (std::size_t b = 0; b < B; ++b) sum[b] += scale * from[b];
    }
    for (std::size_t b = 0; b < B; ++b) y[b] = sum[b];
}

template <class View, class T>
LIKEWISE_INLINE void rows_dot_block(const View& x, std::size_t first, std::size_t last, const T* v,
                                    std::size_t block, const Factors<T>& f, T* y) {
    for (std::size_t row = first; row < last; ++row) {
        std::size_t b = 0;
        for (; b + 32 <= block; b += 32) row_dot_block<32>(x, row, v + b, block, f, y + row * block + b);
        for (; b + 8 <= block; b += 8) row_dot_block<8>(x, row, v + b, block, f, y + row * block + b);
        for (; b < block; ++b) row_dot_block<1>(x, row, v + b, block, f, y + row * block + b);
    }
}

#define LIKEWISE_ROWS_DOT_BLOCK(name, View, T)                                                             \
    LIKEWISE_DISPATCH(name, (const View& x, std::size_t first, std::size_t last, const T* v, std::size_t block, \
                             const Factors<T>& f, T* y),                                                   \
                      rows_dot_block(x, first, last, v, block, f, y))                                      \
    void rows_dot_block_best(const View& x, std::size_t first, std::size_t last, const T* v,               \
                             std::size_t block, const Factors<T>& f, T* y) {                               \
        name(x, first, last, v, block, f, y);                                                              \
    }
LIKEWISE_ROWS_DOT_BLOCK(count_rows_float, CountView, float)
LIKEWISE_ROWS_DOT_BLOCK(count_rows_double, CountView, double)
LIKEWISE_ROWS_DOT_BLOCK(value_rows_float, ValueView, float)
LIKEWISE_ROWS_DOT_BLOCK(value_rows_double, ValueView, double)

template <class View>
void add_row(const View& x, std::size_t row, double a, const Factors<double>& f, double* g) {
    const auto* column = x.columns.data();
    const auto split = x.split(row), end = x.end(row);
    const double once = a * f.table[1];
    for (auto p = x.begin(row); p < split; ++p) g[column[p]] += once;
    auto q = x.first_count(row);
    for (auto p = split; p < end; ++p, ++q) g[column[p]] += a * factor(x, f, q);
}

template <class View, class Weight>
double exact_row(const View& x, std::size_t row, const Factors<double>& f, Weight&& weight) {
    const auto split = x.split(row), end = x.end(row);
    double sum = 0;
    for (auto p = x.begin(row); p < split; ++p) sum += f.table[1] * weight(x.columns[p]);
    auto q = x.first_count(row);
    for (auto p = split; p < end; ++p, ++q) sum += factor(x, f, q) * weight(x.columns[p]);
    return sum;
}

}  // namespace

template <class View, class T>
void dot(const View& x, const T* vector, const Factors<T>& f, T* y, unsigned threads) {
    const auto cuts = shares(x, kShare);
    parallel(cuts.size() - 1, threads, [&](std::size_t share) {
        for (std::size_t row = cuts[share]; row < cuts[share + 1]; ++row)
            y[row] = static_cast<T>(row_dot(x, row, vector, f));
    });
}

template <class View, class T>
void dot_rows(const View& x, std::span<const std::uint32_t> ids, const T* vector, const Factors<T>& f,
              T* y, unsigned threads) {
    constexpr std::size_t share = 4096;
    parallel((ids.size() + share - 1) / share, threads, [&](std::size_t part) {
        const auto last = std::min(ids.size(), (part + 1) * share);
        for (std::size_t i = part * share; i < last; ++i)
            y[i] = static_cast<T>(row_dot(x, ids[i], vector, f));
    });
}

template <class View, class T>
void dot_block(const View& x, const T* vectors, std::size_t block, const Factors<T>& f, T* y,
               unsigned threads) {
    const auto cuts = shares(x, kShare / 8);
    parallel(cuts.size() - 1, threads, [&](std::size_t share) {
        rows_dot_block_best(x, cuts[share], cuts[share + 1], vectors, block, f, y);
    });
}

// Rows are added into a few vectors of their own and those then added up in order. Their number
// follows from the matrix alone, and is such that clearing and adding them stays a small cost.
template <class View>
void weighted_sum(const View& x, std::span<const double> a, const Factors<double>& f,
                  std::span<double> g, unsigned threads) {
    const std::size_t stripes = std::clamp<std::size_t>(x.entries() / (16 * x.width + 1), 1, 8);
    const auto cuts = shares(x, x.entries() / stripes + 1);
    std::vector<std::unique_ptr<double[]>> partial(cuts.size() - 1);
    parallel(partial.size(), threads, [&](std::size_t stripe) {
        double* into = g.data();
        if (stripe > 0) {
            partial[stripe] = std::make_unique<double[]>(x.width);
            into = partial[stripe].get();
        }
        for (std::size_t row = cuts[stripe]; row < cuts[stripe + 1]; ++row)
            if (a[row] != 0) add_row(x, row, a[row], f, into);
    });
    for (std::size_t stripe = 1; stripe < partial.size(); ++stripe)
        for (std::size_t c = 0; c < x.width; ++c) g[c] += partial[stripe][c];
}

template <class View>
void weighted_sum_rows(const View& x, std::span<const std::uint32_t> ids, std::span<const double> a,
                       const Factors<double>& f, std::span<double> g) {
    for (std::size_t i = 0; i < ids.size(); ++i) add_row(x, ids[i], a[i], f, g.data());
}

template <class View>
void exact(const View& x, std::span<const std::uint32_t> ids, const double* vector,
           const Factors<double>& f, double* y) {
    for (std::size_t i = 0; i < ids.size(); ++i)
        y[i] = exact_row(x, ids[i], f, [&](std::uint32_t column) { return vector[column]; });
}

template <class View>
void exact(const View& x, std::span<const std::uint32_t> ids, std::span<const std::uint32_t> columns,
           std::span<const double> weights, const Factors<double>& f, double* y) {
    const auto weight = [&](std::uint32_t column) {
        const auto found = std::lower_bound(columns.begin(), columns.end(), column);
        if (found == columns.end() || *found != column) return 0.0;
        return weights[static_cast<std::size_t>(found - columns.begin())];
    };
    for (std::size_t i = 0; i < ids.size(); ++i) y[i] = exact_row(x, ids[i], f, weight);
}

#define LIKEWISE_INSTANTIATE_FOR(View, T)                                                                 \
    template void dot(const View&, const T*, const Factors<T>&, T*, unsigned);                             \
    template void dot_rows(const View&, std::span<const std::uint32_t>, const T*, const Factors<T>&, T*, unsigned); \
    template void dot_block(const View&, const T*, std::size_t, const Factors<T>&, T*, unsigned);
#define LIKEWISE_INSTANTIATE(View)                                                                         \
    LIKEWISE_INSTANTIATE_FOR(View, float)                                                                  \
    LIKEWISE_INSTANTIATE_FOR(View, double)                                                                 \
    template void weighted_sum(const View&, std::span<const double>, const Factors<double>&,               \
                               std::span<double>, unsigned);                                               \
    template void weighted_sum_rows(const View&, std::span<const std::uint32_t>, std::span<const double>,  \
                                    const Factors<double>&, std::span<double>);                            \
    template void exact(const View&, std::span<const std::uint32_t>, const double*, const Factors<double>&, \
                        double*);                                                                          \
    template void exact(const View&, std::span<const std::uint32_t>, std::span<const std::uint32_t>,       \
                        std::span<const double>, const Factors<double>&, double*);
LIKEWISE_INSTANTIATE(CountView)
LIKEWISE_INSTANTIATE(ValueView)

}  // namespace likewise
