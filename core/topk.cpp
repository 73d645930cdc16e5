#include "topk.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

#include "cursor.h"
#include "dispatch.h"
#include "largest.h"

namespace likewise {

namespace {

constexpr std::size_t kBlock = 128;  // documents looked at together, or ...
constexpr std::size_t kSmall = 16;   // ... where more are wanted than there are blocks
constexpr std::size_t kMany = 256;   // of which the least is found at once, not one by one

std::size_t blocks_of(std::size_t documents, std::size_t block = kBlock) { return (documents + block - 1) / block; }

template <class T>
LIKEWISE_INLINE void find_peaks(const T* values, std::size_t size, std::size_t block, T* peaks) {
    for (std::size_t first = 0; first < size; first += block)
        *peaks++ = largest(values + first, std::min(block, size - first));
}

LIKEWISE_DISPATCH(find_float_peaks, (const float* values, std::size_t size, std::size_t block, float* peaks),
                  find_peaks(values, size, block, peaks))
LIKEWISE_DISPATCH(find_double_peaks, (const double* values, std::size_t size, std::size_t block, double* peaks),
                  find_peaks(values, size, block, peaks))

// Multiplies the touched blocks by their factors, and finds the largest product in each.
LIKEWISE_DISPATCH(scale_touched,
                  (float* values, const float* factors, std::size_t size, const std::uint8_t* touched, float* peaks), {
                      for (std::size_t first = 0; first < size; first += kBlock, ++touched, ++peaks) {
                          if (!*touched) continue;
                          const auto block = std::min(kBlock, size - first);
                          for (std::size_t i = first; i < first + block; ++i) values[i] *= factors[i];
                          *peaks = largest(values + first, block);
                      }
                  })

// The same, added to what is there.
LIKEWISE_DISPATCH(add_touched,
                  (const float* values, const float* factors, std::size_t size, const std::uint8_t* touched,
                   float scale, float* out), {
                      for (std::size_t first = 0; first < size; first += kBlock, ++touched) {
                          if (!*touched) continue;
                          const auto last = std::min(size, first + kBlock);
                          for (std::size_t i = first; i < last; ++i) out[i] += scale * (values[i] * factors[i]);
                      }
                  })

// The largest value of each block.
template <class T>
struct Peaks {
    std::vector<T> values;
    std::size_t block = kBlock;
};

Peaks<float> peaks_of(std::span<const float> values, std::size_t block) {
    Peaks<float> found{std::vector<float>(blocks_of(values.size(), block)), block};
    find_float_peaks(values.data(), values.size(), block, found.values.data());
    return found;
}

Peaks<double> peaks_of(std::span<const double> values, std::size_t block) {
    Peaks<double> found{std::vector<double>(blocks_of(values.size(), block)), block};
    find_double_peaks(values.data(), values.size(), block, found.values.data());
    return found;
}

bool kept(std::span<const bool> keep, std::size_t i) { return keep.empty() || keep[i]; }

// The k-th largest of some values, if there are as many; of peaks: at least k values reach it, one in each of k blocks.
template <class T>
double kth_largest(std::vector<T> values, std::size_t k) {
    if (values.size() < k) return kNothing;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k - 1), values.end(),
                     std::greater<>());
    return static_cast<double>(values[k - 1]);
}

// The positions that `admit` lets in and whose value is at least `floor`, ascending. Where they are many, no CPU foresees
// which: so each is written down, and kept if it counts.
template <class T, class Admit>
std::vector<std::uint32_t> reaching(std::span<const T> values, const Peaks<T>& peaks, double floor, Admit&& admit) {
    std::vector<std::uint32_t> out;
    std::size_t found = 0;
    for (std::size_t block = 0; block < peaks.values.size(); ++block) {
        if (!(static_cast<double>(peaks.values[block]) >= floor)) continue;
        if (out.size() < found + peaks.block) out.resize(2 * out.size() + peaks.block);
        const auto first = block * peaks.block, last = std::min(values.size(), first + peaks.block);
        for (auto i = first; i < last; ++i) {
            out[found] = static_cast<std::uint32_t>(i);
            found += std::size_t{static_cast<double>(values[i]) >= floor} & std::size_t{admit(i)};
        }
    }
    out.resize(found);
    return out;
}

// The k-th best of the values that `admit` lets in, for a small k.
template <class T, class Admit>
double kth_best(std::span<const T> values, const Peaks<T>& peaks, std::size_t k, double sure, Admit&& admit) {
    Largest top(k);
    const auto counts = [&](T value) { return static_cast<double>(value) >= std::max(sure, top.floor()); };
    for (std::size_t block = 0; block < peaks.values.size(); ++block) {
        if (!counts(peaks.values[block])) continue;
        const auto first = block * peaks.block, last = std::min(values.size(), first + peaks.block);
        for (auto i = first; i < last; ++i)
            if (counts(values[i]) && admit(i)) top.offer(static_cast<double>(values[i]));
    }
    return top.floor();
}

// The positions that `admit` lets in and whose value is within 2·slack of the k-th best of them; k values that are
// let in are known to reach `sure`.
template <class T, class Admit>
std::vector<std::uint32_t> within(std::span<const T> values, const Peaks<T>& peaks, std::size_t k, double slack,
                                  double sure, Admit&& admit) {
    if (k < kMany) return reaching(values, peaks, kth_best(values, peaks, k, sure, admit) - 2 * slack, admit);
    auto out = reaching(values, peaks, sure - 2 * slack, admit);
    std::vector<T> some(out.size());
    std::transform(out.begin(), out.end(), some.begin(), [&](std::uint32_t i) { return values[i]; });
    const auto least = kth_largest(std::move(some), k) - 2 * slack;
    std::erase_if(out, [&](std::uint32_t i) { return static_cast<double>(values[i]) < least; });
    return out;
}

// A thread's sums by document. They are zero between queries; only blocks touched are cleared.
struct Sums {
    std::vector<float> value;
    std::vector<std::uint8_t> touched;  // by block

    void fit(std::size_t documents) {
        if (value.size() >= documents) return;
        value.assign(documents, 0.0f);
        touched.assign(blocks_of(documents), 0);
    }
    Peaks<float> scale(std::span<const float> factors) {
        Peaks<float> peaks{std::vector<float>(blocks_of(factors.size()), -std::numeric_limits<float>::infinity())};
        scale_touched(value.data(), factors.data(), factors.size(), touched.data(), peaks.values.data());
        return peaks;
    }
    void clear() {
        for (std::size_t block = 0; block < touched.size(); ++block) {
            if (!touched[block]) continue;
            const auto first = block * kBlock;
            std::fill(value.data() + first, value.data() + std::min(value.size(), first + kBlock), 0.0f);
            touched[block] = 0;
        }
    }
};

// Leaves the sums clean, also where a damaged posting ends the query.
struct Clearing {
    Sums& sums;
    explicit Clearing(Sums& s) : sums(s) {}
    ~Clearing() { sums.clear(); }
};

template <class View>
void spread_thinly(const View& x, std::uint32_t term, double weight, const Factors<double>& f, std::size_t documents,
                   Sums& sums) {
    float* value_of = sums.value.data();
    std::uint8_t* touched = sums.touched.data();
    each_value(x, term, f, [&](std::uint32_t document, double value) {
        if (document >= documents) [[unlikely]] throw std::out_of_range("a posting names no document");
        value_of[document] += static_cast<float>(weight * value);
        touched[document / kBlock] = 1;
    });
}

// The same where so many blocks are touched that all are marked beforehand.
template <class View>
void spread_widely(const View& x, std::uint32_t term, double weight, const Factors<double>& f, std::size_t documents,
                   Sums& sums) {
    Cursor<View> postings(x, term, weight, f);
    postings.add(x, f, 0, static_cast<std::uint32_t>(documents), sums.value.data());
    if (!postings.done()) throw std::out_of_range("a posting names no document");
}

template <class View>
void spread(const View& x, const Query& query, const Factors<double>& f, std::size_t documents, Sums& sums) {
    std::size_t postings = 0;
    for (const auto term : query.columns)
        if (term < x.rows()) postings += x.end(term) - x.begin(term);
    const auto widely = postings >= documents;
    if (widely) std::fill_n(sums.touched.begin(), blocks_of(documents), std::uint8_t{1});
    for (std::size_t t = 0; t < query.columns.size(); ++t) {
        if (query.columns[t] >= x.rows()) continue;
        const auto of_term = widely ? spread_widely<View> : spread_thinly<View>;
        of_term(x, query.columns[t], query.weights[t], f, documents, sums);
    }
}

// One for all queries of a thread: clearing what was touched is cheaper than making it anew.
Sums& own_sums(std::size_t documents) {
    thread_local Sums sums;
    sums.fit(documents);
    return sums;
}

}  // namespace

template <class T>
std::vector<std::uint32_t> best(std::span<const T> scores, std::span<const bool> keep, std::size_t k, double slack) {
    if (k == 0) return {};
    const auto peaks = peaks_of(scores, k < blocks_of(scores.size()) ? kBlock : kSmall);
    const auto sure = keep.empty() ? kth_largest(peaks.values, k) : kNothing;
    return within(scores, peaks, k, slack, sure, [&](std::size_t i) { return kept(keep, i); });
}

template <class Columns>
std::vector<std::uint32_t> candidates(const CountsView<Columns>& inverted, const Query& query, std::span<const float> factors,
                                      std::span<const bool> keep, std::size_t k, double slack,
                                      const Factors<double>& f, bool positive) {
    if (k == 0) return {};
    const std::size_t documents = factors.size();
    Sums& sums = own_sums(documents);
    const Clearing clearing(sums);
    spread(inverted, query, f, documents, sums);
    const auto peaks = sums.scale(factors);
    const std::span<const float> scores(sums.value.data(), documents);
    if (!positive) return best(scores, keep, k, slack);
    const auto reached = keep.empty() ? kth_largest(peaks.values, k) : kNothing;
    return within(scores, peaks, k, slack, reached > 0 ? reached : kNothing, [&](std::size_t i) {
        const auto score = static_cast<double>(scores[i]);
        return score != 0 && score > -slack && kept(keep, i);
    });
}

template <class Columns>
void add_scores(const CountsView<Columns>& inverted, const Query& query, std::span<const float> factors,
                const Factors<double>& f, float scale, std::span<float> out) {
    const std::size_t documents = factors.size();
    Sums& sums = own_sums(documents);
    const Clearing clearing(sums);
    spread(inverted, query, f, documents, sums);
    add_touched(sums.value.data(), factors.data(), documents, sums.touched.data(), scale, out.data());
}

template std::vector<std::uint32_t> best(std::span<const float>, std::span<const bool>, std::size_t, double);
template std::vector<std::uint32_t> best(std::span<const double>, std::span<const bool>, std::size_t, double);

#define LIKEWISE_INSTANTIATE(Columns)                                                                               \
    template std::vector<std::uint32_t> candidates(const CountsView<Columns>&, const Query&, std::span<const float>, \
                                                   std::span<const bool>, std::size_t, double,                      \
                                                   const Factors<double>&, bool);                                   \
    template void add_scores(const CountsView<Columns>&, const Query&, std::span<const float>,                      \
                             const Factors<double>&, float, std::span<float>);
LIKEWISE_INSTANTIATE(Columns16)
LIKEWISE_INSTANTIATE(Columns24)
LIKEWISE_INSTANTIATE(Columns32)

}  // namespace likewise
