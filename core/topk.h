// Finding the k best. Sums in float may be off by `slack`, so what is found is a set of candidates
// that surely holds them; the caller scores those exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "csr.h"

namespace likewise {

// The positions whose score is within 2·slack of the k-th best of those kept, ascending.
// `keep` may be empty: all are kept.
template <class T>
std::vector<std::uint32_t> best(std::span<const T> scores, std::span<const bool> keep, std::size_t k, double slack);

struct Query {
    std::span<const std::uint32_t> columns;
    std::span<const double> weights;
};

// Over an inverted file: out[d] += scale·factors[d]·Σ weights·f(count), for all documents.
template <class Columns>
void add_scores(const CountsView<Columns>& inverted, const Query& query, std::span<const float> factors,
                const Factors<double>& f, float scale, std::span<float> out);

// As `best`, over an inverted file: documents' scores are factors[d]·Σ weights·f(count).
// With `positive`, only documents that hold a query term and may score above 0.
template <class Columns>
std::vector<std::uint32_t> candidates(const CountsView<Columns>& inverted, const Query& query, std::span<const float> factors,
                                      std::span<const bool> keep, std::size_t k, double slack,
                                      const Factors<double>& f, bool positive);

}  // namespace likewise
