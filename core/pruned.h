// The k best documents by a query of some hundreds of terms, without reading all their postings.
//
// Terms of a set S add at most ‖w_S‖·‖x_S‖ to the score of a document x (Cauchy and Schwarz). So the terms that tell
// little for their many postings are left out at first; only documents whose other terms come that close to the
// k-th best are scored, exactly. What is found is what scoring all would find, on any number of threads. The lengths
// ‖x_S‖ are known for the set of the most common terms, which are little of a document: for others, ‖x‖ bounds them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "postings.h"

namespace likewise {

struct Broad {
    Asked asked;                      // its slack is that of one rounding
    std::span<const double> weights;  // of the query, without the columns' factors
    std::size_t width = 0;            // columns there are
    double longest = 0;               // length of the longest document
    std::span<const bool> common{};   // by column, whether it is common; empty if segments do not know
    double usual = 0;                 // length of a usual document by these terms
    bool positive = false;            // whether only scores above 0 count
};

// Best first, ties by number; nothing where reading all rows is likely to take less time.
std::optional<std::vector<Found>> pruned(std::span<const SegmentLists> segments, const Broad& query, unsigned threads);

}  // namespace likewise
