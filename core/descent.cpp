#include "descent.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "gathered.h"
#include "parallel.h"
#include "rowdot.h"
#include "scratch.h"

namespace likewise {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kRunRows = 32;       // neighbours that are visited together
constexpr std::size_t kFew = 8;            // a side is few if the other has more than this many times its rows
constexpr std::size_t kFewTurns = 4;       // and then has at most so many turns during a round, and ...
constexpr std::size_t kLastTurns = 2;      // ... so many at its end
constexpr std::size_t kFewShare = 16;      // of all visits during a round, about one of so many is to the few
constexpr double kAside = 0.25;            // of the largest gradient: rows at a bound with more are put aside, but ...
constexpr std::size_t kRash = 10;          // ... only with more than the largest from this round on
constexpr std::size_t kSums = 4;           // parts that a sum over many rows consists of
constexpr std::size_t kManyRows = 512;
constexpr std::size_t kStripe = 8192;      // columns that one thread merges at a time
constexpr std::size_t kCheckedRows = 256;  // that one thread checks at a time
constexpr std::uint32_t kFetched = 48;     // entries of a row that is visited soon, and ...
constexpr std::uint32_t kLine = 8;         // ... those on a cache line
constexpr std::size_t kAhead = 2;          // turns

const std::vector<double> kIdentity{0, 1};

}  // namespace

Descent::Descent(const Rows& rows, std::shared_ptr<const Gathered> copy, const DescentProblem& problem,
                 std::span<const double> alpha, std::span<const double> w, unsigned threads)
    : gathered_(std::move(copy)), rows_(gathered_ ? &gathered_->rows() : &rows), plain_(rows_->plain()),
      squared_(problem.squared), has_bias_(problem.bias), threads_(threads),
      z_(w.empty() ? std::vector<double>(rows_->width())
         : gathered_ ? gathered_->narrowed(w)
                     : std::vector<double>(w.begin(), w.end())),
      shuffle_(problem.seed) {
    const auto size = problem.places.size();
    std::vector<std::uint32_t> sides[2];
    terms_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double diagonal = squared_ ? 0.5 / problem.costs[i] : 0.0;
        const double bend = problem.squares[i] + (has_bias_ ? 1.0 : 0.0) + diagonal;
        const auto place = problem.places[i];
        const auto [row, scale] = plain_ ? rows_->place(place) : std::pair{place, 1.0};
        terms_.push_back({alpha[i], problem.labels[i], problem.margins[i], problem.costs[i], diagonal, bend, scale, row});
        dual_ += alpha[i] * problem.margins[i];
        if (squared_) dual_ -= 0.25 * alpha[i] * alpha[i] / problem.costs[i];
        if (has_bias_) bias_ += alpha[i] * problem.labels[i];
        sides[problem.labels[i] > 0].push_back(static_cast<std::uint32_t>(i));
    }
    for (const double weight : w) dual_ -= 0.5 * weight * weight;
    dual_ -= 0.5 * bias_ * bias_;
    rows_->scale(z_.data());
    const bool upper = sides[1].size() < sides[0].size();
    if (sides[upper].size() * kFew < size) {
        few_ = std::move(sides[upper]);
        many_ = std::move(sides[!upper]);
    } else {
        many_.resize(size);
        std::iota(many_.begin(), many_.end(), 0u);
    }
    active_ = many_;
    few_active_ = few_;
}

Descent::~Descent() = default;

std::vector<double> Descent::alpha() const {
    std::vector<double> found(terms_.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = terms_[i].alpha;
    return found;
}

LIKEWISE_INLINE double Descent::product(std::size_t i) const {
    const auto& term = terms_[i];
    if (!plain_) return rows_->dot(term.row, z_.data());
    return term.scale * row_dot(*plain_, term.row, z_.data(), Factors<double>{kIdentity.data(), nullptr});
}

// What row i adds to primal − dual: cost·loss − α·(margin − t) [+ α²/4·cost], never below 0.
LIKEWISE_INLINE double Descent::gap_of(const Term& term, double score) const {
    const double slack = term.margin - term.label * score;
    const double loss = std::max(0.0, slack);
    if (!squared_) return term.cost * loss - term.alpha * slack;
    return term.cost * loss * loss - term.alpha * slack + 0.5 * term.diagonal * term.alpha * term.alpha;
}

LIKEWISE_INLINE void Descent::add_row(std::size_t i, double amount, double* z) const {
    const auto& term = terms_[i];
    if (!plain_) return rows_->add_to(term.row, amount, z);
    const double factor = amount * term.scale;
    for (auto p = plain_->begin(term.row), end = plain_->end(term.row); p < end; ++p)
        z[plain_->columns[p]] += factor * plain_->values[p];
}

LIKEWISE_INLINE void Descent::move(std::size_t i, double step) {
    auto& term = terms_[i];
    add_row(i, step * term.label, z_.data());
    if (has_bias_) bias_ += step * term.label;
    term.alpha += step;
}

LIKEWISE_INLINE double Descent::gradient_of(const Term& term, double score) {
    return term.label * score - term.margin + term.diagonal * term.alpha;
}

LIKEWISE_INLINE double Descent::cap(const Term& term) const { return squared_ ? kInfinity : term.cost; }

LIKEWISE_INLINE bool Descent::settled(const Term& term, double gradient) const {
    return (term.alpha <= 0 && gradient > highest_) || (term.alpha >= cap(term) && gradient < lowest_);
}

Descent::Visit Descent::visit(std::size_t i) {
    ++visits_;
    const auto& term = terms_[i];
    const double cost = cap(term), alpha = term.alpha;
    const double now = product(i) + bias_;
    const double gap = gap_of(term, now);
    const double gradient = gradient_of(term, now);
    if (settled(term, gradient)) return {gap, true};
    const double projected = alpha <= 0      ? std::min(gradient, 0.0)
                             : alpha >= cost ? std::max(gradient, 0.0)
                                             : gradient;
    next_highest_ = std::max(next_highest_, projected);
    next_lowest_ = std::min(next_lowest_, projected);
    if (projected == 0) return {gap, false};
    // A row without entries has no curvature: its multiplier goes all the way.
    const double target = term.bend > 0 ? alpha - gradient / term.bend : gradient < 0 ? cost : 0.0;
    const double step = std::clamp(target, 0.0, cost) - alpha;
    dual_ -= step * (gradient + 0.5 * step * term.bend);
    move(i, step);
    return {gap, false};
}

// Asks for the beginning of a row that is visited soon; the CPU goes on from there by itself.
LIKEWISE_INLINE void Descent::fetch(std::size_t i) const {
    if (!plain_) return;
    const auto begin = plain_->begin(terms_[i].row), end = plain_->end(terms_[i].row);
    for (auto p = begin; p < std::min(end, begin + kFetched); p += kLine) {
        __builtin_prefetch(&plain_->columns[p]);
        __builtin_prefetch(&plain_->values[p]);
    }
}

std::uint32_t Descent::next_of_few() {
    if (turns_.empty()) {
        turns_ = few_active_;
        shuffle_(turns_);
    }
    const auto next = turns_.back();
    turns_.pop_back();
    if (!turns_.empty()) fetch(turns_.back());
    return next;
}

double Descent::visit_all_few() {
    double gap = 0;
    turns_.clear();
    std::size_t left = 0;
    for (auto visits = few_active_.size(); visits > 0; --visits) {
        const auto i = next_of_few();
        const auto seen = visit(i);
        gap += seen.gap;
        if (!seen.settled) few_active_[left++] = i;  // those before are among the turns already
    }
    few_active_.resize(left);
    return gap;
}

DescentState Descent::epoch() {
    summed_ = false;
    next_highest_ = -kInfinity;
    next_lowest_ = kInfinity;
    double gap = 0, few_gap = 0;
    std::vector<char> settled(active_.size());
    const std::size_t runs = (active_.size() + kRunRows - 1) / kRunRows;
    const auto turns = std::clamp<std::size_t>(active_.size() / (kFewShare * few_active_.size() + 1), 1, kFewTurns);
    const auto few_visits = turns * few_active_.size();
    std::size_t few_done = 0, done = 0;
    for (const auto run : shuffle_.order(runs)) {
        for (const auto until = few_visits * ++done / runs; few_done < until; ++few_done) visit(next_of_few());
        const auto first = run * kRunRows, last = std::min(active_.size(), first + kRunRows);
        for (auto turn = first; turn < last; ++turn) {
            if (turn + kAhead < last) fetch(active_[turn + kAhead]);
            const auto seen = visit(active_[turn]);
            gap += seen.gap;
            settled[turn] = seen.settled;
        }
    }
    for (std::size_t turn = 0; turn < kLastTurns; ++turn) few_gap = visit_all_few();
    gap += few_gap;
    std::size_t left = 0;
    for (std::size_t turn = 0; turn < active_.size(); ++turn)
        if (!settled[turn]) active_[left++] = active_[turn];
    active_.resize(left);
    if (++rounds_ == kRash) {
        active_ = many_;
        few_active_ = few_;
    }
    const double aside = rounds_ < kRash ? kAside : 1.0;
    highest_ = next_highest_ <= 0 ? kInfinity : aside * next_highest_;
    lowest_ = next_lowest_ >= 0 ? -kInfinity : aside * next_lowest_;
    return {dual_ + gap, dual_, visits_};
}

// In parts whose number never depends on threads.
void Descent::add_up() {
    const auto size = terms_.size(), width = z_.size(), parts = size < kManyRows ? 1 : kSums;
    Scratch room;
    double* sums = room.zeros((parts - 1) * width);
    std::fill(z_.begin(), z_.end(), 0.0);
    const auto add = [&](std::size_t part) {
        double* into = part == 0 ? z_.data() : sums + (part - 1) * width;
        for (auto i = size * part / parts, last = size * (part + 1) / parts; i < last; ++i)
            if (terms_[i].alpha != 0) add_row(i, terms_[i].alpha * terms_[i].label, into);
    };
    const auto stripes = (width + kStripe - 1) / kStripe;
    parallel_steps<2>({parts, parts > 1 ? stripes : 0}, threads_, [&](std::size_t step, std::size_t i) {
        if (step == 0) return add(i);
        for (auto j = i * kStripe, last = std::min(width, j + kStripe); j < last; ++j)
            z_[j] = (z_[j] + sums[j]) + (sums[width + j] + sums[2 * width + j]);
    });
    summed_ = true;
}

DescentState Descent::check() {
    add_up();
    const auto size = terms_.size();
    scores_.resize(size);
    parallel((size + kCheckedRows - 1) / kCheckedRows, threads_, [&](std::size_t block) {
        const auto last = std::min(size, (block + 1) * kCheckedRows);
        for (auto i = block * kCheckedRows; i < last; ++i) scores_[i] = product(i);
    });
    bias_ = 0;
    if (has_bias_)
        for (const auto& term : terms_) bias_ += term.alpha * term.label;
    double gap = 0;
    dual_ = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const auto& term = terms_[i];
        const double now = scores_[i] + bias_;
        gap += gap_of(term, now);
        // ‖w‖² + b² is Σ α·label·score.
        dual_ += term.alpha * (term.margin - 0.5 * (term.label * now + term.diagonal * term.alpha));
    }
    few_active_ = few_;
    active_.clear();
    for (const auto i : many_)
        if (!settled(terms_[i], gradient_of(terms_[i], scores_[i] + bias_))) active_.push_back(i);
    rounds_ = std::max(rounds_, kRash);  // if it was too early, rows were put aside too early
    visits_ += size;
    return {dual_ + gap, dual_, visits_};
}

std::vector<double> Descent::sum() {
    if (!summed_) add_up();
    auto w = z_;
    rows_->unscale(w.data());
    return gathered_ ? gathered_->widened(w) : w;
}

}  // namespace likewise
