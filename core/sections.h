// What one reading of the numbers in a file tells of them, so that no more are needed to trust them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checksum.h"

namespace likewise {

struct Section {
    Bytes bytes;
    std::size_t bytes_per_number;  // 1, 2, 3 (with one byte more at the end), 4 or 8; 0: the bytes are no numbers
};

struct Told {
    std::uint64_t checksum = 0;
    std::uint64_t highest = 0;
    bool ascends = true;  // told of numbers of 4 and 8 bytes
    bool neighbours_differ = true;  // no number is equal to the one before it; told of the same
};

Told read_through(const Section& section);
// Of several, each by some thread.
std::vector<Told> read_through(std::span<const Section> sections, unsigned threads);

}  // namespace likewise
