// min ½‖w‖² + ½θ² + Σ_k cost_k·loss(w·x_k), by coordinate descent on the dual, where x_k is the
// difference of two rows, or one row: (upper − lower), with nobody standing for the zero vector.
//
// The loss of a margin t is max(0, 1 − t), its square, or ln(1 + e^−t). The threshold θ, if any, is
// the weight of a further entry −1 of the rows that stand alone: w·x − θ. Pairs are never stored
// as differences: a step reads and writes two rows (Hsieh et al., ICML 2008; for the logistic
// loss Yu et al., Machine Learning 2011). Duals are kept as pairs are added and costs change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "descent.h"

namespace likewise {

constexpr std::uint32_t kNobody = 0xFFFFFFFFu;

struct Pair {
    std::uint32_t upper, lower;
    bool alone() const { return upper == kNobody || lower == kNobody; }
    double sign() const { return lower == kNobody ? 1.0 : -1.0; }  // of one that stands alone
};

enum class PairLoss { hinge, squared, logistic };

class PairDescent {
public:
    PairDescent(const Rows& rows, PairLoss loss, bool threshold, std::uint64_t seed);

    // New pairs begin with a cost and a multiplier of 0.
    void add(std::span<const Pair> pairs);
    // One cost a pair; multipliers above the new cost are cut back to it.
    void set_costs(std::span<const double> costs);

    // One round over the pairs still in play, in random order. The values are those seen as each
    // had its turn, those out of play left out.
    DescentState epoch();
    // The exact values. All pairs are in play again.
    DescentState check();

    // w·x of a row that stands alone, without its sign, or of no row.
    double score(std::uint32_t row) const { return row == kNobody ? 0.0 : rows_.dot(row, z_.data()); }
    double theta() const { return theta_; }
    std::size_t row_count() const { return rows_.size(); }
    const std::vector<double>& alpha() const { return alpha_; }
    const std::vector<Pair>& pairs() const { return pairs_; }

private:
    struct Share {
        double primal, dual;  // what a pair adds to both, but for ½‖w‖²
    };
    double margin(std::size_t k) const;
    Share share(std::size_t k, double t) const;
    double target(std::size_t k, double t) const;
    bool settled(std::size_t k, double t);
    void move(std::size_t k, double step);
    double square(const Pair& pair);
    void all_in_play();

    const Rows& rows_;
    PairLoss loss_;
    bool threshold_;
    std::vector<Pair> pairs_;
    std::vector<double> alpha_, costs_, squares_;
    std::vector<double> z_, scratch_;
    double theta_ = 0;
    double highest_ = 0, lowest_ = 0, next_highest_ = 0, next_lowest_ = 0;
    std::vector<std::uint32_t> active_;
    Shuffle shuffle_;
    std::uint64_t visits_ = 0;
};

}  // namespace likewise
