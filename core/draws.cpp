#include "draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "parallel.h"
#include "require.h"

namespace likewise {

namespace {

constexpr std::size_t kFirstBlock = 128, kLargestBlock = 1 << 14;
constexpr std::size_t kShare = 1024;    // draws or rows that a thread takes at a time
constexpr std::uint64_t kPatience = 2;  // draws a row before all rows are scored
// A chance below the least number that a draw's luck can be, 2^-53, is none: e^-37 is below it.
constexpr double kFar = 37;

std::uint64_t splitmix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

double close_chance(double t) { return 2 / (1 + std::exp(std::abs(t))); }
double correct_chance(double t) { return std::tanh(0.5 * std::max(0.0, 1 - t)); }  // 1 − 2/(1 + e^[1 − t]+)

std::size_t in_range(double luck, std::size_t size) {
    return std::min(static_cast<std::size_t>(luck * static_cast<double>(size)), size - 1);
}

// Where luck, from 0 to 1, falls among running sums.
std::size_t among(std::span<const double> sums, double luck) {
    const auto at = std::upper_bound(sums.begin(), sums.end(), luck * sums.back());
    return std::min(static_cast<std::size_t>(at - sums.begin()), sums.size() - 1);
}

}  // namespace

double chance(Strategy strategy, double t) {
    switch (strategy) {
        case Strategy::random: return 1;
        case Strategy::close: return close_chance(t);
        case Strategy::correct: return correct_chance(t);
    }
    return 0;
}

// The pairs that can be accepted at all: for each upper row, a range of the sorted lower ones.
class Draws::Window {
public:
    Window(const Population& population, Strategy strategy, std::vector<double> scores)
        : upper_(population.upper), scores_(std::move(scores)), order_(population.lower), sums_(population.lower + 1) {
        std::iota(order_.begin(), order_.end(), static_cast<std::uint32_t>(upper_));
        std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return scores_[a] < scores_[b] || (scores_[a] == scores_[b] && a < b);
        });
        for (std::size_t place = 0; place < order_.size(); ++place)
            sums_[place + 1] = sums_[place] + weight(population.lower_sums, order_[place] - upper_);
        const double least = strategy == Strategy::correct ? -std::numeric_limits<double>::infinity() : -kFar;
        const double most = strategy == Strategy::close ? kFar : 1;
        double all = 0, total = 0;
        for (std::size_t row = 0; row < upper_; ++row) {
            const auto first = place_of(scores_[row] - most, true), last = place_of(scores_[row] - least, false);
            ranges_.push_back({first, std::max(first, last)});
            const double mine = weight(population.upper_sums, row);
            all += mine * sums_.back();
            total += mine * (sums_[ranges_.back().last] - sums_[first]);
            upper_sums_.push_back(total);
        }
        share_ = all > 0 ? total / all : 0;
    }
    double share() const { return share_; }
    double score(std::uint32_t row) const { return row == kNobody ? 0.0 : scores_[row]; }
    Pair draw(double luck, double other_luck) const {
        const auto row = among(upper_sums_, luck);
        const auto [first, last] = ranges_[row];
        const double goal = sums_[first] + other_luck * (sums_[last] - sums_[first]);
        const auto at = std::upper_bound(sums_.begin() + first, sums_.begin() + last, goal) - sums_.begin() - 1;
        const auto place = std::clamp<std::ptrdiff_t>(at, first, std::max(first, last - 1));
        return {static_cast<std::uint32_t>(row), order_[static_cast<std::size_t>(place)]};
    }

private:
    struct Range {
        std::ptrdiff_t first, last;
    };
    static double weight(const std::vector<double>& running, std::size_t i) {
        if (running.empty()) return 1;
        return i == 0 ? running[0] : running[i] - running[i - 1];
    }
    // How many lower rows score below a bound, or at it as well.
    std::ptrdiff_t place_of(double bound, bool at_it) const {
        const auto less = [&](std::uint32_t row, double b) { return at_it ? scores_[row] <= b : scores_[row] < b; };
        return std::lower_bound(order_.begin(), order_.end(), bound, less) - order_.begin();
    }

    std::size_t upper_;
    std::vector<double> scores_;
    std::vector<std::uint32_t> order_;
    std::vector<double> sums_, upper_sums_;
    std::vector<Range> ranges_;
    double share_ = 0;
};

Draws::Draws(Population population, std::uint64_t seed, unsigned threads)
    : population_(std::move(population)), seed_(splitmix(seed)), threads_(threads) {}

double Draws::uniform(std::uint64_t draw, std::uint64_t which) const {
    return static_cast<double>(splitmix(seed_ ^ splitmix(4 * draw + which)) >> 11) * 0x1p-53;
}

std::uint32_t Draws::upper(double luck) const {
    const auto& p = population_;
    return static_cast<std::uint32_t>(p.upper_sums.empty() ? in_range(luck, p.upper) : among(p.upper_sums, luck));
}

std::uint32_t Draws::lower(double luck) const {
    const auto& p = population_;
    const auto place = p.lower_sums.empty() ? in_range(luck, p.lower) : among(p.lower_sums, luck);
    return static_cast<std::uint32_t>(p.upper + place);
}

Pair Draws::any(std::uint64_t number) const { return {upper(uniform(number, 1)), lower(uniform(number, 2))}; }

// A row of either side, the sides being equally likely.
Pair Draws::point(std::uint64_t number) const {
    if (uniform(number, 1) < 0.5) return {upper(uniform(number, 2)), kNobody};
    return {kNobody, lower(uniform(number, 2))};
}

Pair Draws::sample(std::uint64_t number) const {
    if (uniform(number, 0) < population_.gamma) return any(number);
    const double share = static_cast<double>(population_.upper) / static_cast<double>(population_.rows());
    if (uniform(number, 1) < share) return {upper(uniform(number, 2)), kNobody};
    return {kNobody, lower(uniform(number, 2))};
}

Draws::Draw Draws::draw(std::uint64_t number, const PairDescent& model, Strategy strategy,
                        const Window* window) const {
    const double gamma = exhausted(true) ? 1 : exhausted(false) ? 0 : population_.gamma;
    // Pairs outside the window are passed over, and counted as if they had been drawn.
    const double inside = window ? gamma * window->share() + (1 - gamma) : 1;
    const bool is_pair = uniform(number, 0) * inside < (window ? gamma * window->share() : gamma);
    Draw out{};
    out.pair = !is_pair ? point(number)
               : window ? window->draw(uniform(number, 1), uniform(number, 2))
                        : any(number);
    out.luck = uniform(number, 3);
    if (inside < 1) {
        const double luck = 1 - uniform(~number, 0);
        out.skipped = static_cast<std::uint64_t>(std::min(std::log(luck) / std::log1p(-inside), 1e15));
    }
    if (strategy == Strategy::random) {
        out.chance = 1;
        return out;
    }
    const auto score = [&](std::uint32_t row) { return window ? window->score(row) : model.score(row); };
    double t = score(out.pair.upper) - score(out.pair.lower);
    if (out.pair.alone()) t -= out.pair.sign() * model.theta();
    out.chance = chance(strategy, t);
    return out;
}

bool Draws::exhausted(bool points) const {
    const auto& p = population_;
    if (points) return p.gamma >= 1 || chosen_points_ >= p.rows();
    return p.gamma <= 0 || chosen_.size() - chosen_points_ >= std::uint64_t{p.upper} * p.lower;
}

bool Draws::take(const Pair& pair) {
    if (!chosen_.insert(key(pair)).second) return false;
    chosen_points_ += pair.alone();
    return true;
}

Batch Draws::soft(const PairDescent& model, Strategy strategy, std::size_t count, std::uint64_t most) {
    Batch batch;
    std::optional<Window> window;
    std::vector<Draw> drawn;
    std::size_t block = kFirstBlock;
    // A batch mostly needs as many draws as the last one did, and a draw scores two rows.
    const std::uint64_t patience = 2 * last_draws_ >= population_.rows() ? 0 : kPatience * population_.rows();
    for (std::uint64_t made = 0; batch.pairs.size() < count && made < most;) {
        if (exhausted(true) && exhausted(false)) break;
        if (!window && strategy != Strategy::random && made >= patience) {
            window.emplace(population_, strategy, scores(model));
            if (window->share() <= 0 && exhausted(true)) break;
        }
        drawn.resize(std::min<std::uint64_t>(block, most - made));
        const auto* within = window ? &*window : nullptr;
        parallel((drawn.size() + kShare - 1) / kShare, threads_, [&](std::size_t share) {
            for (auto i = share * kShare; i < std::min(drawn.size(), (share + 1) * kShare); ++i)
                drawn[i] = draw(next_ + i, model, strategy, within);
        });
        const auto left = [&] { return std::pair(exhausted(true), exhausted(false)); };
        const auto before = left();
        std::size_t used = 0;
        while (used < drawn.size() && batch.pairs.size() < count) {
            const auto& one = drawn[used++];
            batch.rejected += one.skipped;
            if (!(one.luck < one.chance)) {
                ++batch.rejected;
            } else if (take(one.pair)) {
                batch.pairs.push_back(one.pair);
                batch.chances.push_back(one.chance);
                if (left() != before) break;  // one kind has come to its end, so draws change
            }
        }
        next_ += used;
        made += used;
        block = std::min(2 * block, kLargestBlock);
    }
    last_draws_ = batch.rejected + batch.pairs.size();
    return batch;
}

std::vector<double> Draws::scores(const PairDescent& model) const {
    std::vector<double> out(population_.rows());
    parallel((out.size() + kShare - 1) / kShare, threads_, [&](std::size_t share) {
        for (auto i = share * kShare; i < std::min(out.size(), (share + 1) * kShare); ++i)
            out[i] = model.score(static_cast<std::uint32_t>(i));
    });
    // Sorting needs numbers that can be compared.
    require(std::all_of(out.begin(), out.end(), [](double score) { return std::isfinite(score); }),
            "a row's score is NaN or infinite");
    return out;
}

Batch Draws::hard(const PairDescent& model, Strategy strategy, std::size_t count) {
    const bool close = strategy == Strategy::close;
    const auto all = scores(model);
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < count; ++i) pairs += uniform(next_++, 0) < population_.gamma;
    const std::span<const double> every(all);
    Batch batch;
    batch.pairs = hardest(every.first(population_.upper), every.subspan(population_.upper), close, pairs, chosen_);
    std::vector<std::pair<double, Pair>> points;
    for (std::uint32_t row = 0; pairs < count && row < all.size(); ++row) {
        const Pair pair = row < population_.upper ? Pair{row, kNobody} : Pair{kNobody, row};
        if (chosen_.contains(key(pair))) continue;
        const double t = pair.sign() * (all[row] - model.theta());
        points.emplace_back(close ? std::abs(t) : t, pair);
    }
    const auto wanted = std::min(points.size(), count - pairs);
    const auto harder = [](const auto& a, const auto& b) {
        return a.first < b.first || (a.first == b.first && key(a.second) < key(b.second));
    };
    std::partial_sort(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(wanted), points.end(), harder);
    for (std::size_t i = 0; i < wanted; ++i) batch.pairs.push_back(points[i].second);
    for (const auto& pair : batch.pairs) take(pair);
    batch.chances.assign(batch.pairs.size(), 1);
    return batch;
}

}  // namespace likewise
