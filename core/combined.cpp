#include "combined.h"

#include <algorithm>
#include <cmath>

namespace likewise {

namespace {

constexpr double kLeast = 1e-9;  // a common factor below this is multiplied out

// How far to go along a row, of this squared length, whose margin is t: by the loss' slope where
// the step ends, as near as a hinge or a square lets one know it.
double step_length(PairLoss loss, double t, double square, double length) {
    const double slack = std::max(0.0, 1 - t);
    switch (loss) {
        case PairLoss::hinge: return square > 0 ? std::min(length, slack / square) : slack > 0 ? length : 0.0;
        case PairLoss::squared: return 2 * length * slack / (1 + 2 * length * square);
        case PairLoss::logistic: return length / (1 + std::exp(t)) / (1 + 0.25 * length * square);
    }
    return 0;
}

}  // namespace

std::vector<double> combined(const Rows& rows, const Draws& draws, const CombinedProblem& problem) {
    std::vector<double> z(rows.width()), multipliers(rows.size());
    double factor = 1;  // of both
    const auto score = [&](std::uint32_t row) { return row == kNobody ? 0.0 : factor * rows.dot(row, z.data()); };
    const auto add = [&](std::uint32_t row, double amount) {
        if (row == kNobody || amount == 0) return;
        rows.add_to(row, amount / factor, z.data());
        multipliers[row] += amount / factor;
    };
    const auto multiply_out = [&] {
        for (auto& value : z) value *= factor;
        for (auto& value : multipliers) value *= factor;
        factor = 1;
    };
    const auto root = [&](std::uint32_t row) { return row == kNobody ? 0.0 : std::sqrt(problem.squares[row]); };
    for (std::uint64_t step = 1; step <= problem.steps; ++step) {
        const double length = problem.total / static_cast<double>(step);
        const auto pair = draws.sample(step);
        const double t = score(pair.upper) - score(pair.lower);
        const double reach = root(pair.upper) + root(pair.lower), square = reach * reach;
        // A point should score its label: its margin should be 1, and neither less nor more.
        const double amount = pair.alone() && problem.regression ? 2 * length * (1 - t) / (1 + 2 * length * square)
                                                                 : step_length(problem.loss, t, square, length);
        factor *= 1 - 1 / static_cast<double>(step + 1);
        if (factor < kLeast) multiply_out();
        add(pair.upper, amount);
        add(pair.lower, -amount);
    }
    multiply_out();
    return multipliers;
}

}  // namespace likewise
