// Σ max(0, slack + k·change) along a line.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace likewise {

struct HingeLine {
    std::vector<double> slopes, values;  // at k = 1/points, 2/points … 1
};

// Each document is a member before or after one point: what it adds belongs to the bucket of that.
HingeLine hinge_line(std::span<const double> slack, std::span<const double> change, std::size_t points);

}  // namespace likewise
