// Dense rows, most of the time a mapped file: read where they lie, in order, in the precision that
// they are stored in. Rows of whole numbers have a factor each, which the caller applies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace likewise {

template <class Stored>
struct DenseView {
    const Stored* values = nullptr;
    std::size_t height = 0, width = 0;

    std::size_t rows() const { return height; }
    const Stored* row(std::size_t i) const { return values + i * width; }
};
using FloatRows = DenseView<float>;
using ByteRows = DenseView<std::int8_t>;

// y[r] = Σ_c X[r, c]·x[c], for all rows or for those in ids.
template <class Stored, class T>
void dense_dot(const DenseView<Stored>& x, const T* vector, T* y, unsigned threads);
template <class Stored, class T>
void dense_dot_rows(const DenseView<Stored>& x, std::span<const std::uint32_t> ids, const T* vector, T* y,
                    unsigned threads);

// g[c] = Σ_r a[r]·X[r, c], summed in double precision; rows with a[r] = 0 are not read.
template <class Stored>
void dense_weighted_sum(const DenseView<Stored>& x, const double* a, double* g, unsigned threads);

// Some rows times weights, added to g in their order, by one thread.
template <class Stored>
void dense_add_rows(const DenseView<Stored>& x, std::span<const std::uint32_t> ids, const double* a, double* g);

// y[r] = Σ_c (X[r, c]·factors[c])².
template <class Stored>
void dense_squares(const DenseView<Stored>& x, const double* factors, double* y, unsigned threads);

// out[r, c] = factors[r]·x[r, c], the factor rounded to the matrix' type; out may be x.
template <class T>
void scale_rows(const DenseView<T>& x, const double* factors, T* out, unsigned threads);

// One row's product with a vector, and a row added to one.
template <class Stored>
double dense_row_dot(const Stored* row, const double* vector, std::size_t width);
template <class Stored>
void dense_row_add(const Stored* row, double amount, double* vector, std::size_t width);

}  // namespace likewise
