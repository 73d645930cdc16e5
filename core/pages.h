// Memory for what is large and lives for a while: from the system, and back to it when it is freed. An
// allocator would keep it for each thread that had some, and indexing has many threads.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if (defined(__unix__) || defined(__APPLE__)) && !defined(__SANITIZE_ADDRESS__)
#include <sys/mman.h>
#define LIKEWISE_PAGES 1
#else
#define LIKEWISE_PAGES 0
#endif

namespace likewise {

template <class T>
struct Pages {
    using value_type = T;
    static constexpr std::size_t kLarge = 1 << 20;  // bytes

    Pages() = default;
    template <class Other>
    Pages(const Pages<Other>&) {}

    T* allocate(std::size_t count) {
        if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
#if LIKEWISE_PAGES
        if (count * sizeof(T) >= kLarge) {
            void* found = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (found == MAP_FAILED) throw std::bad_alloc();
            return static_cast<T*>(found);
        }
#endif
        return static_cast<T*>(::operator new(count * sizeof(T)));
    }

    void deallocate(T* memory, std::size_t count) noexcept {
#if LIKEWISE_PAGES
        if (count * sizeof(T) >= kLarge) {
            munmap(memory, count * sizeof(T));
            return;
        }
#endif
        ::operator delete(memory);
        static_cast<void>(count);
    }

    bool operator==(const Pages&) const = default;
};

template <class T>
using Array = std::vector<T, Pages<T>>;

}  // namespace likewise
