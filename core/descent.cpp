#include "descent.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

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

template <class View>
double dot_entries(const View& x, std::uint32_t row, const Factors<double>& f, const double* z) {
    double sum = row_dot(x, row, z, f);
    each_large(x, row, row + 1, z, f, [&](std::size_t, double amount) { sum += amount; });
    return sum;
}

template <class Add>
void each_value(const ArrayView& x, std::size_t row, const Factors<double>&, Add&& add) {
    const double* values = x.row(row);
    for (std::uint32_t column = 0; column < x.width; ++column) add(column, values[column]);
}

double dot_entries(const ArrayView& x, std::uint32_t row, const Factors<double>&, const double* z) {
    const double* values = x.row(row);
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    std::size_t j = 0;
    for (; j + 4 <= x.width; j += 4) {
        s0 += values[j] * z[j];
        s1 += values[j + 1] * z[j + 1];
        s2 += values[j + 2] * z[j + 2];
        s3 += values[j + 3] * z[j + 3];
    }
    for (; j < x.width; ++j) s0 += values[j] * z[j];
    return (s0 + s1) + (s2 + s3);
}

const std::vector<double> kIdentity{0, 1};

template <class View>
constexpr bool kDense = std::is_same_v<View, FloatRows> || std::is_same_v<View, ByteRows>;
template <class View>
constexpr bool kWhole = kDense<View> || std::is_same_v<View, ArrayView>;  // rows have every column

}  // namespace

Rows::Rows(std::span<const double> col, std::size_t size, std::size_t layers)
    : col_(col), size_(size), layers_(layers, Layer{std::vector<Row>(size)}) {
    unit_ = std::all_of(col.begin(), col.end(), [](double factor) { return factor == 1; });
}

void Rows::add(Part part, const Chosen& chosen) {
    const auto number = static_cast<std::uint32_t>(parts_.size());
    part.first = chosen.first;
    auto& layer = layers_[chosen.layer];
    std::visit(
        [&]<class View>(const View& x) {
            if constexpr (kWhole<View>) {
                layer.first = chosen.first;
                layer.width = x.width;
            }
        },
        part.matrix);
    parts_.push_back(std::move(part));
    for (std::size_t i = 0; i < chosen.ids.size(); ++i)
        layer.rows[chosen.places[i]] = {number, chosen.ids[i], chosen.scale[i]};
}

void Rows::add(const AnyCounts& any, std::span<const double> table, std::span<const double> large,
               const Chosen& chosen) {
    std::vector<double> own(table.begin(), table.end());
    own[kLarge] = 0;  // as Factors are
    std::visit([&](const auto& x) { add(Part{x, own, large}, chosen); }, any);
}

void Rows::add(const ValueView& x, const Chosen& chosen) { add(Part{x, kIdentity, {}}, chosen); }
void Rows::add(const DoubleView& x, const Chosen& chosen) { add(Part{x, kIdentity, {}}, chosen); }
void Rows::add(const ArrayView& x, const Chosen& chosen) { add(Part{x, kIdentity, {}}, chosen); }

void Rows::add(const FloatRows& x, const Chosen& chosen) { add(Part{x, {}, {}}, chosen); }
void Rows::add(const ByteRows& x, const Chosen& chosen) { add(Part{x, {}, {}}, chosen); }

template <class Use>
decltype(auto) Rows::at(const Row& row, Use&& use) const {
    const Part& part = parts_[row.part];
    return std::visit([&](const auto& x) { return use(x, part, row); }, part.matrix);
}

double Rows::dot(std::size_t i, const double* z) const {
    double sum = 0;
    for (const auto& layer : layers_)
        sum += at(layer.rows[i], [&]<class View>(const View& x, const Part& part, const Row& row) {
            if constexpr (kDense<View>)
                return row.scale * dense_row_dot(x.row(row.row), z + part.first, x.width);
            else
                return row.scale * dot_entries(x, row.row, part.factors(), z + part.first);
        });
    return sum;
}

void Rows::add_to(std::size_t i, double amount, double* z) const {
    for (const auto& layer : layers_)
        at(layer.rows[i], [&]<class View>(const View& x, const Part& part, const Row& row) {
            double* into = z + part.first;
            if constexpr (kDense<View>) {
                dense_row_add(x.row(row.row), amount * row.scale, into, x.width);
            } else {
                const double* col = col_.data() + part.first;
                const double step = amount * row.scale;
                if (unit_) {
                    each_value(x, row.row, part.factors(), [&](std::uint32_t column, double value)
                                                               LIKEWISE_ALWAYS_INLINE { into[column] += step * value; });
                    return;
                }
                each_value(x, row.row, part.factors(), [&](std::uint32_t column, double value) LIKEWISE_ALWAYS_INLINE {
                    into[column] += step * value * (col[column] * col[column]);
                });
            }
        });
}

const DoubleView* Rows::plain() const {
    return unit_ && parts_.size() == 1 ? std::get_if<DoubleView>(&parts_.front().matrix) : nullptr;
}

std::size_t Rows::sparse_length(std::size_t i) const {
    std::size_t sum = 0;
    for (const auto& layer : layers_) {
        if (layer.dense()) continue;
        sum += at(layer.rows[i], []<class View>(const View& x, const Part&, const Row& row) -> std::size_t {
            if constexpr (kWhole<View>)
                return 0;
            else
                return x.end(row.row) - x.begin(row.row);
        });
    }
    return sum;
}

void Rows::copy_sparse(std::size_t i, std::uint32_t* columns, double* values) const {
    for (const auto& layer : layers_) {
        if (layer.dense()) continue;
        at(layer.rows[i], [&]<class View>(const View& x, const Part& part, const Row& row) {
            if constexpr (!kWhole<View>) {
                const auto first = static_cast<std::uint32_t>(part.first);
                each_value(x, row.row, part.factors(), [&](std::uint32_t column, double value) LIKEWISE_ALWAYS_INLINE {
                    *columns++ = first + column;
                    *values++ = row.scale * value;
                });
            }
        });
    }
}

std::size_t Rows::dense_layers() const {
    const auto dense = [](const Layer& layer) { return layer.dense(); };
    return static_cast<std::size_t>(std::count_if(layers_.begin(), layers_.end(), dense));
}

std::vector<std::uint32_t> Rows::dense_columns() const {
    std::vector<std::uint32_t> found;
    for (const auto& layer : layers_)
        for (std::size_t c = 0; c < layer.width; ++c) found.push_back(static_cast<std::uint32_t>(layer.first + c));
    return found;
}

void Rows::add_dense_from(const Rows& other, std::size_t first) {
    std::size_t number = 1;
    for (const auto& layer : other.layers_) {
        if (!layer.dense()) continue;
        auto& own = layers_[number++];
        own = layer;
        own.first = first;
        for (auto& row : own.rows) row.part += static_cast<std::uint32_t>(parts_.size());
        for (auto part : other.parts_) {
            part.first = first;
            parts_.push_back(std::move(part));
        }
        first += layer.width;
    }
}

void Rows::scale(double* w) const {
    for (std::size_t column = 0; column < col_.size(); ++column) w[column] *= col_[column];
}

void Rows::unscale(double* z) const {
    if (unit_) return;
    for (std::size_t column = 0; column < col_.size(); ++column)
        if (z[column] != 0) z[column] /= col_[column];
}

std::vector<double> Rows::weighted_sum(std::span<const double> weights) const {
    std::vector<double> z(col_.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] != 0) add_to(i, weights[i], z.data());
    unscale(z.data());
    return z;
}

Descent::Descent(const Rows& rows, const DescentProblem& problem, std::span<const double> alpha,
                 std::span<const double> w, unsigned threads)
    : gathered_(Gathered::of(rows, threads)), rows_(gathered_ ? &gathered_->rows() : &rows), plain_(rows_->plain()),
      squared_(problem.squared), has_bias_(problem.bias), threads_(threads),
      z_(gathered_ ? gathered_->narrowed(w) : std::vector<double>(w.begin(), w.end())), shuffle_(problem.seed) {
    terms_.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double diagonal = squared_ ? 0.5 / problem.costs[i] : 0.0;
        const double bend = problem.squares[i] + (has_bias_ ? 1.0 : 0.0) + diagonal;
        const auto [row, scale] = plain_ ? rows_->place(i) : std::pair{0u, 0.0};
        terms_.push_back({alpha[i], problem.labels[i], problem.margins[i], problem.costs[i], diagonal, bend, scale, row});
        dual_ += alpha[i] * problem.margins[i];
        if (squared_) dual_ -= 0.25 * alpha[i] * alpha[i] / problem.costs[i];
        if (has_bias_) bias_ += alpha[i] * problem.labels[i];
    }
    for (const double weight : w) dual_ -= 0.5 * weight * weight;
    dual_ -= 0.5 * bias_ * bias_;
    rows_->scale(z_.data());
    std::vector<std::uint32_t> sides[2];
    for (std::size_t i = 0; i < rows.size(); ++i)
        sides[problem.labels[i] > 0].push_back(static_cast<std::uint32_t>(i));
    const bool upper = sides[1].size() < sides[0].size();
    if (sides[upper].size() * kFew < rows.size()) {
        few_ = std::move(sides[upper]);
        many_ = std::move(sides[!upper]);
    } else {
        many_.resize(rows.size());
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
    if (!plain_) return rows_->dot(i, z_.data());
    const auto& term = terms_[i];
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
    if (!plain_) return rows_->add_to(i, amount, z);
    const auto& term = terms_[i];
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
