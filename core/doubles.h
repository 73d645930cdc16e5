// A sparse matrix of double precision as users bring it, with a row's columns in any order.
//
// Work is cut by the matrix alone, so that results are the same bits by any number of threads.
#pragma once

#include "csr.h"

namespace likewise {

// The rows' squared lengths, if no row names a column twice, and whether one does. Throws std::invalid_argument where
// the arrays do not describe a matrix of this width.
std::pair<std::vector<double>, bool> squares(const DoubleView& x, unsigned threads);

// y = X·v.
void scores(const DoubleView& x, const double* v, double* y, unsigned threads);

// Σ a[i]·row i.
std::vector<double> weighted_sum(const DoubleView& x, const double* a, unsigned threads);

}  // namespace likewise
