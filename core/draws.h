// Which pairs to learn from next: drawn at random, accepted by chance as the current w says, or the
// hardest of all. Rows 0 … upper−1 should rank above the rows behind them.
//
// Shen & Lin, Active Sampling of Pairs and Points for Large-scale Linear Bipartite Ranking:
// algorithms 1 and 2. A draw's number decides what is drawn, so that the number of threads cannot
// change a result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "pairs.h"

namespace likewise {

// By closeness |t| or correctness −[1 − t]+ of a pair's margin t.
enum class Strategy { random, close, correct };

// The chance that a pair of this margin is accepted.
double chance(Strategy strategy, double t);

struct Population {
    std::size_t upper = 0, lower = 0;
    // Running sums of what the rows of a side weigh; empty where all weigh the same.
    std::vector<double> upper_sums, lower_sums;
    double gamma = 1;  // how often a pair is drawn, and not a point
    std::size_t rows() const { return upper + lower; }
};

struct Batch {
    std::vector<Pair> pairs;
    std::vector<double> chances;
    std::uint64_t rejected = 0;  // draws that were not accepted
};

class Draws {
public:
    Draws(Population population, std::uint64_t seed, unsigned threads);

    // Up to `count` pairs, fewer after `most` draws. When they get many, all rows are scored and
    // only pairs that can be accepted are drawn; `rejected` counts those passed over as well.
    Batch soft(const PairDescent& model, Strategy strategy, std::size_t count, std::uint64_t most);
    // Draw `number`, whether or not it was chosen before; points come as often as there are rows of
    // their side.
    Pair sample(std::uint64_t number) const;
    // The `count` pairs of least closeness or correctness, in O(n log n).
    Batch hard(const PairDescent& model, Strategy strategy, std::size_t count);

private:
    class Window;
    struct Draw {
        Pair pair;
        double chance, luck;
        std::uint64_t skipped;
    };
    double uniform(std::uint64_t draw, std::uint64_t which) const;
    std::uint32_t upper(double luck) const;
    std::uint32_t lower(double luck) const;
    Pair any(std::uint64_t number) const;
    Pair point(std::uint64_t number) const;
    Draw draw(std::uint64_t number, const PairDescent& model, Strategy strategy, const Window* window) const;
    bool take(const Pair& pair);
    bool exhausted(bool points) const;
    std::vector<double> scores(const PairDescent& model) const;

    Population population_;
    std::uint64_t seed_, next_ = 0, last_draws_ = 0;
    unsigned threads_;
    std::unordered_set<std::uint64_t> chosen_;
    std::uint64_t chosen_points_ = 0;
};

// The `count` pairs (i, j) with the least upper[i] − lower[j], or the least |upper[i] − lower[j]|,
// that are not taken; ties in the order of the rows. Lower rows are numbered behind the upper.
std::vector<Pair> hardest(std::span<const double> upper, std::span<const double> lower, bool close,
                          std::size_t count, const std::unordered_set<std::uint64_t>& taken);

inline std::uint64_t key(const Pair& pair) { return std::uint64_t{pair.upper} << 32 | pair.lower; }

}  // namespace likewise
