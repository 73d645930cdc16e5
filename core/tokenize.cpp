#include "tokenize.h"

#include <stdexcept>

namespace likewise {

Tokenizer::Tokenizer(std::span<const std::uint8_t> classes, std::size_t max_bytes)
    : classes_(classes), max_bytes_(max_bytes) {
    if (max_bytes < 1 || max_bytes > kMaxForm) throw std::invalid_argument("max_bytes must be 1 to 255");
    for (unsigned c = 0; c < 256; ++c) {
        if (c >= 0x80)
            fold_[c] = kBeyondAscii;
        else if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'))
            fold_[c] = static_cast<std::uint8_t>(c);
        else if (c >= 'A' && c <= 'Z')
            fold_[c] = static_cast<std::uint8_t>(c + ('a' - 'A'));
    }
}

}  // namespace likewise
