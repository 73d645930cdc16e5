// The k best documents of several segments by their inverted files, in one call: what a search by a few
// words takes. Sums in float give candidates; those are scored again from the rows, in stored order and
// in double precision, so that the result does not depend on how they were found.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "csr.h"

namespace likewise {

// A segment: its counts by term and by document, and what both are multiplied by.
struct SegmentLists {
    AnyCounts inverted, rows;
    std::optional<std::span<const std::uint32_t>> listed;  // the terms of the inverted file's rows, if not all
    std::optional<std::span<const std::uint32_t>> live;    // the documents that are not deleted, if not all
    Factors<double> by_term, by_document;
    std::span<const float> factors32;                      // of each document
    std::span<const double> factors;
    std::size_t first = 0;                                 // the number of its first live document
    std::span<const float> common{};                       // documents' lengths by common terms alone, if known
};

struct Found {
    std::size_t document;
    double score;
};

// Columns ascend; weights are those of the query, times the columns' factors.
struct Asked {
    std::span<const std::uint32_t> columns;
    std::span<const double> weights;
    std::size_t k = 0;
    double slack = 0;             // how far a sum in float may be off
    std::span<const bool> keep;   // by number of a live document; empty if all are
};

// How many postings the columns have.
std::size_t postings(std::span<const SegmentLists> segments, std::span<const std::uint32_t> columns);

// The k best documents with a score above 0, best first, ties by number.
std::vector<Found> top(std::span<const SegmentLists> segments, const Asked& asked);

}  // namespace likewise
