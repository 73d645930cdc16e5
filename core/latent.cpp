#include "latent.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "parallel.h"
#include "wide.h"

namespace likewise {

namespace {

constexpr std::size_t kShare = 256;   // rows that a thread takes at a time
constexpr std::size_t kLanes = 8;     // squares that are added side by side
constexpr float kMost = 127;          // of a number in a byte
constexpr std::uint32_t kSpare = 127; // the low bits of a factor that stay 0
constexpr float kNothing = 1e-30f;    // a row of no larger number is 0
constexpr float kWhole = 12582912;    // 1.5·2²³: a small number added to it is rounded to a whole one, ties to even

// A term of a document: its row of F, and what that is multiplied by.
struct Term {
    std::uint32_t row;
    float scale;
};

// Σ scale·F[row] over a document's terms, for dimensions from `first` on.
template <class Stored>
LIKEWISE_INLINE void sum_from(std::size_t first, std::span<const Term> terms, const DenseView<Stored>& basis,
                              float* sums) {
    std::fill(sums + first, sums + basis.width, 0.0f);
    for (const auto& term : terms) {
        const Stored* from = basis.row(term.row);
        for (auto b = first; b < basis.width; ++b) sums[b] += term.scale * static_cast<float>(from[b]);
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
constexpr std::size_t kPanel = 64;  // dimensions whose sums stay in registers
constexpr std::size_t kAhead = 6;   // terms whose rows are asked for in advance

// The same for whole panels of dimensions, whose sums stay in registers; how many dimensions that were.
template <class Stored>
LIKEWISE_AVX2 std::size_t sum_panels(std::span<const Term> terms, const DenseView<Stored>& basis, float* sums) {
    constexpr std::size_t lanes = 8;
    std::size_t first = 0;
    for (; first + kPanel <= basis.width; first += kPanel) {
        __m256 sum[kPanel / lanes];
        for (auto& each : sum) each = _mm256_setzero_ps();
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (i + kAhead < terms.size())
                for (std::size_t b = 0; b < kPanel; b += 64 / sizeof(Stored))
                    __builtin_prefetch(basis.row(terms[i + kAhead].row) + first + b);
            const Stored* from = basis.row(terms[i].row) + first;
            const auto scale = _mm256_set1_ps(terms[i].scale);
            for (std::size_t b = 0; b < kPanel / lanes; ++b)
                sum[b] = _mm256_add_ps(sum[b], _mm256_mul_ps(scale, as_floats(from + b * lanes)));
        }
        for (std::size_t b = 0; b < kPanel / lanes; ++b) _mm256_storeu_ps(sums + first + b * lanes, sum[b]);
    }
    return first;
}
#endif

template <class Stored>
void sum_up(std::span<const Term> terms, const DenseView<Stored>& basis, float* sums) {
    std::size_t done = 0;
#if defined(__x86_64__) && defined(__GNUC__)
    if (kWide) done = sum_panels(terms, basis, sums);
#endif
    if (done < basis.width) sum_from(done, terms, basis, sums);
}

// The length of a row, in running sums of double precision.
LIKEWISE_DISPATCH(find_length, (const float* row, std::size_t size, double& length), {
    double sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double value = row[i + lane];
            sums[lane] += value * value;
        }
    for (std::size_t lane = 0; i < size; ++i, ++lane) sums[lane] += static_cast<double>(row[i]) * row[i];
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
    length = std::sqrt(sums[0]);
})

LIKEWISE_DISPATCH(centred, (float* row, const float* centre, std::size_t size, float scale), {
    for (std::size_t i = 0; i < size; ++i) row[i] = row[i] * scale - centre[i];
})

// Signs are left out by their bit, and numbers of one sign are in the order of their bits.
LIKEWISE_DISPATCH(pack_row, (const float* row, std::size_t size, std::int8_t* bytes, float& factor), {
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < size; ++i) most = std::max(most, std::bit_cast<std::uint32_t>(row[i]) & 0x7fffffffu);
    const auto largest = std::bit_cast<float>(most);
    const float step = largest > kNothing ? largest / kMost : 0.0f;
    factor = std::bit_cast<float>((std::bit_cast<std::uint32_t>(step) + kSpare) & ~kSpare);
    if (factor > 0)
        for (std::size_t i = 0; i < size; ++i)
            bytes[i] = static_cast<std::int8_t>(static_cast<std::int32_t>(row[i] / factor + kWhole - kWhole));
    else
        std::fill_n(bytes, size, std::int8_t{0});
})

// Calls task(first, last) for rows that a thread takes at a time.
template <class Task>
void shared(std::size_t rows, unsigned threads, Task&& task) {
    parallel((rows + kShare - 1) / kShare, threads,
             [&](std::size_t share) { task(share * kShare, std::min(rows, (share + 1) * kShare)); });
}

// The terms of a row that the model has; there must be room for all. What is left out is written, too, and then
// written over: to pass it over would be a branch that no CPU foresees.
template <class View, class Stored>
std::size_t known_terms(const View& x, std::size_t row, const Space<Stored>& space, const Factors<float>& f,
                        Term* terms) {
    std::size_t count = 0;
    each_value(x, row, f, [&](std::uint32_t column, float value) LIKEWISE_ALWAYS_INLINE {
        const auto number = column < space.numbers.size() ? space.numbers[column] : kLeftOut;
        terms[count] = {number, value};
        count += number != kLeftOut;
    });
    if constexpr (std::is_same_v<Stored, std::int8_t>)
        for (std::size_t i = 0; i < count; ++i) terms[i].scale *= space.factors[terms[i].row];
    return count;
}

}  // namespace

template <class View, class Stored>
void fold(const View& x, std::span<const std::uint32_t> ids, const Space<Stored>& space, const Factors<float>& f,
          const Places& out, unsigned threads) {
    const auto width = space.basis.width;
    shared(ids.size(), threads, [&](std::size_t first, std::size_t last) {
        std::vector<Term> terms;
        std::vector<float> buffer(width);
        for (auto i = first; i < last; ++i) {
            terms.resize(x.end(ids[i]) - x.begin(ids[i]) + 1);
            float* const place = out.bytes ? buffer.data() : out.values + i * width;
            sum_up<Stored>({terms.data(), known_terms(x, ids[i], space, f, terms.data())}, space.basis, place);
            double length = 0;
            find_length(place, width, length);
            if (length > 0)
                centred(place, space.centre, width, static_cast<float>(1 / length));
            else
                std::fill_n(place, width, 0.0f);
            if (out.bytes) pack_row(place, width, out.bytes + i * width, out.factors[i]);
        }
    });
}

void pack(const FloatRows& x, const Places& out, unsigned threads) {
    shared(x.rows(), threads, [&](std::size_t first, std::size_t last) {
        for (auto i = first; i < last; ++i) pack_row(x.row(i), x.width, out.bytes + i * x.width, out.factors[i]);
    });
}

// Shares of rows have sums of their own, added up in order: the same bits on any number of threads.
std::vector<double> mean_direction(const FloatRows& x, unsigned threads) {
    std::vector<std::vector<double>> partial((x.rows() + kShare - 1) / kShare);
    shared(x.rows(), threads, [&](std::size_t first, std::size_t last) {
        auto& sums = partial[first / kShare];
        sums.assign(x.width, 0.0);
        for (auto i = first; i < last; ++i) {
            double length = 0;
            find_length(x.row(i), x.width, length);
            if (length > 0)
                for (std::size_t c = 0; c < x.width; ++c) sums[c] += static_cast<double>(x.row(i)[c]) / length;
        }
    });
    std::vector<double> mean(x.width);
    for (const auto& sums : partial)
        for (std::size_t c = 0; c < x.width; ++c) mean[c] += sums[c];
    for (auto& each : mean) each /= static_cast<double>(std::max<std::size_t>(x.rows(), 1));
    return mean;
}

#define LIKEWISE_INSTANTIATE_FOR(Columns, Stored)                                                            \
    template void fold(const CountsView<Columns>&, std::span<const std::uint32_t>, const Space<Stored>&,     \
                       const Factors<float>&, const Places&, unsigned);
#define LIKEWISE_INSTANTIATE(Columns)               \
    LIKEWISE_INSTANTIATE_FOR(Columns, float)        \
    LIKEWISE_INSTANTIATE_FOR(Columns, std::int8_t)
LIKEWISE_INSTANTIATE(Columns16)
LIKEWISE_INSTANTIATE(Columns24)
LIKEWISE_INSTANTIATE(Columns32)

}  // namespace likewise
