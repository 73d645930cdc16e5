#include "pruned.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "cursor.h"
#include "dispatch.h"
#include "largest.h"
#include "parallel.h"
#include "products.h"
#include "scratch.h"

namespace likewise {

namespace {

constexpr std::size_t kWindow = 16384;    // documents whose sums stay in a near cache
constexpr std::size_t kBlock = 64;        // documents looked at together; windows are whole blocks
constexpr std::size_t kAhead = 4;         // terms whose postings are asked for before they are read
constexpr std::size_t kPiece = 1 << 16;   // documents of a segment that one thread reads
constexpr std::size_t kChunk = 64;        // documents that one thread scores
constexpr double kFirst = 0.25;           // share of the postings that tells how high the best score
constexpr std::size_t kSeeds = 4;         // for each of the k best: documents scored for that
constexpr double kRest = 0.5;             // share of the k-th score that terms left out may reach
constexpr double kWorth = 0.6;            // postings for each stored entry: more take longer than all rows
constexpr std::size_t kScored = 16;       // one in so many documents may be scored exactly
constexpr double kSure = 1 + 1e-6;        // bounds are rounded, too: those of common terms to float

// Multiplies sums by their factors, keeps or adds them, and finds the largest of each block, with what `beside` times
// a length may add.
LIKEWISE_DISPATCH(keep_sums,
                  (const float* __restrict sums, const float* __restrict factors, std::size_t size, bool fresh,
                   const float* __restrict common, float beside, float* __restrict values, float* __restrict peaks), {
                      float most[kBlock];
                      for (std::size_t first = 0; first < size; first += kBlock) {
                          const auto last = std::min(size, first + kBlock);
                          if (fresh)
                              for (std::size_t i = first; i < last; ++i) values[i] = sums[i] * factors[i];
                          else
                              for (std::size_t i = first; i < last; ++i) values[i] += sums[i] * factors[i];
                          for (std::size_t i = first; beside > 0 && i < last; ++i)
                              most[i - first] = values[i] + beside * common[i];
                          *peaks++ = largest(beside > 0 ? most : values + first, last - first);
                      }
                  })

// The rows of the query's terms in each segment's inverted file, segment by segment.
std::vector<std::uint32_t> rows_of(std::span<const SegmentLists> segments, std::span<const std::uint32_t> columns,
                                   unsigned threads) {
    std::vector<std::uint32_t> rows(segments.size() * columns.size());
    parallel(segments.size(), threads, [&](std::size_t s) {
        for (std::size_t t = 0; t < columns.size(); ++t) rows[s * columns.size() + t] = row_of(segments[s], columns[t]);
    });
    return rows;
}

struct Term {
    std::size_t place;  // in the query
    double square;
    bool common;
    double most;  // what it can add to a usual document, squared
    std::size_t postings;
};

// The query's terms, those that tell most for a posting first.
std::vector<Term> ordered(std::span<const SegmentLists> segments, const Broad& query,
                          std::span<const std::uint32_t> rows) {
    const auto count = query.weights.size();
    std::vector<Term> terms;
    for (std::size_t t = 0; t < count; ++t) {
        std::size_t postings = 0;
        for (std::size_t s = 0; s < segments.size(); ++s) postings += length(segments[s], rows[s * count + t]);
        if (!postings) continue;
        const auto square = query.weights[t] * query.weights[t];
        const bool common = !query.common.empty() && query.common[query.asked.columns[t]];
        const auto length = common ? query.usual : query.longest;
        terms.push_back({t, square, common, square * length * length, postings});
    }
    std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
        const auto left = a.most * static_cast<double>(b.postings), right = b.most * static_cast<double>(a.postings);
        return left != right ? left > right : a.place < b.place;
    });
    return terms;
}

struct Place {
    std::size_t segment, number;
    std::uint32_t document;
};

// What some of the terms add to the score of every document, in float.
class Partial {
public:
    Partial(std::span<const SegmentLists> segments, const Asked& asked, std::span<const std::uint32_t> rows,
            unsigned threads)
        : segments_(segments), asked_(asked), rows_(rows), threads_(threads) {
        for (std::size_t s = 0; s < segments.size(); ++s) {
            const auto documents = segments[s].factors.size();
            blocks_.push_back(peaks_.size());
            peaks_.resize(peaks_.size() + (documents + kBlock - 1) / kBlock);
            for (std::size_t first = 0; first < documents; first += kPiece) pieces_.push_back({s, first});
        }
        values_ = scratch_.lines<float>(peaks_.size() * kBlock);
    }

    // Adds these terms; from now on, `beside` times its length by common terms may come to each document.
    void add(std::span<const Term> terms, double beside = 0) {
        beside_ = static_cast<float>(beside);
        parallel(pieces_.size(), threads_, [&](std::size_t i) {
            const auto [s, first] = pieces_[i];
            std::visit([&](const auto& inverted) { add(inverted, s, first, terms); }, segments_[s].inverted);
        });
        fresh_ = false;
    }

    // About so many of the best, of those that are kept.
    std::vector<Place> best(std::size_t count) const {
        Largest top(count);
        each_from([&] { return top.floor(); }, [&](const Place&, float value) { top.offer(static_cast<double>(value)); });
        return reaching(top.floor(), 2 * count);
    }

    // All kept documents from `least` on, or `most` of them.
    std::vector<Place> reaching(double least, std::size_t most) const {
        std::vector<Place> found;
        const auto floor = [&] { return found.size() < most ? least : std::numeric_limits<double>::infinity(); };
        each_from(floor, [&](const Place& place, float) { found.push_back(place); });
        return found;
    }

private:
    struct Piece {
        std::size_t segment, first;
    };

    template <class View>
    void add(const View& inverted, std::size_t s, std::size_t begin, std::span<const Term> terms) {
        const auto& segment = segments_[s];
        std::vector<Cursor<View>> cursors;
        cursors.reserve(terms.size());
        for (const auto& term : terms)
            if (const auto row = rows_[s * asked_.columns.size() + term.place]; row != kNoRow) {
                cursors.emplace_back(inverted, row, asked_.weights[term.place], segment.by_term);
                if (begin) cursors.back().skip(inverted, static_cast<std::uint32_t>(begin));
            }
        const auto end = std::min(segment.factors.size(), begin + kPiece);
        std::vector<float> sums_of(kWindow);
        float* const sums = sums_of.data();
        for (auto base = begin; base < end; base += kWindow) {
            const auto size = std::min(kWindow, end - base);
            std::fill(sums, sums + size, 0.0f);
            const auto first = static_cast<std::uint32_t>(base), count = static_cast<std::uint32_t>(size);
            for (std::size_t c = 0; c < cursors.size(); ++c) {
                if (c + kAhead < cursors.size()) cursors[c + kAhead].fetch(inverted);
                cursors[c].add(inverted, segment.by_term, first, count, sums);
            }
            const auto block = blocks_[s] + base / kBlock;
            const auto* common = beside_ > 0 ? segment.common.data() + base : nullptr;
            keep_sums(sums, segment.factors32.data() + base, size, fresh_, common, beside_, values_ + block * kBlock,
                      peaks_.data() + block);
        }
        if (end < segment.factors.size()) return;
        for (const auto& cursor : cursors)
            if (!cursor.done()) throw std::out_of_range("a posting names no document");
    }

    // use(place, value) for each kept document whose value reaches floor(), which may rise.
    template <class Floor, class Use>
    void each_from(const Floor& floor, const Use& use) const {
        for (std::size_t s = 0; s < segments_.size(); ++s) {
            const auto documents = segments_[s].factors.size();
            for (std::size_t first = 0, block = blocks_[s]; first < documents; first += kBlock, ++block) {
                if (!(static_cast<double>(peaks_[block]) >= floor())) continue;
                const auto last = std::min(documents, first + kBlock);
                for (auto i = first; i < last; ++i) {
                    float value = values_[block * kBlock + i - first];
                    if (beside_ > 0) value += beside_ * segments_[s].common[i];
                    if (!(static_cast<double>(value) >= floor())) continue;
                    const auto document = static_cast<std::uint32_t>(i);
                    if (const auto number = number_of(segments_[s], document, asked_.keep)) use({s, *number, document}, value);
                }
            }
        }
    }

    std::span<const SegmentLists> segments_;
    const Asked& asked_;
    std::span<const std::uint32_t> rows_;
    unsigned threads_;
    Scratch scratch_;
    float* values_ = nullptr;
    std::vector<float> peaks_;
    std::vector<std::size_t> blocks_;  // the first of each segment
    std::vector<Piece> pieces_;
    bool fresh_ = true;
    float beside_ = 0;
};

// What the terms from each place on can add, and the postings of those before it.
struct Left {
    std::vector<double> rare, common;  // squares
    std::vector<std::size_t> before;

    explicit Left(std::span<const Term> terms) {
        rare.resize(terms.size() + 1);
        common.resize(terms.size() + 1);
        before.resize(terms.size() + 1);
        for (auto t = terms.size(); t-- > 0;) {
            rare[t] = rare[t + 1] + (terms[t].common ? 0 : terms[t].square);
            common[t] = common[t + 1] + (terms[t].common ? terms[t].square : 0);
        }
        for (std::size_t t = 0; t < terms.size(); ++t) before[t + 1] = before[t] + terms[t].postings;
    }
    double of_rare(std::size_t t) const { return kSure * std::sqrt(rare[t]); }
    double of_common(std::size_t t) const { return kSure * std::sqrt(common[t]); }
    double share(std::size_t t, std::size_t whole) const {
        return static_cast<double>(before[t]) / static_cast<double>(whole);
    }
};

// Each in stored order and in double precision, as all exact scores are.
std::vector<Found> scored(std::span<const SegmentLists> segments, std::span<const Place> places,
                          std::span<const double> vector, unsigned threads) {
    std::vector<Found> found(places.size());
    parallel((places.size() + kChunk - 1) / kChunk, threads, [&](std::size_t chunk) {
        for (auto i = chunk * kChunk; i < std::min(places.size(), (chunk + 1) * kChunk); ++i) {
            const auto& place = places[i];
            const auto& segment = segments[place.segment];
            double product = 0;
            std::visit(
                [&](const auto& rows) {
                    exact(rows, std::span(&place.document, 1), vector.data(), segment.by_document, &product);
                },
                segment.rows);
            found[i] = {place.number, product * segment.factors[place.document]};
        }
    });
    return found;
}

// The first k, best first.
void cut(std::vector<Found>& found, std::size_t k, bool positive) {
    if (positive) std::erase_if(found, [](const Found& one) { return !(one.score > 0); });
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
        return a.score != b.score ? a.score > b.score : a.document < b.document;
    });
    if (found.size() > k) found.resize(k);
}

}  // namespace

std::optional<std::vector<Found>> pruned(std::span<const SegmentLists> segments, const Broad& query, unsigned threads) {
    const auto k = query.asked.k;
    std::size_t entries = 0, documents = 0;
    for (const auto& segment : segments) {
        entries += std::visit([](const auto& x) { return x.entries(); }, segment.rows);
        documents += segment.factors.size();
    }
    if (k == 0 || k > documents / kScored || !std::isfinite(query.asked.slack)) return {};
    const auto rows = rows_of(segments, query.asked.columns, threads);
    const auto terms = ordered(segments, query, rows);
    if (terms.empty()) return {};
    const Left left(terms);
    std::size_t used = 1;
    while (used < terms.size() && left.share(used, left.before.back()) < kFirst) ++used;
    Partial partial(segments, query.asked, rows, threads);
    partial.add(std::span(terms).first(used));

    std::vector<double> vector(query.width, 0.0);
    for (std::size_t t = 0; t < query.asked.columns.size(); ++t) vector[query.asked.columns[t]] = query.asked.weights[t];
    auto seeds = scored(segments, partial.best(kSeeds * k), vector, threads);
    cut(seeds, k, query.positive);
    if (seeds.size() < k || !(seeds.back().score > 0)) return {};
    const auto sure = seeds.back().score;  // k documents score as high

    const auto usually = [&](std::size_t t) {
        return query.longest * left.of_rare(t) + query.usual * left.of_common(t);
    };
    auto wanted = used;
    while (wanted < terms.size() && usually(wanted) > kRest * sure) ++wanted;
    if (left.share(wanted, entries) > kWorth) return {};
    partial.add(std::span(terms).subspan(used, wanted - used), left.of_common(wanted));

    const auto slack = static_cast<double>(wanted + 16) * query.asked.slack;
    const auto most = documents / kScored + kSeeds * k;
    const auto places = partial.reaching(sure - query.longest * left.of_rare(wanted) - slack, most);
    if (places.size() == most) return {};
    auto found = scored(segments, places, vector, threads);
    cut(found, k, query.positive);
    return found;
}

}  // namespace likewise
