#include "descent.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "numbering.h"

namespace likewise {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kAhead = 4;  // rows fetched before their turn

template <class View, class Add>
void each_entry(const View& x, std::uint32_t row, const Factors<double>& f, Add&& add) {
    const auto* column = x.columns.data();
    const auto split = x.split(row), end = x.end(row);
    for (auto p = x.begin(row); p < split; ++p) add(column[p], f.table[1]);
    auto q = x.first_count(row);
    for (auto p = split; p < end; ++p, ++q) add(column[p], factor(x, f, q));
}

template <class View>
double dot_entries(const View& x, std::uint32_t row, const Factors<double>& f, const double* z) {
    const auto* column = x.columns.data();
    const auto split = x.split(row), end = x.end(row);
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    auto p = x.begin(row);
    for (; p + 4 <= split; p += 4) {
        s0 += z[column[p]];
        s1 += z[column[p + 1]];
        s2 += z[column[p + 2]];
        s3 += z[column[p + 3]];
    }
    for (; p < split; ++p) s0 += z[column[p]];
    double often = 0;
    auto q = x.first_count(row);
    for (; p < end; ++p, ++q) often += factor(x, f, q) * z[column[p]];
    return f.table[1] * ((s0 + s1) + (s2 + s3)) + often;
}

}  // namespace

void Rows::add(Part part, const Chosen& chosen) {
    const auto number = static_cast<std::uint32_t>(parts_.size());
    parts_.push_back(std::move(part));
    for (std::size_t i = 0; i < chosen.ids.size(); ++i)
        rows_[chosen.places[i]] = {number, chosen.ids[i], chosen.scale[i]};
}

void Rows::add(const CountView& x, std::span<const double> table, std::span<const double> large,
               const Chosen& chosen) {
    add(Part{x, table, large}, chosen);
}

void Rows::add(const ValueView& x, const Chosen& chosen) {
    static const double identity[2] = {0, 1};
    add(Part{x, identity, {}}, chosen);
}

template <class Use>
decltype(auto) Rows::at(std::size_t i, Use&& use) const {
    const Row& row = rows_[i];
    const Part& part = parts_[row.part];
    return std::visit([&](const auto& x) { return use(x, row.row, part.factors(), row.scale); }, part.matrix);
}

double Rows::dot(std::size_t i, const double* z) const {
    return at(i, [&](const auto& x, std::uint32_t row, const Factors<double>& f, double scale) {
        return scale * dot_entries(x, row, f, z);
    });
}

void Rows::add_to(std::size_t i, double amount, double* z) const {
    at(i, [&](const auto& x, std::uint32_t row, const Factors<double>& f, double scale) {
        each_entry(x, row, f, [&](std::uint32_t column, double value) {
            z[column] += amount * scale * value * col_[column] * col_[column];
        });
    });
}

void Rows::prefetch(std::size_t i) const {
    at(i, [](const auto& x, std::uint32_t row, const Factors<double>&, double) {
        const auto* from = x.columns.data() + x.begin(row);
        for (std::uint32_t line = 0; line < 4; ++line) __builtin_prefetch(from + 16 * line);
    });
}

Descent::Descent(const Rows& rows, const DescentProblem& problem, std::vector<double> alpha)
    : rows_(rows), problem_(problem), alpha_(std::move(alpha)), z_(rows.width()),
      highest_(kInfinity), lowest_(-kInfinity), active_(rows.size()), random_(mix(problem.seed + 1) | 1) {
    std::iota(active_.begin(), active_.end(), 0u);
    double length = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (alpha_[i] == 0) continue;
        if (!problem.squared) alpha_[i] = std::min(alpha_[i], problem.costs[i]);
        const double step = alpha_[i] * problem.labels[i];
        length += step * score(i) + 0.5 * step * step * (curvature(i) - diagonal(i));
        dual_ += alpha_[i] * problem.margins[i];
        if (problem.squared) dual_ -= 0.25 * alpha_[i] * alpha_[i] / problem.costs[i];
        rows.add_to(i, step, z_.data());
        if (problem.bias) bias_ += step;
    }
    dual_ -= length;
}

double Descent::curvature(std::size_t i) const {
    return problem_.squares[i] + (problem_.bias ? 1.0 : 0.0) + diagonal(i);
}

// What squaring the loss adds to the dual's diagonal.
double Descent::diagonal(std::size_t i) const { return problem_.squared ? 0.5 / problem_.costs[i] : 0.0; }

// What row i adds to primal − dual: cost·loss − α·(margin − t) [+ α²/4·cost], never below 0.
double Descent::gap_of(std::size_t i, double score) const {
    const double slack = problem_.margins[i] - problem_.labels[i] * score;
    const double loss = std::max(0.0, slack);
    if (!problem_.squared) return problem_.costs[i] * loss - alpha_[i] * slack;
    return problem_.costs[i] * loss * loss - alpha_[i] * slack + 0.5 * diagonal(i) * alpha_[i] * alpha_[i];
}

void Descent::move(std::size_t i, double step) {
    rows_.add_to(i, step * problem_.labels[i], z_.data());
    if (problem_.bias) bias_ += step * problem_.labels[i];
    alpha_[i] += step;
}

void Descent::shuffle() {
    for (std::size_t i = active_.size(); i > 1; --i) {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        std::swap(active_[i - 1], active_[(random_ >> 11) % i]);
    }
}

DescentState Descent::epoch() {
    shuffle();
    double gap = 0, highest = -kInfinity, lowest = kInfinity;
    for (std::size_t turn = 0; turn < active_.size();) {
        if (turn + kAhead < active_.size()) rows_.prefetch(active_[turn + kAhead]);
        const auto i = active_[turn];
        const double cost = problem_.squared ? kInfinity : problem_.costs[i];
        const double now = score(i);
        gap += gap_of(i, now);
        ++visits_;
        const double gradient = problem_.labels[i] * now - problem_.margins[i] + diagonal(i) * alpha_[i];
        const bool at_bottom = alpha_[i] <= 0, at_top = alpha_[i] >= cost;
        if ((at_bottom && gradient > highest_) || (at_top && gradient < lowest_)) {
            std::swap(active_[turn], active_.back());
            active_.pop_back();
            continue;
        }
        ++turn;
        const double projected = at_bottom ? std::min(gradient, 0.0) : at_top ? std::max(gradient, 0.0) : gradient;
        highest = std::max(highest, projected);
        lowest = std::min(lowest, projected);
        if (projected == 0) continue;
        const double bend = curvature(i);
        // A row without entries has no curvature: its multiplier goes all the way.
        const double target = bend > 0 ? alpha_[i] - gradient / bend : gradient < 0 ? cost : 0.0;
        const double step = std::clamp(target, 0.0, cost) - alpha_[i];
        dual_ -= step * (gradient + 0.5 * step * bend);
        move(i, step);
    }
    highest_ = highest <= 0 ? kInfinity : highest;
    lowest_ = lowest >= 0 ? -kInfinity : lowest;
    return {dual_ + gap, dual_, visits_};
}

DescentState Descent::check() {
    double gap = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) gap += gap_of(i, score(i));
    visits_ += rows_.size();
    active_.resize(rows_.size());
    std::iota(active_.begin(), active_.end(), 0u);
    highest_ = kInfinity;
    lowest_ = -kInfinity;
    return {dual_ + gap, dual_, visits_};
}

}  // namespace likewise
