// Many rows of counts times a vector.
#pragma once

#include "csr.h"

namespace likewise {

// y[0] = Σ_c f(X[first, c])·v[c], y[1] for the row after it, and so on to before `last`. Counts of
// kLarge and more are left out: each_large adds them.
template <class Columns, class T>
void row_sums(const CountsView<Columns>& x, std::size_t first, std::size_t last, const T* v, const Factors<T>& f,
              T* y);

}  // namespace likewise
