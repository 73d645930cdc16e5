// Frames of Zstandard back to the lines that they hold. The library is the one that Python has loaded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "loaded.h"

namespace likewise {

class FrameReader {
public:
    // Throws std::runtime_error where the library has no such functions, or cannot use the dictionary.
    FrameReader(const std::string& library, const std::string& dictionary);

    // Whether this is one whole frame that says that it has so many bytes. What a frame says may be wrong: whoever
    // makes room for them bounds their number.
    bool has(std::string_view frame, std::size_t size) const;
    // Writes them; false where they are others, or not so many lines. Any thread may ask.
    bool read(std::string_view frame, char* to, std::size_t size, std::size_t lines) const;

private:
    struct Library;

    const Library& library_;
    Owned dictionary_;
};

}  // namespace likewise
