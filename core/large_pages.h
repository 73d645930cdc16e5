// Memory for large arrays and tables. On large pages, where the system has them, a look-up anywhere need not wait for
// its page's address, and fresh memory is had in few steps.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace likewise {

#if defined(__has_feature)
#define LIKEWISE_HAS_FEATURE(name) __has_feature(name)
#else
#define LIKEWISE_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || LIKEWISE_HAS_FEATURE(address_sanitizer)
inline constexpr bool kWatched = true;  // by what sees only memory from the usual place
#else
inline constexpr bool kWatched = false;
#endif
#undef LIKEWISE_HAS_FEATURE

// An allocator. What is small comes from where all memory comes from.
template <class T>
struct LargePages {
    using value_type = T;
    static constexpr std::size_t kPage = 2 << 20;

    LargePages() = default;
    template <class Other>
    explicit LargePages(const LargePages<Other>&) {}

    T* allocate(std::size_t count) {
        const auto size = count * sizeof(T);
        return usual(size) ? std::allocator<T>().allocate(count) : static_cast<T*>(mapped(whole_pages(size)));
    }
    void deallocate(T* at, std::size_t count) {
        const auto size = count * sizeof(T);
        if (usual(size))
            std::allocator<T>().deallocate(at, count);
        else
            munmap(at, whole_pages(size));
    }
    bool operator==(const LargePages&) const { return true; }

private:
    static bool usual(std::size_t size) { return kWatched || size < kPage; }
    static std::size_t whole_pages(std::size_t size) { return (size + kPage - 1) / kPage * kPage; }

    // From the beginning of a page on: more is asked for, and what lies before and behind it given back.
    static void* mapped(std::size_t size) {
        void* const found = mmap(nullptr, size + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (found == MAP_FAILED) throw std::bad_alloc();
        auto* const begin = static_cast<char*>(found);
        const auto before = whole_pages(reinterpret_cast<std::uintptr_t>(begin)) - reinterpret_cast<std::uintptr_t>(begin);
        if (before > 0) munmap(begin, before);
        munmap(begin + before + size, kPage - before);
#ifdef MADV_HUGEPAGE
        madvise(begin + before, size, MADV_HUGEPAGE);  // advice: it may be ignored
#endif
        return begin + before;
    }
};

}  // namespace likewise
