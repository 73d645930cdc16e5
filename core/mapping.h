// A file mapped for reading. The map alone keeps the file: its descriptor is not needed any more, and its
// name may go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace likewise {

class Mapping {
public:
    // Maps the whole file; throws std::system_error where the system refuses.
    explicit Mapping(int descriptor);
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    std::span<const std::uint8_t> bytes() const { return {start_, size_}; }

    // Takes no memory for the pages read so far; they are read again when they are needed.
    void release() const;

private:
    const std::uint8_t* start_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace likewise
