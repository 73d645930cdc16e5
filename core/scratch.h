// Memory that is used again: fresh pages cost more than the sums that go into them.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace likewise {

// Borrows a vector from a pool that all threads share, and gives it back.
class Scratch {
public:
    Scratch() = default;
    Scratch(Scratch&& other) noexcept : values_(std::move(other.values_)) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        if (values_.capacity() == 0) return;
        const std::lock_guard lock(mutex());
        if (pool().size() < kMost) pool().push_back(std::move(values_));
    }

    double* zeros(std::size_t size) {
        {
            const std::lock_guard lock(mutex());
            if (!pool().empty()) {
                values_ = std::move(pool().back());
                pool().pop_back();
            }
        }
        values_.assign(size, 0.0);
        return values_.data();
    }
    double operator[](std::size_t i) const { return values_[i]; }

private:
    static constexpr std::size_t kMost = 16;
    static std::mutex& mutex() {
        static std::mutex one;
        return one;
    }
    static std::vector<std::vector<double>>& pool() {
        static std::vector<std::vector<double>> one = [] {
            std::vector<std::vector<double>> empty;
            empty.reserve(kMost);  // so that giving back cannot fail
            return empty;
        }();
        return one;
    }

    std::vector<double> values_;
};

}  // namespace likewise
