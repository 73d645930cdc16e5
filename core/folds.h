// Sums of neighbouring numbers, row by row: in single precision, the same bits on every CPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace likewise {

constexpr std::size_t kMostEntries = 2048;  // of the rows that are summed together
constexpr std::uint32_t kRun = 256;         // entries summed in the numbers' precision before the sum moves to double
constexpr std::size_t kRoom = 80;           // numbers that may be read, not used, behind the last

// Some rows of a matrix of counts: its starts and more, from those of the first row on.
struct RowsOf {
    const std::uint32_t* starts;
    const std::uint32_t* more;
    std::size_t rows;
};

// y[r] = table[1]·Σ values of its columns counted once + Σ table[count]·value of the others. `values`
// are those of all rows' entries, with kRoom behind them; `counts` are those that the rows store. A
// row's entries, or each kRun of them, are dealt in turn to sixteen sums, which are then folded by halves.
void fold_rows(RowsOf x, const float* values, const std::uint8_t* counts, const float* table, float* y);
// Only where folds_doubles(): with vectors of few doubles, adding entry by entry is faster.
void fold_rows(RowsOf x, const double* values, const std::uint8_t* counts, const double* table, double* y);
bool folds_doubles();

}  // namespace likewise
