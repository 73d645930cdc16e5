// Words of ASCII text, many bytes at a time: most text is such, and most of counting is finding words.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "load.h"

namespace likewise {

inline bool is_ascii(std::string_view s) {
    std::size_t at = 0;
    std::uint64_t all = 0;
    for (; at + 8 <= s.size(); at += 8) all |= load<std::uint64_t>(s.data() + at);
    for (; at < s.size(); ++at) all |= static_cast<unsigned char>(s[at]);
    return (all & 0x8080808080808080ull) == 0;
}

class AsciiWords {
public:
    static constexpr std::size_t kPadding = 64;  // bytes that may be read behind a word

    // False where the text is not all ASCII, and nothing is read.
    bool read(std::string_view text);

    // emit(std::string_view) for each run of letters and digits, in lower case, of at most so many bytes.
    template <class Emit>
    void each(std::size_t max_bytes, Emit&& emit) const {
        for (std::size_t i = 0; i + 1 < found_; i += 2) {
            const std::size_t size = edges_[i + 1] - edges_[i];
            if (size <= max_bytes) emit(std::string_view(lower_.data() + edges_[i], size));
        }
    }

private:
    std::string lower_;                 // the text in lower case, and what stands behind it
    std::vector<std::uint64_t> bits_;   // of each byte: whether it belongs to a word
    std::vector<std::uint32_t> edges_;  // where words begin and end, by turns
    std::size_t found_ = 0;             // of these
};

}  // namespace likewise
