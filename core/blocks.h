// Products with blocks of vectors. A block is stored by row, its vectors' values side by side, and
// is taken in panels of a few cache lines: a column's values are then read one after another.
#pragma once

#include "csr.h"

namespace likewise {

// y[r, b] = Σ_c f(X[r, c])·vectors[c, b].
template <class View, class T>
void dot_block(const View& x, const T* vectors, std::size_t block, const Factors<T>& f, T* y, unsigned threads);

// g[c, b] = Σ_r f(X[r, c])·a[r, b]; g must be 0 before. Each thread takes panels of its own.
template <class View, class T>
void sum_block(const View& x, const T* a, std::size_t block, const Factors<T>& f, T* g, unsigned threads);

}  // namespace likewise
