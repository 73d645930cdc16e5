// Splitting work over threads. Callers cut their work so that results do not depend on how many.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>

namespace likewise {

// Calls work(context) here and, while it runs, on up to `helpers` threads of a pool: they live on, for
// starting one costs as much as a short pass. Where one cannot be started, for want of memory or by
// a limit on processes, the others do its work. `work` must not throw.
void with_helpers(std::size_t helpers, void (*work)(void*), void* context);

// Runs task(i) for i in [0, count), each on some thread; the first exception is passed on.
template <class Task>
void parallel(std::size_t count, unsigned threads, Task&& task) {
    if (threads <= 1 || count <= 1) {
        for (std::size_t i = 0; i < count; ++i) task(i);
        return;
    }
    struct Shared {
        std::remove_reference_t<Task>& task;
        std::size_t count;
        std::atomic<std::size_t> next{0};
        std::atomic<bool> failed{false};
        std::exception_ptr error{};
    } shared{task, count};
    const auto work = [](void* context) {
        auto& own = *static_cast<Shared*>(context);
        try {
            for (auto i = own.next++; i < own.count && !own.failed; i = own.next++) own.task(i);
        } catch (...) {
            if (!own.failed.exchange(true)) own.error = std::current_exception();
        }
    };
    with_helpers((count < threads ? count : threads) - 1, work, std::addressof(shared));
    if (shared.error) std::rethrow_exception(shared.error);
}

}  // namespace likewise
