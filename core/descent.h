// min ½‖w‖² + ½b² + Σ_i loss_i(y_i(w·x_i + b)), by coordinate descent on the dual.
//
// The loss is cost·max(0, margin − t), or its square; the bias b is optional. Hsieh et al., ICML
// 2008. Rows are read many times and in random order: where they lie, or from a copy (gathered.h).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "shuffle.h"
#include "stored_rows.h"

namespace likewise {

struct DescentProblem {
    std::span<const std::uint32_t> places;                    // of its rows among those given
    std::span<const double> squares, labels, margins, costs;  // one each a row; labels are ±1
    bool squared = false;
    bool bias = false;
    std::uint64_t seed = 0;
};

struct DescentState {
    double primal = 0, dual = 0;
    std::uint64_t visits = 0;  // of rows
};

class Gathered;

class Descent {
public:
    // Starts from α and the vector w = Σ α_i·y_i·x_i that goes with it, which may be empty if α is 0. `copy` is that
    // of the rows, if there is one.
    Descent(const Rows& rows, std::shared_ptr<const Gathered> copy, const DescentProblem& problem,
            std::span<const double> alpha, std::span<const double> w, unsigned threads);
    ~Descent();

    // One round over the rows still in play, in runs of neighbours that come in random order: so
    // most of memory is read as it lies. Rows of the side of few are visited several times, for
    // each weighs as much as many of the other side: evenly among the runs, for if all had their
    // turn together, they would go much too far; and at the end, for most of the gap is theirs
    // while they are off their margins. The primal is estimated from scores as they were when each
    // row's turn came, and leaves out the rows out of play.
    DescentState epoch();
    // The exact values, of the vector that the multipliers make: steps there and back leave rounding
    // errors in the one that is kept. Rows that are not settled by their scores are in play again.
    DescentState check();

    std::vector<double> alpha() const;
    // Σ α_i·y_i·x_i, and the rows' scores by it, without the bias, at the last check.
    std::vector<double> sum();
    const std::vector<double>& scores() const { return scores_; }
    double bias() const { return bias_; }

private:
    // What a visit needs of a row's problem, on a cache line. `bend` is the dual's curvature, of which squaring the
    // loss adds `diagonal`; `row` is the row's place, or where it is in a plain matrix, with `scale`.
    struct alignas(64) Term {
        double alpha, label, margin, cost, diagonal, bend, scale;
        std::uint32_t row;
    };
    double cap(const Term& term) const;
    double product(std::size_t i) const;  // the score without the bias
    void add_row(std::size_t i, double amount, double* z) const;
    void add_up();
    double gap_of(const Term& term, double score) const;
    void move(std::size_t i, double step);
    static double gradient_of(const Term& term, double score);
    // Whether a row is at a bound that it will hardly leave.
    bool settled(const Term& term, double gradient) const;
    // One coordinate's step, and what its row added to the gap before. `settled` rows make none.
    struct Visit {
        double gap;
        bool settled;
    };
    Visit visit(std::size_t i);
    std::uint32_t next_of_few();
    double visit_all_few();
    void fetch(std::size_t i) const;

    std::shared_ptr<const Gathered> gathered_;  // a copy of the rows, if there is one
    const Rows* rows_;
    const DoubleView* plain_;
    bool squared_, has_bias_;
    unsigned threads_;
    std::vector<Term> terms_;
    std::vector<double> z_, scores_;
    bool summed_ = false;  // whether z_ was made of the multipliers as they are
    double bias_ = 0, dual_ = 0;
    // Projected gradients of the last round tell who may be put aside, and those of this one.
    static constexpr double kFar = std::numeric_limits<double>::infinity();
    double highest_ = kFar, lowest_ = -kFar, next_highest_ = 0, next_lowest_ = 0;
    std::vector<std::uint32_t> few_, many_;            // the rows of either side; all are many if the sides are alike
    std::vector<std::uint32_t> few_active_, active_;   // those in play
    std::vector<std::uint32_t> turns_;                 // the few that are next, from the back
    std::size_t rounds_ = 0;
    Shuffle shuffle_;
    std::uint64_t visits_ = 0;
};

}  // namespace likewise
