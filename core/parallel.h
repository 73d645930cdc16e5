// Splitting work over threads. Callers cut their work so that results do not depend on how many.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>

namespace likewise {

constexpr std::size_t kApart = 128;  // bytes: two cache lines, for they are fetched in pairs

// Calls work(context) here and, while it runs, on up to `helpers` threads of a pool: they live on, for
// starting one costs as much as a short pass. Where one cannot be started, for want of memory or by
// a limit on processes, the others do its work. `work` must not throw.
void with_helpers(std::size_t helpers, void (*work)(void*), void* context);

// Returns once done ≥ count, which other threads that are at work will bring about soon.
void await(const std::atomic<std::size_t>& done, std::size_t count);

// In steps, each after all of the one before: task(step, i) for i in [0, counts[step]), each on some
// thread. The first exception is passed on. Threads stay for all steps: calling them costs as much as a
// short step.
template <std::size_t kSteps, class Task>
void parallel_steps(const std::array<std::size_t, kSteps>& counts, unsigned threads, Task&& task) {
    std::size_t most = 0;
    for (const auto count : counts) most = count > most ? count : most;
    if (threads <= 1 || most <= 1) {
        for (std::size_t step = 0; step < kSteps; ++step)
            for (std::size_t i = 0; i < counts[step]; ++i) task(step, i);
        return;
    }
    std::size_t last = kSteps - 1;  // whoever finds nothing left of it to do may go
    while (counts[last] == 0) --last;
    struct Shared {
        std::remove_reference_t<Task>& task;
        const std::array<std::size_t, kSteps>& counts;
        const std::size_t last;
        std::atomic<bool> failed{false};
        std::exception_ptr error{};
        // All threads write these all the time: what they only read is not beside them.
        alignas(kApart) std::array<std::atomic<std::size_t>, kSteps> next{};
        alignas(kApart) std::array<std::atomic<std::size_t>, kSteps> done{};

        // What is left after a failure is counted as done, so that nobody waits for it.
        void run(std::size_t step) {
            for (auto i = next[step]++; i < counts[step]; i = next[step]++) {
                try {
                    if (!failed) task(step, i);
                } catch (...) {
                    if (!failed.exchange(true)) error = std::current_exception();
                }
                if (step < last) ++done[step];
            }
        }
    } shared{task, counts, last};
    const auto work = [](void* context) {
        auto& own = *static_cast<Shared*>(context);
        for (std::size_t step = 0; step < own.last; ++step) {
            own.run(step);
            await(own.done[step], own.counts[step]);
        }
        own.run(own.last);
    };
    with_helpers((most < threads ? most : threads) - 1, work, std::addressof(shared));
    if (shared.error) std::rethrow_exception(shared.error);
}

// The same in one step: task(i) for i in [0, count).
template <class Task>
void parallel(std::size_t count, unsigned threads, Task&& task) {
    parallel_steps<1>({count}, threads, [&](std::size_t, std::size_t i) { task(i); });
}

}  // namespace likewise
