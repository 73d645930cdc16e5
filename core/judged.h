// A two-class SVM of documents that are judged one after another, and the scores of all documents:
//   min ½‖w‖² + ½b² + Σ c_i·max(0, 1 − y_i(w·x_i + b))²
// by coordinate descent on the dual (Hsieh et al., ICML 2008), on columns of the products of all
// documents with each other. A step changes all scores by one column; checking the gap costs no
// more than a look at each judged document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace likewise {

struct JudgedState {
    double primal = 0, dual = 0, at_zero = 0;
    std::uint64_t steps = 0;  // columns added to the scores
};

class Judged {
public:
    explicit Judged(std::size_t documents);

    // column[d] = x_d·x_document. A document is judged at most once at a time.
    void add(std::uint32_t document, bool relevant, std::vector<float> column);
    void remove(std::uint32_t document);
    // From the last solution, until primal − dual ≤ tol · min(primal, primal at 0 − dual). Costs
    // hold for each document of a side; weights found under other costs are scaled to begin with.
    JudgedState solve(double relevant_cost, double other_cost, double tol, std::size_t rounds);

    std::size_t documents() const { return sides_[0].sums.size(); }
    std::vector<double> scores() const;  // w·x_d of all documents, without the bias
    double bias() const;
    std::vector<std::uint32_t> judged() const;
    std::vector<double> weights() const;  // y_i·α_i, in the order of judged()

private:
    // The documents of one side: w = Σ scale·(their weights·x), so that all grow or shrink at once.
    struct Side {
        std::vector<std::uint32_t> ids;
        std::vector<double> weights;
        std::vector<std::vector<float>> columns;
        std::vector<double> sums;  // Σ weight·column, by document
        double total = 0;          // Σ weight
        double scale = 1, cost = 0;
    };

    double score(std::size_t document) const;
    void rescale(double relevant_cost, double other_cost);
    void balance();
    void fold(Side& side);
    void shift(Side& side, std::size_t i, double change);
    void visit(Side& side, double sign, std::size_t i);
    double gap_of(const Side& side, double sign, std::size_t i) const;
    JudgedState measure() const;

    Side sides_[2];  // relevant ones, others
    std::uint64_t steps_ = 0;
};

}  // namespace likewise
