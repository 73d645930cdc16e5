// Some rows of counts with their columns in ascending order.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "csr.h"

namespace likewise {

struct OrderedRows {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;
    std::vector<std::uint32_t> counts;
};

// All rows are ordered together, by digits of their columns: comparing the columns of each row takes several times as
// long, for no CPU foresees the results.
template <class View>
OrderedRows ordered_rows(const View& x, std::span<const std::uint32_t> ids) {
    struct Entry {
        std::uint32_t column, count, row;
    };
    OrderedRows out;
    std::vector<Entry> entries, other;
    for (std::uint32_t row = 0; row < ids.size(); ++row) {
        each_count(x, ids[row], [&](std::uint32_t column, std::uint32_t count) { entries.push_back({column, count, row}); });
        out.starts.push_back(static_cast<std::int64_t>(entries.size()));
    }
    other.resize(entries.size());
    constexpr int kDigit = 9;  // bits
    constexpr std::uint32_t kMask = (1u << kDigit) - 1;
    const auto bits = static_cast<int>(std::bit_width(x.width));
    for (int shift = 0; shift < bits; shift += kDigit) {
        std::array<std::uint32_t, kMask + 2> next{};
        for (const auto& entry : entries) ++next[(entry.column >> shift & kMask) + 1];
        for (std::size_t digit = 1; digit < next.size(); ++digit) next[digit] += next[digit - 1];
        for (const auto& entry : entries) other[next[entry.column >> shift & kMask]++] = entry;
        entries.swap(other);
    }
    out.columns.resize(entries.size());
    out.counts.resize(entries.size());
    std::vector<std::int64_t> next(out.starts.begin(), out.starts.end() - 1);
    for (const auto& entry : entries) {
        const auto at = static_cast<std::size_t>(next[entry.row]++);
        out.columns[at] = static_cast<std::int32_t>(entry.column);
        out.counts[at] = entry.count;
    }
    return out;
}

}  // namespace likewise
