// A two-class SVM of documents that are judged one after another, and the scores of all documents:
//   min ½‖w‖² + ½b² + Σ c_i·max(0, 1 − y_i(w·x_i + b))²
// by coordinate descent on the dual (Hsieh et al., ICML 2008), on the judged documents' products with
// each other. A step costs a look at each judged document. The scores of all documents change by one
// column, their products with a judged one, for each weight that has changed in the end: few, since
// the weights of a side grow and shrink together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "judged_rows.h"

namespace likewise {

struct JudgedState {
    double primal = 0, dual = 0, at_zero = 0;
    std::uint64_t steps = 0;
};

// A symmetric matrix that grows and shrinks by a row and its column.
class Square {
public:
    const float* row(std::size_t i) const { return values_.data() + i * stride_; }
    void append(std::span<const float> row);  // as long as the matrix is then
    void erase(std::size_t i);

private:
    std::vector<float> values_;
    std::size_t size_ = 0, stride_ = 0;
};

class Judged {
public:
    explicit Judged(std::size_t documents);

    // A document's row. Documents may have numbers beyond those that are scored. One is judged at most
    // once at a time.
    void add(std::uint32_t document, bool relevant, std::span<const std::int32_t> columns, std::span<const double> values);
    // column[d] = x_d·x_document, kept so that it is never owed.
    void keep(std::uint32_t document, std::vector<float> column);
    void remove(std::uint32_t document);
    // From the last solution, until primal − dual ≤ tol · min(primal, primal at 0 − dual). Costs
    // hold for each document of a side; weights found under other costs are scaled to begin with.
    JudgedState solve(double relevant_cost, double other_cost, double tol, std::size_t rounds);

    // What the sums of all documents lack before scores are those of the weights. A document that was
    // judged again may be owed to both sides. Each is paid by its column, or all that a side is owed at
    // once: sums[d] = Σ change·x·x_d over that.
    struct Debt {
        std::uint32_t document;
        int side;  // 0: relevant ones, 1: others
        double change;
    };
    std::vector<Debt> debts() const;
    void pay(std::uint32_t document, std::span<const float> column);
    void pay_side(int side, std::span<const float> sums);

    std::size_t documents() const { return sides_[0].sums.size(); }
    std::vector<double> scores() const;  // w·x_d of all documents, without the bias
    // The k best of these, of those kept, with their scores; ties by number.
    std::vector<std::pair<std::uint32_t, double>> best(std::size_t k, std::span<const bool> keep) const;
    double bias() const;
    const std::vector<std::uint32_t>& judged() const { return ids_; }
    std::vector<double> weights() const;  // y_i·α_i, in the order of judged()

private:
    // Of one side: w = Σ scale·(weights·x), so that all grow or shrink at once.
    struct Side {
        std::vector<double> sums;  // Σ applied·x·x_d, by document
        std::vector<double> near;  // Σ weight·product, by judged document
        double total = 0;          // Σ weight
        double scale = 1, cost = 0;
        std::size_t count = 0;
    };
    Side& side_of(std::size_t i) { return sides_[side_[i]]; }
    const Side& side_of(std::size_t i) const { return sides_[side_[i]]; }
    std::size_t place_of(std::uint32_t document) const;  // their number, if it is none of them
    double score(std::size_t i) const;
    void score_into(double* out, std::size_t size) const;
    void rescale(double relevant_cost, double other_cost);
    void balance();
    void fold(int side);
    void shift(std::size_t i, double change);
    void visit(std::size_t i);
    void apply(std::size_t i, std::span<const float> column);
    double gap_of(std::size_t i) const;
    JudgedState measure() const;

    std::vector<std::uint32_t> ids_;
    std::vector<int> side_;
    std::vector<double> weights_, applied_;      // applied: as in the sums
    JudgedRows rows_;
    Square products_;                            // of judged documents with each other
    std::vector<std::vector<float>> columns_;    // empty where it is not kept
    std::vector<Debt> left_;                     // of documents that are judged no more, in the sums still
    Side sides_[2];  // relevant ones, others
    std::uint64_t steps_ = 0;
};

}  // namespace likewise
