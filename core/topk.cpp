#include "topk.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

#include "dispatch.h"

namespace likewise {

namespace {

constexpr std::size_t kBlock = 1024;  // documents looked at together

// The k largest values offered; `floor` is the smallest of them once there are k.
class Largest {
public:
    explicit Largest(std::size_t k) : k_(k) { heap_.reserve(std::min<std::size_t>(k, 1 << 16)); }

    double floor() const {
        return heap_.size() < k_ ? -std::numeric_limits<double>::infinity() : heap_.front();
    }
    void offer(double value) {
        if (heap_.size() < k_) {
            heap_.push_back(value);
            std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
        } else if (value > heap_.front()) {
            std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
            heap_.back() = value;
            std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
        }
    }

private:
    std::size_t k_;
    std::vector<double> heap_;
};

template <class T>
LIKEWISE_INLINE T largest(const T* values, std::size_t size) {
    T lanes[8];
    std::fill(lanes, lanes + 8, -std::numeric_limits<T>::infinity());
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane)
            lanes[lane] = values[i + lane] > lanes[lane] ? values[i + lane] : lanes[lane];
    for (; i < size; ++i) lanes[0] = std::max(lanes[0], values[i]);
    return *std::max_element(lanes, lanes + 8);
}

LIKEWISE_DISPATCH(block_largest_float, (const float* values, std::size_t size, double& out),
                  out = static_cast<double>(largest(values, size)))
LIKEWISE_DISPATCH(block_largest_double, (const double* values, std::size_t size, double& out),
                  out = largest(values, size))

double block_largest(const float* values, std::size_t size) {
    double out;
    block_largest_float(values, size, out);
    return out;
}

double block_largest(const double* values, std::size_t size) {
    double out;
    block_largest_double(values, size, out);
    return out;
}

bool kept(std::span<const bool> keep, std::size_t i) { return keep.empty() || keep[i]; }

// The positions that `admit` lets in and whose value is within 2·slack of the k-th best of them.
// Blocks not marked in `touched` (all are, where it is null) are passed over.
template <class T, class Admit>
std::vector<std::uint32_t> within(std::span<const T> values, const std::uint8_t* touched, std::size_t k, double slack,
                                  Admit&& admit) {
    std::vector<std::uint32_t> out;
    if (k == 0) return out;
    Largest top(k);
    const auto blocks = (values.size() + kBlock - 1) / kBlock;
    std::vector<double> peak(blocks, -std::numeric_limits<double>::infinity());
    for (std::size_t block = 0; block < blocks; ++block) {
        if (touched && !touched[block]) continue;
        const auto first = block * kBlock, last = std::min(values.size(), first + kBlock);
        peak[block] = block_largest(values.data() + first, last - first);
        if (peak[block] < top.floor()) continue;
        for (auto i = first; i < last; ++i)
            if (static_cast<double>(values[i]) > top.floor() && admit(i)) top.offer(static_cast<double>(values[i]));
    }
    const double floor = top.floor() - 2 * slack;
    for (std::size_t block = 0; block < blocks; ++block) {
        if ((touched && !touched[block]) || peak[block] < floor) continue;
        const auto first = block * kBlock, last = std::min(values.size(), first + kBlock);
        for (auto i = first; i < last; ++i)
            if (static_cast<double>(values[i]) >= floor && admit(i)) out.push_back(static_cast<std::uint32_t>(i));
    }
    return out;
}

// A thread's sums by document. They are zero between queries; only blocks touched are cleared.
struct Sums {
    std::vector<float> value;
    std::vector<std::uint8_t> touched;  // by block

    void fit(std::size_t documents) {
        if (value.size() >= documents) return;
        value.assign(documents, 0.0f);
        touched.assign((documents + kBlock - 1) / kBlock, 0);
    }
    void scale(std::span<const float> factors) {
        each_touched([&](std::size_t first, std::size_t last) {
            for (auto d = first; d < std::min(last, factors.size()); ++d) value[d] *= factors[d];
        });
    }
    void clear() {
        each_touched([&](std::size_t first, std::size_t last) {
            std::fill(value.data() + first, value.data() + last, 0.0f);
            touched[first / kBlock] = 0;
        });
    }

private:
    template <class Use>
    void each_touched(Use&& use) {
        for (std::size_t block = 0; block < touched.size(); ++block)
            if (touched[block]) use(block * kBlock, std::min(value.size(), (block + 1) * kBlock));
    }
};

// Leaves the sums clean, also where a damaged posting ends the query.
struct Clearing {
    Sums& sums;
    explicit Clearing(Sums& s) : sums(s) {}
    ~Clearing() { sums.clear(); }
};

void spread(const CountView& x, std::uint32_t term, double weight, const Factors<double>& f, std::size_t documents,
            Sums& sums) {
    const auto split = x.split(term), end = x.end(term);
    const auto once = static_cast<float>(weight * f.table[1]);
    float* value_of = sums.value.data();
    std::size_t last = documents;  // the block marked last: postings ascend, so it rarely changes
    const auto add = [&](std::uint32_t document, float value) {
        if (document >= documents) [[unlikely]] throw std::out_of_range("a posting names no document");
        value_of[document] += value;
        if (const auto block = document / kBlock; block != last) sums.touched[last = block] = 1;
    };
    for (auto p = x.begin(term); p < split; ++p) add(x.columns[p], once);
    auto q = x.more[term];
    for (auto p = split; p < end; ++p, ++q) add(x.columns[p], static_cast<float>(weight * factor(x, f, q)));
}

}  // namespace

template <class T>
std::vector<std::uint32_t> best(std::span<const T> scores, std::span<const bool> keep, std::size_t k, double slack) {
    return within(scores, nullptr, k, slack, [&](std::size_t i) { return kept(keep, i); });
}

std::vector<std::uint32_t> candidates(const CountView& inverted, const Query& query, std::span<const float> factors,
                                      std::span<const bool> keep, std::size_t k, double slack,
                                      const Factors<double>& f, bool positive) {
    const std::size_t documents = factors.size();
    thread_local Sums sums;
    sums.fit(documents);
    const Clearing clearing(sums);
    for (std::size_t t = 0; t < query.columns.size(); ++t)
        if (query.columns[t] < inverted.rows())
            spread(inverted, query.columns[t], query.weights[t], f, documents, sums);
    sums.scale(factors);
    const std::span<const float> scores(sums.value.data(), documents);
    if (!positive) return best(scores, keep, k, slack);
    return within(scores, sums.touched.data(), k, slack, [&](std::size_t i) {
        const auto score = static_cast<double>(scores[i]);
        return score != 0 && score > -slack && kept(keep, i);
    });
}

template std::vector<std::uint32_t> best(std::span<const float>, std::span<const bool>, std::size_t, double);
template std::vector<std::uint32_t> best(std::span<const double>, std::span<const bool>, std::size_t, double);

}  // namespace likewise
