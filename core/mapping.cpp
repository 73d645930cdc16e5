#include "mapping.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace likewise {

namespace {

[[noreturn]] void refuse(const char* call) { throw std::system_error(errno, std::generic_category(), call); }

void* unconst(const std::uint8_t* start) { return const_cast<std::uint8_t*>(start); }

}  // namespace

Mapping::Mapping(int descriptor) {
    struct stat status {};
    if (fstat(descriptor, &status) != 0) refuse("fstat");
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ == 0) return;  // there is nothing to map, and mmap refuses it
    void* const mapped = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) refuse("mmap");
    start_ = static_cast<const std::uint8_t*>(mapped);
}

Mapping::~Mapping() {
    if (start_ != nullptr) munmap(unconst(start_), size_);
}

void Mapping::release() const {
    if (start_ != nullptr) madvise(unconst(start_), size_, MADV_DONTNEED);  // advice: it may be ignored
}

}  // namespace likewise
