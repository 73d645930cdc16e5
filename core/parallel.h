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

constexpr std::size_t kRanges = 16;  // that tasks are cut into, at most

// A number that threads raise all the time: nothing that others use is beside it.
struct alignas(kApart) Tally {
    std::atomic<std::size_t> number{0};
};

// In steps, each after all of the one before: task(step, i) for i in [0, counts[step]), each on some
// thread. The first exception is passed on. Threads stay for all steps: calling them costs as much as a
// short step. A thread goes through a range of neighbouring tasks, as what one of them reads ends where the
// next one's begins, which the CPU has fetched by then; after it, it helps with the others' ranges.
template <std::size_t kSteps, class Task>
void parallel_steps(const std::array<std::size_t, kSteps>& counts, unsigned threads, Task&& task) {
    std::size_t most = 0;
    for (const auto count : counts) most = count > most ? count : most;
    if (threads <= 1 || most <= 1) {
        for (std::size_t step = 0; step < kSteps; ++step)
            for (std::size_t i = 0; i < counts[step]; ++i) task(step, i);
        return;
    }
    const auto members = most < threads ? most : threads;
    std::size_t last = kSteps - 1;  // whoever finds nothing left of it to do may go
    while (counts[last] == 0) --last;
    struct Shared {
        std::remove_reference_t<Task>& task;
        const std::array<std::size_t, kSteps>& counts;
        const std::size_t last, ranges;
        std::atomic<bool> failed{false};
        std::exception_ptr error{};
        std::atomic<std::size_t> joined{0};
        std::array<std::array<Tally, kRanges>, kSteps> taken{};  // of each range
        std::array<Tally, kSteps> done{};

        void run(std::size_t step, std::size_t member) {
            const auto count = counts[step];
            std::size_t own = 0;
            for (std::size_t k = 0; k < ranges; ++k) {
                const auto range = (member + k) % ranges;
                const auto first = count * range / ranges, end = count * (range + 1) / ranges;
                auto& next = taken[step][range].number;
                for (auto i = first + next++; i < end; i = first + next++, ++own) call(step, i);
            }
            if (step < last) done[step].number += own;
        }
        // What is left after a failure is counted as done, so that nobody waits for it.
        void call(std::size_t step, std::size_t i) {
            try {
                if (!failed) task(step, i);
            } catch (...) {
                if (!failed.exchange(true)) error = std::current_exception();
            }
        }
    } shared{task, counts, last, members < kRanges ? members : kRanges};
    const auto work = [](void* context) {
        auto& own = *static_cast<Shared*>(context);
        const auto member = own.joined++;
        for (std::size_t step = 0; step < own.last; ++step) {
            own.run(step, member);
            await(own.done[step].number, own.counts[step]);
        }
        own.run(own.last, member);
    };
    with_helpers(members - 1, work, std::addressof(shared));
    if (shared.error) std::rethrow_exception(shared.error);
}

// The same in one step: task(i) for i in [0, count).
template <class Task>
void parallel(std::size_t count, unsigned threads, Task&& task) {
    parallel_steps<1>({count}, threads, [&](std::size_t, std::size_t i) { task(i); });
}

}  // namespace likewise
