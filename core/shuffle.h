// Random orders, the same on every machine for the same seed (xorshift64, Marsaglia 2003).
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "numbering.h"

namespace likewise {

class Shuffle {
public:
    explicit Shuffle(std::uint64_t seed) : state_(mix(seed + 1) | 1) {}

    void operator()(std::vector<std::uint32_t>& numbers) {
        for (std::size_t i = numbers.size(); i > 1; --i) {
            state_ ^= state_ << 13;
            state_ ^= state_ >> 7;
            state_ ^= state_ << 17;
            std::swap(numbers[i - 1], numbers[(state_ >> 11) % i]);
        }
    }
    // 0 … count−1 in random order.
    std::vector<std::uint32_t> order(std::size_t count) {
        std::vector<std::uint32_t> numbers(count);
        std::iota(numbers.begin(), numbers.end(), 0u);
        (*this)(numbers);
        return numbers;
    }

private:
    std::uint64_t state_;
};

}  // namespace likewise
