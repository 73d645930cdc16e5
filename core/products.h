// The two products of a corpus, over f(counts). Row and column factors are the caller's: they
// scale the vectors before and after. A View is CountView or ValueView.
// Blocks of vectors are in blocks.h, passes over several matrices in pass.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "csr.h"

namespace likewise {

// Entries a thread takes at a time: few, as all wait for the last. Rows are cut so by shares() of csr.h, which takes
// long enough to keep what it finds.
constexpr std::size_t kPassShare = 1 << 14;
using Cuts = std::span<const std::size_t>;

// y[r] = Σ_c f(X[r, c])·x[c] for all rows, or for those in ids.
template <class View, class T>
void dot(const View& x, const T* vector, const Factors<T>& f, T* y, unsigned threads);
template <class View, class T>
void dot_rows(const View& x, std::span<const std::uint32_t> ids, const T* vector, const Factors<T>& f,
              T* y, unsigned threads);

// The rows' squared lengths, if column c is times columns[c]; `f` is of the squares.
template <class View>
void row_squares(const View& x, const double* columns, const Factors<double>& f, double* y, unsigned threads);

// y of the first for rows first to before last, by one thread; y[0] is for the first of them.
template <class View, class T>
void dot_range(const View& x, std::size_t first, std::size_t last, const T* vector, const Factors<T>& f, T* y);

// g[c] = Σ_r a[r]·f(X[r, c]), summed in double precision; rows with a[r] = 0 cost nothing.
template <class View>
void weighted_sum(const View& x, std::span<const double> a, const Factors<double>& f,
                  std::span<double> g, unsigned threads);

// The same of several matrices, added to as many sums as the widest has columns: no thread waits at the end of a
// matrix. The weight of row r is a[r]·scales[r].
struct WeighedRows {
    AnyCounts x;
    Cuts cuts;
    std::span<const double> a, scales;
    Factors<double> f;
};
void add_weighted_sums(std::span<const WeighedRows> parts, std::span<double> sums, unsigned threads);

// Some rows times weights, added to sums in their order, by one thread.
template <class View>
void add_rows(const View& x, std::span<const std::uint32_t> ids, std::span<const double> a, const Factors<double>& f,
              double* sums);

// Both in one reading of the matrix: y = f(X)·x for some rows, weigh(first, last), which sets
// a[first … last) from y, and g += Σ a[r]·f(X[r]) over these rows while they are in the cache. The
// same bits as the two products after one another. Several threads call `weigh`, for other rows each.
using Weigh = std::function<void(std::size_t, std::size_t)>;
template <class View>
void fused(const View& x, const double* vector, const Factors<double>& f, double* y, const double* a,
           const Weigh& weigh, std::span<double> g, unsigned threads);

// Some rows' products, each summed in stored order in double precision.
template <class View>
void exact(const View& x, std::span<const std::uint32_t> ids, const double* vector,
           const Factors<double>& f, double* y);
template <class View>
void exact(const View& x, std::span<const std::uint32_t> ids, std::span<const std::uint32_t> columns,
           std::span<const double> weights, const Factors<double>& f, double* y);

}  // namespace likewise
