#include "postings.h"

#include <algorithm>
#include <stdexcept>

#include "cursor.h"
#include "dispatch.h"
#include "largest.h"
#include "products.h"

namespace likewise {

namespace {

constexpr std::size_t kWindow = 4096;  // documents whose sums stay in the nearest cache
constexpr std::size_t kBlock = 64;     // documents looked at together
constexpr std::size_t kFew = 12;       // documents a posting, from which on the others are not looked at

// Multiplies sums by their factors, and finds the largest product of each block.
LIKEWISE_DISPATCH(scale_blocks,
                  (float* __restrict values, const float* __restrict factors, std::size_t size, float* __restrict peaks), {
                      for (std::size_t first = 0; first < size; first += kBlock) {
                          const auto block = std::min(kBlock, size - first);
                          for (std::size_t i = first; i < first + block; ++i) values[i] *= factors[i];
                          *peaks++ = largest(values + first, block);
                      }
                  })

// A thread's sums by document, zero between queries, and the documents that have one now.
struct Sums {
    std::vector<float> value;
    std::vector<std::uint32_t> touched;

    void fit(std::size_t documents, std::size_t most) {
        if (value.size() < documents) value.resize(documents, 0.0f);
        if (touched.size() < most) touched.resize(most);
    }
};

// The documents of one segment that have a term of the query. Leaves the sums clean, also where a
// damaged posting ends the query.
class Touched {
public:
    Touched(Sums& sums, std::size_t documents, std::size_t most) : sums_(sums), documents_(documents) {
        sums_.fit(documents, most);
    }
    ~Touched() {
        for (std::size_t i = 0; i < count_; ++i) sums_.value[sums_.touched[i]] = 0;
    }
    Touched(const Touched&) = delete;
    Touched& operator=(const Touched&) = delete;

    template <class View>
    void add(const View& inverted, std::uint32_t row, double weight, const Factors<double>& f) {
        float* value = sums_.value.data();
        std::uint32_t* touched = sums_.touched.data();
        auto count = count_;
        each_value(inverted, row, f, [&](std::uint32_t document, double amount) LIKEWISE_ALWAYS_INLINE {
            if (document >= documents_) [[unlikely]] {
                count_ = count;
                throw std::out_of_range("a posting names no document");
            }
            const float before = value[document];
            value[document] = before + static_cast<float>(weight * amount);
            touched[count] = document;  // once more if the sum came back to 0: then it is 0 the second time
            count += before == 0;
        });
        count_ = count;
    }

    // use(document, sum) for each; the sums are zero then.
    template <class Use>
    void drain(Use&& use) {
        float* value = sums_.value.data();
        for (std::size_t i = 0; i < count_; ++i) {
            const auto document = sums_.touched[i];
            const float sum = value[document];
            value[document] = 0;
            if (sum != 0) use(document, sum);
        }
        count_ = 0;
    }

private:
    Sums& sums_;
    std::size_t documents_, count_ = 0;
};

struct Candidate {
    std::size_t segment, number;
    std::uint32_t document;
    double score;
};

// Documents of which the k best by float are known so far, and those within 2·slack of the k-th.
class Candidates {
public:
    Candidates(std::size_t k, double slack) : best_(k), slack_(slack), least_(-slack) {}

    double least() const { return least_; }

    void offer(const Candidate& candidate) {
        found_.push_back(candidate);
        best_.offer(candidate.score);
        least_ = std::max(least_, best_.floor() - 2 * slack_);
    }

    std::vector<Candidate> take() {
        std::erase_if(found_, [&](const Candidate& one) { return one.score < least_; });
        return std::move(found_);
    }

private:
    Largest best_;
    double slack_, least_;
    std::vector<Candidate> found_;
};

void offer(const SegmentLists& segment, std::size_t s, std::uint32_t document, double score, const Asked& asked,
           Candidates& candidates) {
    if (const auto number = number_of(segment, document, asked.keep))
        candidates.offer({s, *number, document, score});
}

// Where few documents have a term: only those are looked at.
void by_document(std::span<const SegmentLists> segments, std::size_t s, const Asked& asked, std::size_t most,
                 Candidates& candidates) {
    thread_local Sums sums;
    const auto& segment = segments[s];
    Touched touched(sums, segment.factors.size(), most + 1);  // a place is written before it is taken
    std::visit(
        [&](const auto& inverted) {
            for (std::size_t t = 0; t < asked.columns.size(); ++t)
                if (const auto row = row_of(segment, asked.columns[t]); row != kNoRow)
                    touched.add(inverted, row, asked.weights[t], segment.by_term);
        },
        segment.inverted);
    touched.drain([&](std::uint32_t document, float sum) {
        const auto score = static_cast<double>(sum * segment.factors32[document]);
        if (score >= candidates.least()) offer(segment, s, document, score, asked, candidates);
    });
}

// Where many have one: all of them are looked at, some thousands at a time, by whole blocks. Weights are
// not negative, so that a document with a term has a sum above 0.
template <class View>
void by_window(const View& inverted, const SegmentLists& segment, std::size_t s, const Asked& asked,
               Candidates& candidates) {
    std::vector<Cursor<View>> cursors;
    for (std::size_t t = 0; t < asked.columns.size(); ++t)
        if (const auto row = row_of(segment, asked.columns[t]); row != kNoRow)
            cursors.emplace_back(inverted, row, asked.weights[t], segment.by_term);
    const auto documents = segment.factors.size();
    float sums[kWindow], peaks[kWindow / kBlock];
    for (std::size_t base = 0; base < documents; base += kWindow) {
        const auto size = std::min(kWindow, documents - base);
        const auto first = static_cast<std::uint32_t>(base), count = static_cast<std::uint32_t>(size);
        std::fill(sums, sums + size, 0.0f);
        for (auto& cursor : cursors) cursor.add(inverted, segment.by_term, first, count, sums);
        scale_blocks(sums, segment.factors32.data() + base, size, peaks);
        for (std::size_t b = 0; b * kBlock < size; ++b) {
            if (peaks[b] <= 0 || static_cast<double>(peaks[b]) < candidates.least()) continue;
            for (auto i = b * kBlock; i < std::min(size, (b + 1) * kBlock); ++i)
                if (const auto score = static_cast<double>(sums[i]); score > 0 && score >= candidates.least())
                    offer(segment, s, static_cast<std::uint32_t>(base + i), score, asked, candidates);
        }
    }
    for (const auto& cursor : cursors)
        if (!cursor.done()) throw std::out_of_range("a posting names no document");
}

void by_window(std::span<const SegmentLists> segments, std::size_t s, const Asked& asked, Candidates& candidates) {
    std::visit([&](const auto& inverted) { by_window(inverted, segments[s], s, asked, candidates); },
               segments[s].inverted);
}

double exact_score(const SegmentLists& segment, std::uint32_t document, const Asked& asked) {
    double product = 0;
    std::visit(
        [&](const auto& rows) {
            exact(rows, std::span(&document, 1), asked.columns, asked.weights, segment.by_document, &product);
        },
        segment.rows);
    return product * segment.factors[document];
}

}  // namespace

std::size_t postings(std::span<const SegmentLists> segments, std::span<const std::uint32_t> columns) {
    std::size_t total = 0;
    for (const auto& segment : segments)
        for (const auto column : columns) total += length(segment, row_of(segment, column));
    return total;
}

std::vector<Found> top(std::span<const SegmentLists> segments, const Asked& asked) {
    if (asked.k == 0) return {};
    Candidates candidates(asked.k, asked.slack);
    const bool no_minus = std::all_of(asked.weights.begin(), asked.weights.end(), [](double w) { return w >= 0; });
    for (std::size_t s = 0; s < segments.size(); ++s) {
        std::size_t most = 0;
        for (const auto column : asked.columns) most += length(segments[s], row_of(segments[s], column));
        if (no_minus && most * kFew > segments[s].factors.size())
            by_window(segments, s, asked, candidates);
        else
            by_document(segments, s, asked, most, candidates);
    }
    std::vector<Found> found;
    for (const auto& one : candidates.take()) {
        const auto score = exact_score(segments[one.segment], one.document, asked);
        if (score > 0) found.push_back({one.number, score});
    }
    const auto better = [](const Found& a, const Found& b) {
        return a.score != b.score ? a.score > b.score : a.document < b.document;
    };
    std::sort(found.begin(), found.end(), better);
    if (found.size() > asked.k) found.resize(asked.k);
    return found;
}

}  // namespace likewise
