// Products with blocks of vectors. A block is stored by row, its vectors' values side by side, and
// is taken in panels of a few cache lines: a column's values are then read one after another.
#pragma once

#include "csr.h"

namespace likewise {

// The vectors' values, one row of `block` for each column of the matrix, times a factor each if there are any.
template <class T>
struct Vectors {
    const T* values;
    std::size_t block;
    const double* factors = nullptr;
};

// Where products go: row r's to row r, or to row places[r]; times a factor each, or added to what is there.
template <class T>
struct Products {
    T* values;
    const double* factors = nullptr;
    const std::uint32_t* places = nullptr;
    bool added = false;
};

// y[r, b] = Σ_c f(X[r, c])·vectors[c, b].
template <class View, class T>
void dot_block(const View& x, const Vectors<T>& vectors, const Factors<T>& f, const Products<T>& y, unsigned threads);

// g[c, b] = Σ_r f(X[r, c])·a[r, b]; g must be 0 before. Each thread takes panels of its own.
template <class View, class T>
void sum_block(const View& x, const T* a, std::size_t block, const Factors<T>& f, T* g, unsigned threads);

}  // namespace likewise
