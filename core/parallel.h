// Splitting work over threads. Callers cut their work so that results do not depend on how many.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace likewise {

// Runs task(i) for i in [0, count), each on some thread; the first exception is passed on. Where a
// thread cannot be started, for want of memory or by a limit on processes, the others do its work.
template <class Task>
void parallel(std::size_t count, unsigned threads, Task&& task) {
    const std::size_t workers = std::min<std::size_t>(std::max(threads, 1u), count);
    if (workers <= 1) {
        for (std::size_t i = 0; i < count; ++i) task(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    auto work = [&] {
        try {
            for (std::size_t i = next++; i < count && !failed; i = next++) task(i);
        } catch (...) {
            if (!failed.exchange(true)) error = std::current_exception();
        }
    };
    std::vector<std::thread> pool;
    try {
        pool.reserve(workers - 1);
        for (std::size_t i = 1; i < workers; ++i) pool.emplace_back(work);
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    work();
    for (auto& thread : pool) thread.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace likewise
