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
    // The sum of t·w_t. A multiplier of row i that came at step t is in all sums from there on, so that
    // what the steps before it would have added, `early`, is taken off at the end.
    std::vector<double> sum(rows.size()), early(rows.size());
    double passed = 0;  // Σ t·factor_t so far
    const auto score = [&](std::uint32_t row) { return row == kNobody ? 0.0 : factor * rows.dot(row, z.data()); };
    const auto add = [&](std::uint32_t row, double amount) {
        if (row == kNobody || amount == 0) return;
        rows.add_to(row, amount / factor, z.data());
        multipliers[row] += amount / factor;
        early[row] += amount / factor * passed;
    };
    const auto multiply_out = [&] {
        for (auto& value : z) value *= factor;
        for (std::size_t row = 0; row < sum.size(); ++row) {
            sum[row] += multipliers[row] * passed - early[row];
            multipliers[row] *= factor;
        }
        std::fill(early.begin(), early.end(), 0.0);
        factor = 1;
        passed = 0;
    };
    // Twice as many steps about halve what is left to gain: so the mean of the first half tells how far it is.
    const std::uint64_t half = std::max<std::uint64_t>(problem.steps / 2, 1);
    std::vector<double> means(2 * rows.size());
    const auto take_mean = [&](std::uint64_t steps, std::size_t first) {
        const double count = static_cast<double>(steps), weights = 0.5 * count * (count + 1);
        for (std::size_t row = 0; row < sum.size(); ++row) means[first + row] = sum[row] / weights;
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
        passed += static_cast<double>(step) * factor;
        if (step == half) {
            multiply_out();
            take_mean(step, 0);
        }
    }
    multiply_out();
    take_mean(problem.steps, rows.size());
    return means;
}

}  // namespace likewise
