// Dense rows of single precision, most of the time a mapped file: read where they lie, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace likewise {

struct DenseView {
    const float* values = nullptr;
    std::size_t height = 0, width = 0;

    std::size_t rows() const { return height; }
    const float* row(std::size_t i) const { return values + i * width; }
};

// y[r] = Σ_c X[r, c]·x[c], for all rows or for those in ids.
template <class T>
void dense_dot(const DenseView& x, const T* vector, T* y, unsigned threads);
template <class T>
void dense_dot_rows(const DenseView& x, std::span<const std::uint32_t> ids, const T* vector, T* y, unsigned threads);

// g[c] = Σ_r a[r]·X[r, c], summed in double precision; rows with a[r] = 0 are not read.
void dense_weighted_sum(const DenseView& x, const double* a, double* g, unsigned threads);

// y[r] = Σ_c (X[r, c]·factors[c])².
void dense_squares(const DenseView& x, const double* factors, double* y, unsigned threads);

// One row's product with a vector, and a row added to one.
double dense_row_dot(const float* row, const double* vector, std::size_t width);
void dense_row_add(const float* row, double amount, double* vector, std::size_t width);

}  // namespace likewise
