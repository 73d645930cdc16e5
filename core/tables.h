// Tables of strings as an index keeps them, several one after another under one numbering: by number,
// or found by a sorted list of hashes. Titles are packed by a table of symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "symbols.h"

namespace likewise {

using Offsets = std::variant<std::span<const std::uint32_t>, std::span<const std::uint64_t>>;

struct StringTable {
    std::span<const char> text;
    Offsets ends;
    std::optional<std::span<const std::uint32_t>> live;  // the strings that count, if not all
    std::size_t first = 0;                               // the number of the first that counts
    Offsets hashes;                                      // sorted; may be empty
    std::span<const std::uint32_t> order;                // of each hash, the string's place
    std::optional<Symbols> symbols;                      // where the text is packed

    std::size_t size() const;  // strings that count
    // A string by its number from `first` on; one that is packed is unpacked into `space`.
    std::string_view at(std::size_t local, std::string& space) const;
    // The place of the last string that is equal.
    std::optional<std::uint32_t> find(std::string_view string, std::uint64_t hash) const;

private:
    std::string_view stored(std::size_t place) const;
};

}  // namespace likewise
