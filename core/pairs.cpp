#include "pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace likewise {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kNewtonSteps = 30;
constexpr double kNewtonPrecision = 1e-10;

double log1p_exp(double t) { return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t)); }
double sigmoid(double t) { return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t)); }
double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0.0; }

// Where 0 = l + t + bend·(cost·σ(l) − alpha), by Newton's method within bounds: there the logistic
// loss' multiplier cost·σ(l) is best, l being its log-odds. The slope is at least 1.
double best_log_odds(double t, double bend, double alpha, double cost) {
    double low = -t - bend * (cost - alpha), high = -t + bend * alpha, l = std::clamp(-t, low, high);
    for (int step = 0; step < kNewtonSteps; ++step) {
        const double share = sigmoid(l), excess = l + t + bend * (cost * share - alpha);
        if (std::abs(excess) < kNewtonPrecision) break;
        (excess > 0 ? high : low) = l;
        l -= excess / (1 + bend * cost * share * (1 - share));
        if (!(l > low && l < high)) l = 0.5 * (low + high);
    }
    return l;
}

}  // namespace

PairDescent::PairDescent(const Rows& rows, PairLoss loss, bool threshold, std::uint64_t seed)
    : rows_(rows), loss_(loss), threshold_(threshold), z_(rows.width()), scratch_(rows.width()),
      shuffle_(seed) {}

void PairDescent::add(std::span<const Pair> pairs) {
    for (const auto& pair : pairs) {
        pairs_.push_back(pair);
        squares_.push_back(square(pair));
    }
    alpha_.resize(pairs_.size());
    costs_.resize(pairs_.size());
}

// ‖upper‖² + ‖lower‖² − 2·upper·lower, each by a row spread out and then taken back.
double PairDescent::square(const Pair& pair) {
    double sum = pair.alone() && threshold_ ? 1.0 : 0.0;
    for (const auto row : {pair.upper, pair.lower}) {
        if (row == kNobody) continue;
        rows_.add_to(row, 1, scratch_.data());
        sum += rows_.dot(row, scratch_.data());
        if (row == pair.upper && pair.lower != kNobody) sum -= 2 * rows_.dot(pair.lower, scratch_.data());
        rows_.add_to(row, -1, scratch_.data());
    }
    return std::max(sum, 0.0);
}

void PairDescent::set_costs(std::span<const double> costs) {
    costs_.assign(costs.begin(), costs.end());
    if (loss_ != PairLoss::squared)
        for (std::size_t k = 0; k < pairs_.size(); ++k)
            if (alpha_[k] > costs_[k]) move(k, costs_[k] - alpha_[k]);
    all_in_play();
}

void PairDescent::all_in_play() {
    active_.resize(pairs_.size());
    for (std::uint32_t k = 0; k < active_.size(); ++k) active_[k] = k;
    highest_ = kInfinity;
    lowest_ = -kInfinity;
}

double PairDescent::margin(std::size_t k) const {
    const auto& pair = pairs_[k];
    const double t = score(pair.upper) - score(pair.lower);
    return pair.alone() && threshold_ ? t - pair.sign() * theta_ : t;
}

void PairDescent::move(std::size_t k, double step) {
    const auto& pair = pairs_[k];
    if (pair.upper != kNobody) rows_.add_to(pair.upper, step, z_.data());
    if (pair.lower != kNobody) rows_.add_to(pair.lower, -step, z_.data());
    if (pair.alone() && threshold_) theta_ -= step * pair.sign();
    alpha_[k] += step;
}

PairDescent::Share PairDescent::share(std::size_t k, double t) const {
    const double alpha = alpha_[k], cost = costs_[k], slack = std::max(0.0, 1 - t);
    switch (loss_) {
        case PairLoss::hinge: return {cost * slack, alpha};
        case PairLoss::squared: return {cost * slack * slack, cost > 0 ? alpha - 0.25 * alpha * alpha / cost : 0.0};
        case PairLoss::logistic:
            return {cost * log1p_exp(-t), x_log_x(cost) - x_log_x(alpha) - x_log_x(cost - alpha)};
    }
    throw std::logic_error("no such loss");
}

// The multiplier that is best while the others stay.
double PairDescent::target(std::size_t k, double t) const {
    const double alpha = alpha_[k], cost = costs_[k], bend = squares_[k];
    if (loss_ == PairLoss::logistic) return cost * sigmoid(best_log_odds(t, bend, alpha, cost));
    if (loss_ == PairLoss::squared) {
        const double diagonal = 0.5 / cost;
        return std::max(0.0, alpha + (1 - t - diagonal * alpha) / (bend + diagonal));
    }
    // Two rows that are the same have no curvature: their multiplier goes all the way.
    if (bend <= 0) return t < 1 ? cost : 0.0;
    return std::clamp(alpha + (1 - t) / bend, 0.0, cost);
}

// Whether a multiplier is at a bound that it will hardly leave; notes how far others are pulled.
bool PairDescent::settled(std::size_t k, double t) {
    if (loss_ == PairLoss::logistic) return false;
    const bool squared = loss_ == PairLoss::squared;
    const double gradient = t - 1 + (squared ? 0.5 * alpha_[k] / costs_[k] : 0.0);
    const bool at_bottom = alpha_[k] <= 0, at_top = !squared && alpha_[k] >= costs_[k];
    if ((at_bottom && gradient > highest_) || (at_top && gradient < lowest_)) return true;
    const double projected = at_bottom ? std::min(gradient, 0.0) : at_top ? std::max(gradient, 0.0) : gradient;
    next_highest_ = std::max(next_highest_, projected);
    next_lowest_ = std::min(next_lowest_, projected);
    return false;
}

DescentState PairDescent::epoch() {
    next_highest_ = -kInfinity;
    next_lowest_ = kInfinity;
    shuffle_(active_);
    double norm = 0, loss = 0, dual = 0;
    std::size_t left = 0;
    for (const auto k : active_) {
        if (costs_[k] <= 0) continue;
        ++visits_;
        const double t = margin(k);
        const auto seen = share(k, t);
        norm += alpha_[k] * t;
        loss += seen.primal;
        dual += seen.dual;
        if (settled(k, t)) continue;
        active_[left++] = k;
        const double step = target(k, t) - alpha_[k];
        if (step != 0) move(k, step);
    }
    active_.resize(left);
    highest_ = next_highest_ <= 0 ? kInfinity : next_highest_;
    lowest_ = next_lowest_ >= 0 ? -kInfinity : next_lowest_;
    return {0.5 * norm + loss, dual - 0.5 * norm, visits_};
}

DescentState PairDescent::check() {
    double norm = 0, loss = 0, dual = 0;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
        const double t = margin(k);
        const auto seen = share(k, t);
        norm += alpha_[k] * t;  // ‖w‖² = Σ α·(w·x)
        loss += seen.primal;
        dual += seen.dual;
    }
    visits_ += pairs_.size();
    all_in_play();
    return {0.5 * norm + loss, dual - 0.5 * norm, visits_};
}

}  // namespace likewise
