#include "hinge_line.h"

#include <algorithm>

namespace likewise {

namespace {

struct Sum {
    double slack = 0, change = 0;
    void add(double s, double c) {
        slack += s;
        change += c;
    }
};

}  // namespace

HingeLine hinge_line(std::span<const double> slack, std::span<const double> change, std::size_t points) {
    const auto steps = static_cast<double>(points);
    std::vector<Sum> buckets[2] = {std::vector<Sum>(points + 2), std::vector<Sum>(points + 2)};  // leaving, entering
    double always = 0;
    for (std::size_t i = 0; i < slack.size(); ++i) {
        const double s = slack[i], c = change[i];
        if (c == 0) {
            always += std::max(s, 0.0);
            continue;
        }
        // Those that cross before the line begins are in the first bucket, those after its end in the last.
        const double crossing = std::clamp(-s / c * steps, -1.0, steps);
        buckets[c > 0][crossing < 0 ? 0 : static_cast<std::size_t>(crossing) + 1].add(s, c);
    }
    HingeLine found{std::vector<double>(points), std::vector<double>(points)};
    Sum entered;
    for (std::size_t k = 0; k <= points; ++k) {
        entered.add(buckets[1][k].slack, buckets[1][k].change);
        if (k == 0) continue;
        found.slopes[k - 1] = entered.change;
        found.values[k - 1] = entered.slack;
    }
    Sum staying;
    for (std::size_t k = points; k > 0; --k) {
        staying.add(buckets[0][k + 1].slack, buckets[0][k + 1].change);
        found.slopes[k - 1] += staying.change;
        found.values[k - 1] += staying.slack + static_cast<double>(k) / steps * found.slopes[k - 1] + always;
    }
    return found;
}

}  // namespace likewise
