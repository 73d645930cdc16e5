// Short strings packed by a table of up to 255 symbols of one to eight bytes, each written as one byte:
// FSST, Boncz, Neumann & Leis, VLDB 2020. Each string is unpacked by itself, at a byte or two a
// nanosecond, and takes little more than half of its bytes where strings are titles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace likewise {

class Symbols {
public:
    static constexpr std::size_t kMost = 255, kLongest = 8;
    static constexpr std::uint8_t kEscape = 255;  // the next byte stands for itself

    Symbols() = default;
    // As `stored` gives it; throws std::invalid_argument where it is no table.
    explicit Symbols(std::span<const std::uint8_t> stored);

    // A length and so many bytes for each symbol.
    std::vector<std::uint8_t> stored() const;
    // Appends a string; throws std::invalid_argument where a code has no symbol.
    void unpack(std::string_view packed, std::string& out) const;

    void add(std::string_view symbol);
    std::size_t size() const { return size_; }
    std::string_view operator[](std::size_t code) const { return {bytes_[code].data(), lengths_[code]}; }

private:
    std::array<std::array<char, kLongest>, kMost> bytes_{};
    std::array<std::uint8_t, kMost> lengths_{};
    std::size_t size_ = 0;
};

// Packed strings one after another, and where each ends.
struct Packed {
    std::vector<std::uint8_t> text;
    std::vector<std::uint32_t> ends;
};

// Finds symbols in text: the longest that fits each time.
class Packer {
public:
    explicit Packer(const Symbols& symbols);
    // With a table for such strings.
    static Packer learned(std::span<const std::string_view> sample);

    const Symbols& symbols() const { return symbols_; }
    // Appends a string.
    void pack(std::string_view string, std::vector<std::uint8_t>& out) const;
    // All of these, the same for any number of threads.
    Packed pack(std::span<const std::string_view> strings, unsigned threads) const;

private:
    static constexpr std::size_t kGroup = 4;  // symbols that are tried at a time
    void pad_group();

    // The code of what a text begins with, or kEscape, and its length.
    struct Match {
        std::uint8_t code, length;
    };
    // Of a text of which so many bytes are left, the first eight being these, zeros behind its end.
    Match match(std::uint64_t word, std::size_t left) const;

    struct Entry {
        std::uint64_t word, mask;
        std::uint8_t code, length;
    };
    Symbols symbols_;
    std::array<std::uint8_t, 256> single_;     // the symbol of one byte, or kEscape
    std::vector<std::uint16_t> begins_;        // of the symbols that begin with two bytes
    std::vector<Entry> entries_;               // those, shorter ones first, in whole groups
};

}  // namespace likewise
