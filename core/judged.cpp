#include "judged.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dispatch.h"
#include "require.h"

namespace likewise {

namespace {

constexpr double kSigns[2] = {1.0, -1.0};
constexpr double kMost = 1e6;  // of a scale, before it is multiplied into what it scales

LIKEWISE_DISPATCH(add_column, (double* sums, const float* column, std::size_t size, double factor),
                  for (std::size_t d = 0; d < size; ++d) sums[d] += factor * static_cast<double>(column[d]))

bool all_finite(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace

Judged::Judged(std::size_t documents) {
    for (auto& side : sides_) side.sums.assign(documents, 0.0);
}

void Judged::add(std::uint32_t document, bool relevant, std::vector<float> column) {
    require(document < documents() && column.size() == documents(), "a column needs one entry a document");
    require(all_finite(column), "a column holds NaN or an infinite value");
    for (const auto& side : sides_)
        require(std::find(side.ids.begin(), side.ids.end(), document) == side.ids.end(),
                "the document is judged already");
    auto& side = sides_[relevant ? 0 : 1];
    side.ids.push_back(document);
    side.weights.push_back(0.0);
    side.columns.push_back(std::move(column));
}

void Judged::remove(std::uint32_t document) {
    for (auto& side : sides_) {
        const auto found = std::find(side.ids.begin(), side.ids.end(), document);
        if (found == side.ids.end()) continue;
        const auto i = found - side.ids.begin();
        shift(side, static_cast<std::size_t>(i), -side.weights[static_cast<std::size_t>(i)]);
        side.ids.erase(found);
        side.weights.erase(side.weights.begin() + i);
        side.columns.erase(side.columns.begin() + i);
        if (side.ids.empty()) {  // what rounding left
            std::fill(side.sums.begin(), side.sums.end(), 0.0);
            side.total = 0;
            side.scale = 1;
        }
        return;
    }
    throw std::invalid_argument("the document is not judged");
}

JudgedState Judged::solve(double relevant_cost, double other_cost, double tol, std::size_t rounds) {
    for (const double cost : {relevant_cost, other_cost})
        require(cost > 0 && std::isfinite(cost), "costs must be finite and above 0");
    require(tol >= 0 && std::isfinite(tol), "tol must be finite and not below 0");
    rescale(relevant_cost, other_cost);
    balance();
    auto state = measure();
    for (std::size_t round = 0; round < rounds; ++round) {
        const double gap = state.primal - state.dual;
        const double allowed = tol * std::min(state.primal, state.at_zero - state.dual);
        if (gap <= allowed || gap <= 1e-13 * state.at_zero) break;
        const auto count = sides_[0].ids.size() + sides_[1].ids.size();
        // Whoever is within a fair share of what is allowed may stay.
        const double share = 0.5 * std::max(allowed, 0.0) / static_cast<double>(count);
        for (int s = 0; s < 2; ++s)
            for (std::size_t i = 0; i < sides_[s].ids.size(); ++i)
                if (gap_of(sides_[s], kSigns[s], i) > share) visit(sides_[s], kSigns[s], i);
        balance();
        state = measure();
    }
    state.steps = steps_;
    return state;
}

double Judged::bias() const { return sides_[0].scale * sides_[0].total - sides_[1].scale * sides_[1].total; }

std::vector<double> Judged::scores() const {
    std::vector<double> out(documents());
    for (std::size_t d = 0; d < out.size(); ++d)
        out[d] = sides_[0].scale * sides_[0].sums[d] - sides_[1].scale * sides_[1].sums[d];
    return out;
}

std::vector<std::uint32_t> Judged::judged() const {
    auto out = sides_[0].ids;
    out.insert(out.end(), sides_[1].ids.begin(), sides_[1].ids.end());
    return out;
}

std::vector<double> Judged::weights() const {
    std::vector<double> out;
    for (int s = 0; s < 2; ++s)
        for (const double weight : sides_[s].weights) out.push_back(kSigns[s] * sides_[s].scale * weight);
    return out;
}

double Judged::score(std::size_t document) const {
    return sides_[0].scale * sides_[0].sums[document] - sides_[1].scale * sides_[1].sums[document] + bias();
}

// A weight is 2c times its slack at the optimum, and slacks change little from one judgement to the next.
void Judged::rescale(double relevant_cost, double other_cost) {
    const double costs[2] = {relevant_cost, other_cost};
    for (int s = 0; s < 2; ++s) {
        auto& side = sides_[s];
        if (side.cost > 0) side.scale *= costs[s] / side.cost;
        side.cost = costs[s];
        if (side.scale > kMost || side.scale < 1 / kMost) fold(side);
    }
}

// The best common factor of each side's weights: a Newton step of the dual in two variables.
void Judged::balance() {
    double square[2][2] = {{0, 0}, {0, 0}}, own[2] = {0, 0};
    for (int s = 0; s < 2; ++s) {
        const auto& side = sides_[s];
        for (std::size_t i = 0; i < side.ids.size(); ++i) {
            if (side.weights[i] == 0) continue;
            for (int t = 0; t < 2; ++t)
                square[s][t] += side.weights[i] * (sides_[t].sums[side.ids[i]] + sides_[t].total);
            own[s] += side.weights[i] * side.weights[i];
        }
    }
    for (int s = 0; s < 2; ++s)
        if (own[s] > 0) square[s][s] += own[s] / (2 * sides_[s].cost);
    const double cross = -0.5 * (square[0][1] + square[1][0]);
    const double det = square[0][0] * square[1][1] - cross * cross;
    const double linear[2] = {sides_[0].total, sides_[1].total};
    double scales[2] = {sides_[0].scale, sides_[1].scale};
    if (own[0] > 0 && own[1] > 0 && det > 1e-12 * square[0][0] * square[1][1]) {
        scales[0] = (linear[0] * square[1][1] - linear[1] * cross) / det;
        scales[1] = (linear[1] * square[0][0] - linear[0] * cross) / det;
    }
    for (int s = 0; s < 2; ++s) {
        // Where one factor alone is left, or the other would leave its side, it moves alone.
        const int t = 1 - s;
        if (own[s] > 0 && !(own[t] > 0 && scales[0] > 0 && scales[1] > 0))
            scales[s] = (linear[s] - cross * sides_[t].scale * (own[t] > 0 ? 1 : 0)) / square[s][s];
        if (own[s] > 0 && scales[s] > 0 && std::isfinite(scales[s])) sides_[s].scale = scales[s];
        if (sides_[s].scale > kMost || sides_[s].scale < 1 / kMost) fold(sides_[s]);
    }
}

void Judged::fold(Side& side) {
    for (auto& weight : side.weights) weight *= side.scale;
    for (auto& sum : side.sums) sum *= side.scale;
    side.total *= side.scale;
    side.scale = 1;
}

void Judged::shift(Side& side, std::size_t i, double change) {
    if (change == 0) return;
    side.weights[i] += change;
    side.total += change;
    add_column(side.sums.data(), side.columns[i].data(), side.sums.size(), change);
    ++steps_;
}

void Judged::visit(Side& side, double sign, std::size_t i) {
    const double alpha = side.scale * side.weights[i];
    const double slope = sign * score(side.ids[i]) - 1 + alpha / (2 * side.cost);
    const double curve = static_cast<double>(side.columns[i][side.ids[i]]) + 1 + 1 / (2 * side.cost);
    const double goal = std::max(0.0, alpha - slope / curve);
    if (goal == 0) return shift(side, i, -side.weights[i]);
    shift(side, i, (goal - alpha) / side.scale);
}

// What a document adds to primal − dual; never below 0.
double Judged::gap_of(const Side& side, double sign, std::size_t i) const {
    const double alpha = side.scale * side.weights[i];
    const double slack = 1 - sign * score(side.ids[i]);
    if (slack <= 0) return alpha * (alpha / (4 * side.cost) - slack);
    const double off = slack - alpha / (2 * side.cost);
    return side.cost * off * off;
}

JudgedState Judged::measure() const {
    JudgedState state;
    double square = 0;
    for (int s = 0; s < 2; ++s) {
        const auto& side = sides_[s];
        for (std::size_t i = 0; i < side.ids.size(); ++i) {
            const double alpha = side.scale * side.weights[i];
            const double score_i = kSigns[s] * score(side.ids[i]);
            const double slack = std::max(0.0, 1 - score_i);
            square += alpha * score_i;
            state.primal += side.cost * slack * slack;
            state.dual += alpha - alpha * alpha / (4 * side.cost);
            state.at_zero += side.cost;
        }
    }
    state.primal += square / 2;
    state.dual -= square / 2;
    return state;
}

}  // namespace likewise
