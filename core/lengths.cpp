#include "lengths.h"

#include <cmath>

#include "dispatch.h"

namespace likewise {

namespace {

// Loops without branches, which the compiler makes wide.
LIKEWISE_DISPATCH(make_unit, (const double* squares, std::size_t rows, double* factors), {
    for (std::size_t i = 0; i < rows; ++i) {
        const auto length = std::sqrt(squares[i]);
        factors[i] = length > 0 ? 1 / length : 0.0;
    }
})
LIKEWISE_DISPATCH(damp, (const std::uint32_t* starts, std::size_t rows, double amount, double mean, double* factors), {
    for (std::size_t i = 0; i < rows; ++i) {
        const double entries = starts[i + 1] - starts[i];
        const auto damped = entries + amount * mean;
        factors[i] *= std::sqrt(damped > 0 ? (1 + amount) * entries / damped : 0.0);
    }
})
LIKEWISE_DISPATCH(multiply_squares, (const double* factors, std::size_t rows, double* squares), {
    for (std::size_t i = 0; i < rows; ++i) squares[i] *= factors[i] * factors[i];
})

}  // namespace

void weigh_rows(const std::uint32_t* starts, std::size_t rows, const Damping& damping, double* squares,
                double* factors) {
    make_unit(squares, rows, factors);
    if (damping.amount > 0) damp(starts, rows, damping.amount, damping.mean, factors);
    multiply_squares(factors, rows, squares);
}

void add_sizes(std::span<const std::uint32_t> starts, std::span<const std::uint32_t> places, std::int64_t* sums) {
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
        sums[places.empty() ? i : places[i]] += starts[i + 1] - starts[i];
}

}  // namespace likewise
