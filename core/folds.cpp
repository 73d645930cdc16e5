#include "folds.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "dispatch.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define LIKEWISE_HAS_AVX512
#define LIKEWISE_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#ifndef __clang__  // GCC 12 warns of its own header
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif

namespace likewise {

namespace {

// Nearly all rows of a text have at most so many columns counted once and often: these are summed
// without a loop, whose end no CPU foresees.
constexpr std::uint32_t kOnce = 64, kOften = 32;
constexpr std::uint32_t kLanes = 16;

// One row's numbers: those of columns counted once, the others' behind them, and factors or counts of these.
template <class Factor>
struct Row {
    const float* values;
    std::uint32_t once;
    const Factor* factors;
    std::uint32_t often;
};

// Goes from row to row.
template <class Factor>
class Walk {
public:
    Walk(const RowsOf& x, const float* values, const Factor* factors) : x_(x), values_(values), factors_(factors) {}

    LIKEWISE_ALWAYS_INLINE Row<Factor> next() {
        const auto begin = x_.starts[row_], counted = x_.more[row_];
        ++row_;
        const auto often = x_.more[row_] - counted, once = x_.starts[row_] - begin - often;
        const Row<Factor> found{values_, once, factors_, often};
        values_ += once + often;
        factors_ += often;
        return found;
    }

private:
    RowsOf x_;
    const float* values_;
    const Factor* factors_;
    std::size_t row_ = 0;
};

// The first of a long row's entries, as a row; what is left of it.
template <class Factor>
LIKEWISE_INLINE Row<Factor> cut(Row<Factor>& row) {
    const auto taken = std::min(row.once, kRun);
    const Row<Factor> first{row.values, taken, row.factors, std::min(row.often, kRun - taken)};
    row.values += first.once + first.often;
    row.once -= first.once;
    row.factors += first.often;
    row.often -= first.often;
    return first;
}

// On any CPU the lanes are four vectors of 16 bytes.
typedef float Values __attribute__((vector_size(16)));
typedef std::int32_t Bits __attribute__((vector_size(16)));
constexpr std::uint32_t kQuarter = 4;

// Ones, then zeros: from kMasks + kOnce − n on it has n ones.
constexpr auto kMasks = [] {
    std::array<std::int32_t, kOnce + kOnce> made{};
    for (std::size_t i = 0; i < kOnce; ++i) made[i] = -1;
    return made;
}();

template <class Number, class Vector>
LIKEWISE_INLINE void read(const Number* from, Vector& into) {
    std::memcpy(&into, from, sizeof into);
}

LIKEWISE_INLINE float any_sum(const Row<float>& row, float one) {
    Values sums[4] = {}, value, factor;
    Bits bits, mask;
    auto p = row.values;
    auto n = row.once;
    for (; n > kOnce; n -= kLanes, p += kLanes)
        for (std::uint32_t i = 0; i < 4; ++i) {
            read(p + i * kQuarter, value);
            sums[i] += value;
        }
    const auto once = kMasks.data() + kOnce - n;
    for (std::uint32_t i = 0; i < kOnce; i += kQuarter) {
        read(p + i, bits);
        read(once + i, mask);
        sums[i / kQuarter % 4] += reinterpret_cast<Values>(bits & mask);
    }
    for (auto& sum : sums) sum *= one;
    p += n;
    auto f = row.factors;
    for (n = row.often; n > kOften; n -= kLanes, p += kLanes, f += kLanes)
        for (std::uint32_t i = 0; i < 4; ++i) {
            read(p + i * kQuarter, value);
            read(f + i * kQuarter, factor);
            sums[i] += value * factor;
        }
    const auto often = kMasks.data() + kOnce - n;
    for (std::uint32_t i = 0; i < kOften; i += kQuarter) {
        read(p + i, value);
        read(f + i, factor);
        read(often + i, mask);
        sums[i / kQuarter % 4] += reinterpret_cast<Values>(reinterpret_cast<Bits>(value * factor) & mask);
    }
    const Values all = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    return ((all[0] + all[2]) + (all[1] + all[3])) + 0.0f;  // never −0, on whichever way
}

void fold_any(RowsOf x, const float* values, const std::uint8_t* counts, const float* table, float* y) {
    float factors[kMostEntries + kRoom];
    const auto stored = x.more[x.rows] - x.more[0];
    for (std::uint32_t i = 0; i < stored; ++i) factors[i] = table[counts[i]];
    for (std::size_t i = 0; i < kRoom; ++i) factors[stored + i] = 0;
    Walk walk(x, values, factors);
    for (std::size_t r = 0; r < x.rows; ++r) {
        auto row = walk.next();
        if (row.once + row.often <= kRun) [[likely]] {
            y[r] = any_sum(row, table[1]);
        } else {
            double sum = 0;
            while (row.once + row.often > 0) sum += static_cast<double>(any_sum(cut(row), table[1]));
            y[r] = static_cast<float>(sum);
        }
    }
}

#ifdef LIKEWISE_HAS_AVX512

// The same with all lanes in one vector, and masks that cost little: a lane that is left out keeps its sum.
// So more of a row is summed without a loop.
constexpr std::uint32_t kWideOnce = 80;

// The lanes of numbers first to first + 15 that are below count.
LIKEWISE_AVX512 LIKEWISE_INLINE __mmask16 below(std::uint32_t count, std::uint32_t first) {
    const auto numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const auto from_first = _mm512_add_epi32(numbers, _mm512_set1_epi32(static_cast<int>(first)));
    return _mm512_cmplt_epu32_mask(from_first, _mm512_set1_epi32(static_cast<int>(count)));
}

LIKEWISE_AVX512 LIKEWISE_INLINE __m512 add_some(__m512 sum, __mmask16 mask, __m512 numbers) {
    return _mm512_mask_add_ps(sum, mask, sum, numbers);
}

LIKEWISE_AVX512 LIKEWISE_INLINE float fold(__m512 a) {
    const auto eight = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    const auto four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const auto two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return (_mm_cvtss_f32(two) + _mm_cvtss_f32(_mm_movehdup_ps(two))) + 0.0f;
}

// f of sixteen counts, or of some. Counts up to 31 are looked up in registers.
class Table {
public:
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE explicit Table(const float* all)
        : all_(all), low_(_mm512_loadu_ps(all)), high_(_mm512_loadu_ps(all + kLanes)) {}

    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE __m512 operator()(__mmask16 mask, const std::uint8_t* counts) const {
        const auto count = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, counts));
        const auto found = _mm512_permutex2var_ps(low_, count, high_);
        const auto larger = _mm512_cmpgt_epu32_mask(count, _mm512_set1_epi32(31));
        if (larger) [[unlikely]] return _mm512_mask_i32gather_ps(found, larger, count, all_, sizeof(float));
        return found;
    }
    LIKEWISE_ALWAYS_INLINE float one() const { return all_[1]; }

private:
    const float* all_;
    __m512 low_, high_;
};

// Most terms are in few documents, which one step sums; among documents, whose rows are longer, to ask for
// that is a branch that no CPU foresees, and costs a fifth of the scores.
template <bool kShort>
LIKEWISE_AVX512 LIKEWISE_INLINE float wide_sum(const Row<std::uint8_t>& row, const Table& table) {
    auto p = row.values;
    auto counts = row.factors;
    auto n = row.once;
    const auto one = _mm512_set1_ps(table.one());
    if (kShort && n <= kLanes && row.often <= kLanes) {
        const auto once = _mm512_maskz_mul_ps(below(n, 0), _mm512_loadu_ps(p), one);
        const auto mask = below(row.often, 0);
        return fold(add_some(once, mask, _mm512_mul_ps(_mm512_loadu_ps(p + n), table(mask, counts))));
    }
    auto sum = _mm512_setzero_ps();
    for (; n > kWideOnce; n -= kLanes, p += kLanes) sum = _mm512_add_ps(sum, _mm512_loadu_ps(p));
#pragma GCC unroll 5
    for (std::uint32_t i = 0; i < kWideOnce; i += kLanes) sum = add_some(sum, below(n, i), _mm512_loadu_ps(p + i));
    sum = _mm512_mul_ps(sum, one);
    p += n;
    for (n = row.often; n > kOften; n -= kLanes, p += kLanes, counts += kLanes)
        sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_loadu_ps(p), table(0xffff, counts)));
#pragma GCC unroll 2
    for (std::uint32_t i = 0; i < kOften; i += kLanes) {
        const auto mask = below(n, i);
        sum = add_some(sum, mask, _mm512_mul_ps(_mm512_loadu_ps(p + i), table(mask, counts + i)));
    }
    return fold(sum);
}

template <bool kShort>
LIKEWISE_AVX512 LIKEWISE_INLINE void fold_wide(RowsOf x, const float* values, const std::uint8_t* counts,
                                               const float* all, float* y) {
    const Table table(all);
    Walk<std::uint8_t> walk(x, values, counts);
    for (std::size_t r = 0; r < x.rows; ++r) {
        auto row = walk.next();
        if (row.once + row.often <= kRun) [[likely]] {
            y[r] = wide_sum<kShort>(row, table);
        } else {
            double sum = 0;
            while (row.once + row.often > 0) sum += static_cast<double>(wide_sum<kShort>(cut(row), table));
            y[r] = static_cast<float>(sum);
        }
    }
}

LIKEWISE_AVX512 void fold_avx512(RowsOf x, const float* values, const std::uint8_t* counts, const float* table,
                                 float* y) {
    if (x.starts[x.rows] - x.starts[0] < kLanes * x.rows)
        fold_wide<true>(x, values, counts, table, y);
    else
        fold_wide<false>(x, values, counts, table, y);
}

bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

#endif

}  // namespace

void fold_rows(RowsOf x, const float* values, const std::uint8_t* counts, const float* table, float* y) {
#ifdef LIKEWISE_HAS_AVX512
    static const bool wide = has_avx512();
    if (wide) return fold_avx512(x, values, counts, table, y);
#endif
    fold_any(x, values, counts, table, y);
}

}  // namespace likewise
