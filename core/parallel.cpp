#include "parallel.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace likewise {

namespace {

// Work that wants helpers: a link of a list, on the stack of whoever waits for it.
struct Job {
    void (*work)(void*);
    void* context;
    std::size_t wanted;      // helpers that may still come
    std::size_t inside = 0;  // and those that are at it
    Job* next = nullptr;
};

class Pool {
public:
    void run(Job& job) {
        const auto wanted = job.wanted;
        {
            const std::lock_guard lock(mutex_);
            job.next = jobs_;
            jobs_ = &job;
            for (; idle_ < wanted && threads_ < kMost; ++idle_, ++threads_)
                if (!start()) break;
        }
        for (std::size_t i = 0; i < wanted; ++i) wanted_.notify_one();
        job.work(job.context);
        std::unique_lock lock(mutex_);
        take_away(job);
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

    void take_away(const Job& job) {
        for (auto at = &jobs_; *at != nullptr; at = &(*at)->next) {
            if (*at != &job) continue;
            *at = job.next;
            return;
        }
    }

    void help() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wanted_.wait(lock, [&] { return jobs_ != nullptr; });
            Job& job = *jobs_;
            if (--job.wanted == 0) take_away(job);
            ++job.inside;
            --idle_;
            lock.unlock();
            job.work(job.context);
            lock.lock();
            ++idle_;
            // Nobody else may come in once its own caller is through with the work.
            if (--job.inside == 0) left_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable wanted_, left_;
    Job* jobs_ = nullptr;  // the newest first: what it is part of waits for it
    std::size_t threads_ = 0, idle_ = 0;
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

void with_helpers(std::size_t helpers, void (*work)(void*), void* context) {
    if (helpers == 0) return work(context);
    Job job{work, context, helpers};
    the_pool().run(job);
}

}  // namespace likewise
