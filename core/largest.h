// The largest of many values, and the k largest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "dispatch.h"

namespace likewise {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// The k largest values offered; `floor` is the smallest of them once there are k.
class Largest {
public:
    explicit Largest(std::size_t k) : k_(k) { heap_.reserve(std::min<std::size_t>(k, 1 << 16)); }

    double floor() const {
        return heap_.size() < k_ ? kNothing : heap_.front();
    }
    void offer(double value) {
        if (heap_.size() < k_) {
            heap_.push_back(value);
            std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
        } else if (value > heap_.front()) {
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
            heap_.back() = value;
            std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
        }
    }

private:
    std::size_t k_;
    std::vector<double> heap_;
};

template <class T>
LIKEWISE_INLINE T largest(const T* values, std::size_t size) {
    T lanes[8];
    std::fill(lanes, lanes + 8, -std::numeric_limits<T>::infinity());
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane)
            lanes[lane] = values[i + lane] > lanes[lane] ? values[i + lane] : lanes[lane];
    for (; i < size; ++i) lanes[0] = std::max(lanes[0], values[i]);
    return *std::max_element(lanes, lanes + 8);
}

}  // namespace likewise
