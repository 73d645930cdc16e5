// Reading the inverted file of a segment: a term's postings in the order of documents, some at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "postings.h"

namespace likewise {

constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

// One term's postings, read window by window: those counted once and the others, each in order.
template <class View>
struct Cursor {
    std::uint32_t once, split, often, end, count;  // places
    float first;                                   // what one count adds
    double weight;

    Cursor(const View& x, std::uint32_t row, double w, const Factors<double>& f)
        : once(x.begin(row)), split(x.split(row)), often(split), end(x.end(row)), count(x.first_count(row)),
          first(static_cast<float>(w * f.table[1])), weight(w) {}

    // Passes over the postings of documents below `base`.
    void skip(const View& x, std::uint32_t base) {
        once = reached(x, once, split, base);
        const auto before = often;
        often = reached(x, often, end, base);
        count += often - before;
    }

    // Adds postings to the sums of `size` documents from `base` on. Ends at any other document, also at one before
    // them: where a damaged file has no order, the cursor stays there and is never done.
    void add(const View& x, const Factors<double>& f, std::uint32_t base, std::uint32_t size, float* sums) {
        const auto columns = x.columns;
        const float one = first;
        auto p = once;
        for (const auto last = split; p < last; ++p) {
            const std::uint32_t place = columns[p] - base;
            if (place >= size) break;
            sums[place] += one;
        }
        once = p;
        p = often;
        auto q = count;
        for (const auto last = end; p < last; ++p, ++q) {
            const std::uint32_t place = columns[p] - base;
            if (place >= size) break;
            sums[place] += static_cast<float>(weight * factor(x, f, q));
        }
        often = p;
        count = q;
    }
    // Asks for what `add` reads first: one list after another is read, a few lines of each.
    void fetch(const View& x) const {
        __builtin_prefetch(address(reader(x.columns, once)));
        __builtin_prefetch(address(reader(x.columns, often)));
        __builtin_prefetch(x.counts.data() + count);
    }
    bool done() const { return once == split && often == end; }

private:
    // The first place from p on with a document from `base` on.
    static std::uint32_t reached(const View& x, std::uint32_t p, std::uint32_t last, std::uint32_t base) {
        while (p < last) {
            const auto middle = p + (last - p) / 2;
            if (x.columns[middle] < base)
                p = middle + 1;
            else
                last = middle;
        }
        return p;
    }
};

inline std::uint32_t row_of(const SegmentLists& segment, std::uint32_t column) {
    if (segment.listed) {
        const auto found = std::lower_bound(segment.listed->begin(), segment.listed->end(), column);
        if (found == segment.listed->end() || *found != column) return kNoRow;
        return static_cast<std::uint32_t>(found - segment.listed->begin());
    }
    const auto rows = std::visit([](const auto& x) { return x.rows(); }, segment.inverted);
    return column < rows ? column : kNoRow;
}

inline std::size_t length(const SegmentLists& segment, std::uint32_t row) {
    if (row == kNoRow) return 0;
    return std::visit([&](const auto& x) { return std::size_t{x.end(row)} - x.begin(row); }, segment.inverted);
}

// The number among live documents, or nothing if it is deleted or not to be kept.
inline std::optional<std::size_t> number_of(const SegmentLists& segment, std::uint32_t document, std::span<const bool> keep) {
    auto number = segment.first + document;
    if (segment.live) {
        const auto found = std::lower_bound(segment.live->begin(), segment.live->end(), document);
        if (found == segment.live->end() || *found != document) return {};
        number = segment.first + static_cast<std::size_t>(found - segment.live->begin());
    }
    if (!keep.empty() && (number >= keep.size() || !keep[number])) return {};
    return number;
}

}  // namespace likewise
