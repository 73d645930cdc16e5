#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "draws.h"

namespace likewise {

namespace {

std::vector<std::uint32_t> by_score(std::span<const double> scores) {
    std::vector<std::uint32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return scores[a] < scores[b] || (scores[a] == scores[b] && a < b);
    });
    return order;
}

// A pair still to come: an upper row, a place among the sorted lower rows, and which way to go on.
struct Next {
    double value;
    std::uint32_t row, place;
    bool up;
    bool operator<(const Next& other) const {  // of two, the greater comes out of a heap first
        if (value != other.value) return value > other.value;
        return row != other.row ? row > other.row : place > other.place;
    }
};

}  // namespace

// Every upper row meets the lower rows in the order of their scores: from the top down, or from its
// own score outwards both ways. The heap holds the next of each.
std::vector<Pair> hardest(std::span<const double> upper, std::span<const double> lower, bool close,
                          std::size_t count, const std::unordered_set<std::uint64_t>& taken) {
    const auto order = by_score(lower);
    const auto size = static_cast<std::uint32_t>(order.size());
    std::vector<Next> start;
    const auto next = [&](std::uint32_t row, std::uint32_t place, bool up) {
        const double t = upper[row] - lower[order[place]];
        return Next{close ? std::abs(t) : t, row, place, up};
    };
    for (std::uint32_t row = 0; row < upper.size(); ++row) {
        auto place = size;
        if (close) {
            const auto at = std::lower_bound(order.begin(), order.end(), upper[row],
                                             [&](std::uint32_t j, double s) { return lower[j] < s; });
            place = static_cast<std::uint32_t>(at - order.begin());
            if (place < size) start.push_back(next(row, place, true));
        }
        if (place > 0) start.push_back(next(row, place - 1, false));
    }
    std::priority_queue<Next> heap(std::less<Next>(), std::move(start));
    std::vector<Pair> found;
    while (found.size() < count && !heap.empty()) {
        const auto best = heap.top();
        heap.pop();
        if (best.up && best.place + 1 < size) heap.push(next(best.row, best.place + 1, true));
        if (!best.up && best.place > 0) heap.push(next(best.row, best.place - 1, false));
        const Pair pair{best.row, static_cast<std::uint32_t>(upper.size()) + order[best.place]};
        if (!taken.contains(key(pair))) found.push_back(pair);
    }
    return found;
}

}  // namespace likewise
