#include "parallel.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace likewise {

namespace {

// A pass takes less than a millisecond for many threads, and one follows another: waking a thread that
// sleeps takes a tenth of that. So whoever waits looks for what it waits for a little while first.
constexpr std::chrono::microseconds kPatience{50};

template <class Ready>
bool look_for(Ready&& ready) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    do {
        for (int i = 0; i < 16; ++i) {
            if (ready()) return true;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    } while (std::chrono::steady_clock::now() < until);
    return false;
}

// All threads come for the same job at once, and each keeps the mutex for an instant only: one that slept
// until it is free would have to be woken by the one before, and so on.
void lock_soon(std::unique_lock<std::mutex>& lock) {
    if (!look_for([&] { return lock.try_lock(); })) lock.lock();
}

// Work that wants helpers: a link of a list, on the stack of whoever waits for it.
struct Job {
    void (*work)(void*);
    void* context;
    std::size_t wanted;                  // helpers that may still come
    std::atomic<std::size_t> inside{0};  // and those that are at it
    Job* next = nullptr;
};

class Pool {
public:
    void run(Job& job) {
        const auto wanted = job.wanted;
        std::unique_lock lock(mutex_, std::defer_lock);
        lock_soon(lock);
        job.next = jobs_;
        jobs_ = &job;
        ++open_;
        for (; idle_ < wanted && threads_ < kMost; ++idle_, ++threads_)
            if (!start()) break;
        lock.unlock();
        wake(wanted);
        job.work(job.context);
        lock_soon(lock);
        take_away(job);
        lock.unlock();
        if (look_for([&] { return job.inside == 0; })) return;
        lock.lock();
        left_.wait(lock, [&] { return job.inside == 0; });
    }

private:
    static constexpr std::size_t kMost = 256;

    bool start() {
        try {
            std::thread([this] { help(); }).detach();
            return true;
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
        return false;
    }

    // Those awake come by themselves. The others are woken by one call of the system, as a rule: fifteen of
    // them, one after another, took as long as a tenth of a pass.
    void wake(std::size_t wanted) {
        ++posted_;
        const std::size_t asleep = asleep_, idle = idle_;
        const auto awake = idle > asleep ? idle - asleep : 0;
        if (awake >= wanted) return;
        if (wanted - awake >= asleep) return posted_.notify_all();
        for (auto i = awake; i < wanted; ++i) posted_.notify_one();
    }

    // Until the next job is posted. One that comes just now has changed the number.
    void sleep() {
        const auto seen = posted_.load();
        if (open_ != 0) return;
        ++asleep_;
        posted_.wait(seen);
        --asleep_;
    }

    void take_away(const Job& job) {
        for (auto at = &jobs_; *at != nullptr; at = &(*at)->next) {
            if (*at != &job) continue;
            *at = job.next;
            --open_;
            return;
        }
    }

    Job* join() {
        std::unique_lock lock(mutex_, std::defer_lock);
        lock_soon(lock);
        Job* const job = jobs_;
        if (job == nullptr) return nullptr;
        if (--job->wanted == 0) take_away(*job);
        ++job->inside;
        --idle_;
        return job;
    }

    // Once nobody is inside, the job may be gone: nobody else comes in when its caller is through with it.
    void leave(Job& job) {
        ++idle_;
        if (--job.inside != 0) return;
        { const std::lock_guard lock(mutex_); }  // whoever is about to wait for this does so before it is told
        left_.notify_all();
    }

    void help() {
        for (;;) {
            if (!look_for([&] { return open_ != 0; })) sleep();
            Job* const job = join();
            if (job == nullptr) continue;
            job->work(job->context);
            leave(*job);
        }
    }

    std::mutex mutex_;
    std::condition_variable left_;
    Job* jobs_ = nullptr;  // the newest first: what it is part of waits for it
    std::atomic<std::size_t> open_{0};  // how many there are
    std::atomic<std::uint32_t> posted_{0};  // how many there have been, which those asleep wait for
    std::size_t threads_ = 0;
    std::atomic<std::size_t> idle_{0}, asleep_{0};
};

// Never destroyed: at the end of the process its threads may still wait.
Pool* pool = nullptr;

Pool& the_pool() {
    static const bool made = [] {
        pool = new Pool;
#if defined(__unix__) || defined(__APPLE__)
        // A forked process has no threads but its own, and a lock may be held by one that it lacks.
        pthread_atfork(nullptr, nullptr, [] { pool = new Pool; });
#endif
        return true;
    }();
    static_cast<void>(made);
    return *pool;
}

}  // namespace

void await(const std::atomic<std::size_t>& done, std::size_t count) {
    const auto ready = [&] { return done >= count; };
    while (!look_for(ready)) std::this_thread::yield();
}

void with_helpers(std::size_t helpers, void (*work)(void*), void* context) {
    if (helpers == 0) return work(context);
    Job job{.work = work, .context = context, .wanted = helpers};
    the_pool().run(job);
}

}  // namespace likewise
