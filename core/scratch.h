// Memory that is used again: fresh pages cost more than the sums that go into them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
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
        if (values_.capacity() == 0 || values_.capacity() > kLargest) return;
        const std::lock_guard lock(mutex());
        if (pool().size() < kMost) pool().push_back(std::move(values_));
    }

    double* zeros(std::size_t size) {
        borrow();
        values_.assign(size, 0.0);
        return values_.data();
    }
    template <class T>
    T* filled(std::size_t size, T value) {
        T* begin = lines<T>(size);
        std::fill_n(begin, size, value);
        return begin;
    }
    // Room for so many numbers of any value, from the beginning of a cache line on.
    template <class T>
    T* lines(std::size_t size) {
        borrow();
        const auto needed = (size * sizeof(T) + kLine) / sizeof(double) + 1;
        if (values_.size() < needed) values_ = std::vector<double>(needed);
        void* begin = values_.data();
        auto room = values_.size() * sizeof(double);
        return static_cast<T*>(std::align(kLine, size * sizeof(T), begin, room));
    }
    double operator[](std::size_t i) const { return values_[i]; }

private:
    static constexpr std::size_t kMost = 16;
    static constexpr std::size_t kLargest = std::size_t{1} << 23;  // doubles: larger ones are not kept
    static constexpr std::size_t kLine = 64;

    void borrow() {
        const std::lock_guard lock(mutex());
        if (pool().empty()) return;
        values_ = std::move(pool().back());
        pool().pop_back();
    }
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
