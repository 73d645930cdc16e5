// min ½‖w‖² + ½b² + Σ_i loss_i(y_i(w·x_i + b)), by coordinate descent on the dual.
//
// The loss is cost·max(0, margin − t), or its square; the bias b is optional. Hsieh et al., ICML
// 2008. Rows are read many times and in random order: where they lie, or from a copy (gathered.h).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "csr.h"
#include "dense.h"
#include "shuffle.h"

namespace likewise {

// An array of double precision, row by row.
struct ArrayView {
    std::span<const double> values;
    std::size_t width = 0;
    const double* row(std::size_t i) const { return values.data() + i * width; }
};

// Rows of several matrices under one numbering: x_i = scale[i]·f(stored row)·col. A row may have
// several layers, matrices that stand side by side, each with columns of its own.
class Rows {
public:
    Rows(std::span<const double> col, std::size_t size, std::size_t layers = 1);

    // In a layer, row places[i] becomes row ids[i] of x, whose columns begin at `first`.
    struct Chosen {
        std::span<const std::uint32_t> places, ids;
        std::span<const double> scale;
        std::size_t layer = 0, first = 0;
    };
    void add(const AnyCounts& x, std::span<const double> table, std::span<const double> large, const Chosen& chosen);
    void add(const ValueView& x, const Chosen& chosen);
    void add(const DoubleView& x, const Chosen& chosen);
    void add(const ArrayView& x, const Chosen& chosen);
    // Columns of dense layers have no factors: col must be 1 there.
    void add(const FloatRows& x, const Chosen& chosen);
    void add(const ByteRows& x, const Chosen& chosen);

    std::size_t size() const { return size_; }
    std::size_t width() const { return col_.size(); }
    std::size_t layers() const { return layers_.size(); }

    std::span<const double> factors() const { return col_; }  // of columns

    // Of the layers that are sparse: how many entries a row has, and these, without the factors of columns.
    std::size_t sparse_length(std::size_t i) const;
    void copy_sparse(std::size_t i, std::uint32_t* columns, double* values) const;
    // The layers that are dense, and all their columns one after another; add_dense_from adds them to these rows,
    // as layers from 1 on whose columns begin at `first`.
    std::size_t dense_layers() const;
    std::vector<std::uint32_t> dense_columns() const;
    void add_dense_from(const Rows& other, std::size_t first);

    // Vectors are kept multiplied by col, so that a product needs no look at it: z = col·w.
    double dot(std::size_t i, const double* z) const;
    void add_to(std::size_t i, double amount, double* z) const;
    // The matrix of all rows, if there is one of double precision only, without factors of columns.
    const DoubleView* plain() const;
    // Which of its rows a row is, and its factor; only if there is one.
    std::pair<std::uint32_t, double> place(std::size_t i) const {
        const auto& row = layers_.front().rows[i];
        return {row.row, row.scale};
    }
    void scale(double* w) const;  // from w to z
    void unscale(double* z) const;  // and back

    // Σ weights[i]·x_i, row after row.
    std::vector<double> weighted_sum(std::span<const double> weights) const;

private:
    struct Part {
        std::variant<CountsView<Columns16>, CountsView<Columns24>, CountView, ValueView, DoubleView, ArrayView,
                     FloatRows, ByteRows>
            matrix;
        std::vector<double> table;
        std::span<const double> large;
        std::size_t first = 0;
        Factors<double> factors() const { return {table.data(), large.data()}; }
    };
    struct Row {
        std::uint32_t part = 0, row = 0;
        double scale = 0;
    };
    void add(Part part, const Chosen& chosen);
    // A layer's rows; its columns, if they are dense.
    struct Layer {
        std::vector<Row> rows;
        std::size_t first = 0, width = 0;
        bool dense() const { return width > 0; }
    };
    template <class Use>
    decltype(auto) at(const Row& row, Use&& use) const;

    std::span<const double> col_;
    bool unit_;  // all of them are 1
    std::size_t size_;
    std::vector<Part> parts_;
    std::vector<Layer> layers_;
};

struct DescentProblem {
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
    // Starts from α and the vector w = Σ α_i·y_i·x_i that goes with it. Threads copy rows and check.
    Descent(const Rows& rows, const DescentProblem& problem, std::span<const double> alpha, std::span<const double> w,
            unsigned threads);
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
    // loss adds `diagonal`; `row` and `scale` are where the row is in a plain matrix.
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

    std::shared_ptr<const Gathered> gathered_;  // a copy of the rows, if they are few enough
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
