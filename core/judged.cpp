#include "judged.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "csr.h"
#include "dispatch.h"
#include "require.h"
#include "topk.h"

namespace likewise {

namespace {

constexpr double kSigns[2] = {1.0, -1.0};
constexpr double kMost = 1e6;  // of a scale, before it is multiplied into what it scales

LIKEWISE_DISPATCH(add_column, (double* sums, const float* column, std::size_t size, double factor),
                  for (std::size_t d = 0; d < size; ++d) sums[d] += factor * static_cast<double>(column[d]))

LIKEWISE_DISPATCH(subtract, (double* out, const double* a, double x, const double* b, double y, std::size_t size),
                  for (std::size_t d = 0; d < size; ++d) out[d] = x * a[d] - y * b[d])

void require_finite(std::span<const float> values) {
    require(all_finite(values), "a column holds NaN or an infinite value");
}

template <class T>
void erase_at(std::vector<T>& values, std::size_t i) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace

void Square::append(std::span<const float> row) {
    if (size_ == stride_) {
        const std::size_t stride = std::max<std::size_t>(16, stride_ + stride_ / 4);
        std::vector<float> values(stride * stride);
        for (std::size_t i = 0; i < size_; ++i)
            std::copy_n(values_.data() + i * stride_, size_, values.data() + i * stride);
        values_.swap(values);
        stride_ = stride;
    }
    std::copy_n(row.data(), size_ + 1, values_.data() + size_ * stride_);
    for (std::size_t i = 0; i < size_; ++i) values_[i * stride_ + size_] = row[i];
    ++size_;
}

void Square::erase(std::size_t i) {
    for (std::size_t j = 0; j < size_; ++j) {
        float* row = values_.data() + j * stride_;
        std::copy(row + i + 1, row + size_, row + i);
    }
    for (std::size_t j = i + 1; j < size_; ++j)
        std::copy_n(values_.data() + j * stride_, size_ - 1, values_.data() + (j - 1) * stride_);
    --size_;
}

Judged::Judged(std::size_t documents) {
    for (auto& side : sides_) side.sums.assign(documents, 0.0);
}

void Judged::add(std::uint32_t document, bool relevant, std::span<const std::int32_t> columns,
                 std::span<const double> values) {
    const auto products = rows_.add(document, columns, values);
    for (auto& side : sides_) {
        double near = 0;
        for (std::size_t j = 0; j < ids_.size(); ++j)
            if (&side_of(j) == &side) near += weights_[j] * static_cast<double>(products[j]);
        side.near.push_back(near);
    }
    ids_.push_back(document);
    side_.push_back(relevant ? 0 : 1);
    weights_.push_back(0.0);
    applied_.push_back(0.0);
    products_.append(products);
    columns_.emplace_back();
    ++side_of(ids_.size() - 1).count;
}

void Judged::keep(std::uint32_t document, std::vector<float> column) {
    const auto i = place_of(document);
    require(i < ids_.size(), "the document is not judged");
    require(column.size() == documents(), "a column needs one entry a document");
    require_finite(column);
    columns_[i] = std::move(column);
}

void Judged::remove(std::uint32_t document) {
    const auto i = place_of(document);
    require(i < ids_.size(), "the document is not judged");
    auto& side = side_of(i);
    shift(i, -weights_[i]);
    if (!columns_[i].empty()) apply(i, columns_[i]);
    if (applied_[i] != 0) left_.push_back({document, side_[i], -applied_[i]});
    if (--side.count == 0) {  // what rounding left
        std::fill(side.sums.begin(), side.sums.end(), 0.0);
        std::fill(side.near.begin(), side.near.end(), 0.0);
        std::erase_if(left_, [&](const Debt& one) { return &sides_[one.side] == &side; });
        side.total = 0;
        side.scale = 1;
    }
    rows_.remove(document);
    for (auto& each : sides_) erase_at(each.near, i);
    erase_at(ids_, i);
    erase_at(side_, i);
    erase_at(weights_, i);
    erase_at(applied_, i);
    products_.erase(i);
    erase_at(columns_, i);
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
        // Whoever is within a fair share of what is allowed may stay.
        const double share = 0.5 * std::max(allowed, 0.0) / static_cast<double>(ids_.size());
        for (int s = 0; s < 2; ++s)
            for (std::size_t i = 0; i < ids_.size(); ++i)
                if (side_[i] == s && gap_of(i) > share) visit(i);
        balance();
        state = measure();
    }
    state.steps = steps_;
    for (std::size_t i = 0; i < ids_.size(); ++i)
        if (!columns_[i].empty()) apply(i, columns_[i]);
    return state;
}

std::vector<Judged::Debt> Judged::debts() const {
    auto out = left_;
    for (std::size_t i = 0; i < ids_.size(); ++i)
        if (weights_[i] != applied_[i]) out.push_back({ids_[i], side_[i], weights_[i] - applied_[i]});
    return out;
}

void Judged::pay(std::uint32_t document, std::span<const float> column) {
    require(column.size() == documents(), "a column needs one entry a document");
    require_finite(column);
    for (const auto& one : left_)
        if (one.document == document)
            add_column(sides_[one.side].sums.data(), column.data(), column.size(), one.change);
    std::erase_if(left_, [&](const Debt& one) { return one.document == document; });
    const auto i = place_of(document);
    if (i < ids_.size()) apply(i, column);
}

void Judged::pay_side(int side, std::span<const float> sums) {
    require(sums.size() == documents(), "sums need one entry a document");
    require_finite(sums);
    add_column(sides_[side].sums.data(), sums.data(), sums.size(), 1.0);
    for (std::size_t i = 0; i < ids_.size(); ++i)
        if (side_[i] == side) applied_[i] = weights_[i];
    std::erase_if(left_, [&](const Debt& one) { return one.side == side; });
}

double Judged::bias() const { return sides_[0].scale * sides_[0].total - sides_[1].scale * sides_[1].total; }

void Judged::score_into(double* out, std::size_t size) const {
    subtract(out, sides_[0].sums.data(), sides_[0].scale, sides_[1].sums.data(), sides_[1].scale, size);
}

std::vector<double> Judged::scores() const {
    std::vector<double> out(documents());
    score_into(out.data(), out.size());
    return out;
}

std::vector<std::pair<std::uint32_t, double>> Judged::best(std::size_t k, std::span<const bool> keep) const {
    require(keep.empty() || keep.size() == documents(), "keep needs one entry a document");
    thread_local std::vector<double> values;  // new memory costs more than the sums
    values.resize(std::max(values.size(), documents()));
    score_into(values.data(), documents());
    const std::span<const double> all(values.data(), documents());
    std::vector<std::pair<std::uint32_t, double>> out;
    for (const auto d : likewise::best(all, keep, k, 0.0)) out.emplace_back(d, all[d]);
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    if (out.size() > k) out.resize(k);
    return out;
}

std::vector<double> Judged::weights() const {
    std::vector<double> out;
    for (std::size_t i = 0; i < ids_.size(); ++i)
        out.push_back(kSigns[side_[i]] * side_of(i).scale * weights_[i]);
    return out;
}

std::size_t Judged::place_of(std::uint32_t document) const {
    return static_cast<std::size_t>(std::find(ids_.begin(), ids_.end(), document) - ids_.begin());
}

double Judged::score(std::size_t i) const {
    return sides_[0].scale * sides_[0].near[i] - sides_[1].scale * sides_[1].near[i] + bias();
}

// A weight is 2c times its slack at the optimum, and slacks change little from one judgement to the next.
void Judged::rescale(double relevant_cost, double other_cost) {
    const double costs[2] = {relevant_cost, other_cost};
    for (int s = 0; s < 2; ++s) {
        auto& side = sides_[s];
        if (side.cost > 0) side.scale *= costs[s] / side.cost;
        side.cost = costs[s];
        if (side.scale > kMost || side.scale < 1 / kMost) fold(s);
    }
}

// The best common factor of each side's weights: a Newton step of the dual in two variables.
void Judged::balance() {
    double square[2][2] = {{0, 0}, {0, 0}}, own[2] = {0, 0};
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        const int s = side_[i];
        if (weights_[i] == 0) continue;
        for (int t = 0; t < 2; ++t) square[s][t] += weights_[i] * (sides_[t].near[i] + sides_[t].total);
        own[s] += weights_[i] * weights_[i];
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
        if (sides_[s].scale > kMost || sides_[s].scale < 1 / kMost) fold(s);
    }
}

void Judged::fold(int s) {
    auto& side = sides_[s];
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        if (side_[i] != s) continue;
        weights_[i] *= side.scale;
        applied_[i] *= side.scale;
    }
    for (auto& one : left_)
        if (one.side == s) one.change *= side.scale;
    for (auto& sum : side.sums) sum *= side.scale;
    for (auto& near : side.near) near *= side.scale;
    side.total *= side.scale;
    side.scale = 1;
}

void Judged::shift(std::size_t i, double change) {
    if (change == 0) return;
    auto& side = side_of(i);
    weights_[i] += change;
    side.total += change;
    add_column(side.near.data(), products_.row(i), ids_.size(), change);
    ++steps_;
}

void Judged::apply(std::size_t i, std::span<const float> column) {
    const double change = weights_[i] - applied_[i];
    if (change == 0) return;
    add_column(side_of(i).sums.data(), column.data(), column.size(), change);
    applied_[i] = weights_[i];
}

void Judged::visit(std::size_t i) {
    const auto& side = side_of(i);
    const double alpha = side.scale * weights_[i];
    const double slope = kSigns[side_[i]] * score(i) - 1 + alpha / (2 * side.cost);
    const double curve = static_cast<double>(products_.row(i)[i]) + 1 + 1 / (2 * side.cost);
    const double goal = std::max(0.0, alpha - slope / curve);
    if (goal == 0) return shift(i, -weights_[i]);
    shift(i, (goal - alpha) / side.scale);
}

// What a document adds to primal − dual; never below 0.
double Judged::gap_of(std::size_t i) const {
    const auto& side = side_of(i);
    const double alpha = side.scale * weights_[i];
    const double slack = 1 - kSigns[side_[i]] * score(i);
    if (slack <= 0) return alpha * (alpha / (4 * side.cost) - slack);
    const double off = slack - alpha / (2 * side.cost);
    return side.cost * off * off;
}

JudgedState Judged::measure() const {
    JudgedState state;
    double square = 0;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        const auto& side = side_of(i);
        const double alpha = side.scale * weights_[i];
        const double score_i = kSigns[side_[i]] * score(i);
        const double slack = std::max(0.0, 1 - score_i);
        square += alpha * score_i;
        state.primal += side.cost * slack * slack;
        state.dual += alpha - alpha * alpha / (4 * side.cost);
        state.at_zero += side.cost;
    }
    state.primal += square / 2;
    state.dual -= square / 2;
    return state;
}

}  // namespace likewise
