// What rows are multiplied by so that documents of all lengths compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace likewise {

// Rows of few entries are made shorter than 1: by the share that likewise.weighting.damped_rows gives them.
struct Damping {
    double amount = 0;  // 0: all rows have length 1
    double mean = 0;    // entries of a row, on average
};

// A factor for each of some rows, given where they start and their squared lengths, which are overwritten by those of
// the rows times the factors. 0 where a length is 0.
void weigh_rows(const std::uint32_t* starts, std::size_t rows, const Damping& damping, double* squares,
                double* factors);

// Adds the number of entries of each row, to the place given for it or, if there are none, in their order.
void add_sizes(std::span<const std::uint32_t> starts, std::span<const std::uint32_t> places, std::int64_t* sums);

}  // namespace likewise
