// Pieces of a text compressed by Zstandard, a frame each, many in one call. The library is the one that
// Python has loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace likewise {

class Frames {
public:
    using Option = std::pair<int, int>;  // a parameter's number and value

    // Throws std::runtime_error where the library has no such functions or takes no such options.
    Frames(const std::string& library, std::vector<Option> options, std::string dictionary);
    ~Frames();
    Frames(const Frames&) = delete;
    Frames& operator=(const Frames&) = delete;

    // Appends frames of the pieces between neighbouring stops; how long each is. Any thread may ask.
    std::vector<std::uint32_t> compress(std::string_view text, std::span<const std::int64_t> stops, std::string& out);

private:
    struct Library;
    struct Context;
    class Borrowed;

    std::unique_ptr<Context> new_context() const;
    std::size_t checked(std::size_t result) const;

    const Library& library_;
    std::vector<Option> options_;
    std::string dictionary_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Context>> idle_;  // which have the dictionary
};

}  // namespace likewise
