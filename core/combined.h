// Combined ranking and regression by stochastic gradient descent (Sculley, KDD 2010):
// min ½‖w‖² + total·[gamma·(mean loss over pairs) + (1 − gamma)·(mean (y − w·x)² over points)].
//
// Step t has the length total/t of Pegasos (Shalev-Shwartz et al., ICML 2007), but goes no further
// than to where the drawn loss is least beside it (Kulis & Bartlett, ICML 2010): so long rows,
// whose squares would make it diverge, do no harm. The answer is the mean of all w, the t-th with
// weight t (Lacoste-Julien, Schmidt & Bach 2012): the last w alone depends on the last draws.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "draws.h"

namespace likewise {

struct CombinedProblem {
    std::span<const double> squares;  // of the rows' lengths
    PairLoss loss = PairLoss::hinge;
    bool regression = true;  // points have squared errors; otherwise the loss of pairs
    double total = 1;
    std::uint64_t steps = 0;
};

// The multipliers of the rows, w = Σ a_i·x_i: of the mean over the first half of the steps, then of that over all.
std::vector<double> combined(const Rows& rows, const Draws& draws, const CombinedProblem& problem);

}  // namespace likewise
