#include "folds.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "dispatch.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define LIKEWISE_HAS_AVX512
#define LIKEWISE_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi2")))
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

// One row's numbers: those of columns counted once, the others' behind them, and factors of these.
struct Row {
    const float* values;
    std::uint32_t once;
    const float* factors;
    std::uint32_t often;
};

// Goes from row to row.
class Walk {
public:
    Walk(const RowsOf& x, const float* values, const float* factors) : x_(x), values_(values), factors_(factors) {}

    LIKEWISE_ALWAYS_INLINE Row next() {
        const auto begin = x_.starts[row_], counted = x_.more[row_];
        ++row_;
        const auto often = x_.more[row_] - counted, once = x_.starts[row_] - begin - often;
        const Row found{values_, once, factors_, often};
        values_ += once + often;
        factors_ += often;
        return found;
    }

private:
    RowsOf x_;
    const float* values_;
    const float* factors_;
    std::size_t row_ = 0;
};

// The first of a long row's entries, as a row; what is left of it.
LIKEWISE_INLINE Row cut(Row& row) {
    const auto taken = std::min(row.once, kRun);
    const Row first{row.values, taken, row.factors, std::min(row.often, kRun - taken)};
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

LIKEWISE_INLINE float any_sum(const Row& row, float one) {
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

// The same with all lanes in one vector, and masks that cost nothing. A mask's bit i lets number i in.
LIKEWISE_AVX512 LIKEWISE_INLINE __m512 read_some(std::uint64_t mask, const float* p) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), p);
}

LIKEWISE_AVX512 LIKEWISE_INLINE float fold(__m512 a) {
    const auto eight = _mm256_add_ps(_mm512_castps512_ps256(a), _mm512_extractf32x8_ps(a, 1));
    const auto four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const auto two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return (_mm_cvtss_f32(two) + _mm_cvtss_f32(_mm_movehdup_ps(two))) + 0.0f;
}

// Most terms are in few documents, which one step sums; among documents, whose rows are longer, to ask for
// that is a branch that no CPU foresees, and costs a fifth of the scores.
template <bool kShort>
LIKEWISE_AVX512 LIKEWISE_INLINE float wide_sum(const Row& row, float one) {
    auto p = row.values;
    auto f = row.factors;
    auto n = row.once;
    if (kShort && n <= kLanes && row.often <= kLanes) {
        const auto once = _mm512_mul_ps(read_some(_bzhi_u64(~0ull, n), p), _mm512_set1_ps(one));
        const auto mask = _bzhi_u64(~0ull, row.often);
        return fold(_mm512_add_ps(once, _mm512_mul_ps(read_some(mask, p + n), read_some(mask, f))));
    }
    auto sum = _mm512_setzero_ps();
    for (; n > kOnce; n -= kLanes, p += kLanes) sum = _mm512_add_ps(sum, _mm512_loadu_ps(p));
    const auto once = _bzhi_u64(~0ull, n);
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < kOnce; i += kLanes) sum = _mm512_add_ps(sum, read_some(once >> i, p + i));
    sum = _mm512_mul_ps(sum, _mm512_set1_ps(one));
    p += n;
    for (n = row.often; n > kOften; n -= kLanes, p += kLanes, f += kLanes)
        sum = _mm512_add_ps(sum, _mm512_mul_ps(_mm512_loadu_ps(p), _mm512_loadu_ps(f)));
    const auto often = _bzhi_u64(~0ull, n);
#pragma GCC unroll 2
    for (std::uint32_t i = 0; i < kOften; i += kLanes)
        sum = _mm512_add_ps(sum, _mm512_mul_ps(read_some(often >> i, p + i), read_some(often >> i, f + i)));
    return fold(sum);
}

// factors[i] = table[counts[i]]. Counts up to 31 are looked up in registers.
LIKEWISE_AVX512 LIKEWISE_INLINE void look_up(const std::uint8_t* counts, std::uint32_t stored, const float* table,
                                             float* factors) {
    const auto low = _mm512_loadu_ps(table), high = _mm512_loadu_ps(table + kLanes);
    for (std::uint32_t i = 0; i < stored; i += kLanes) {
        const auto left = stored - i;
        const auto mask = static_cast<__mmask16>(_bzhi_u32(~0u, left < kLanes ? left : kLanes));
        const auto count = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, counts + i));
        auto found = _mm512_permutex2var_ps(low, count, high);
        const auto larger = _mm512_cmpgt_epu32_mask(count, _mm512_set1_epi32(31));
        if (larger) [[unlikely]] found = _mm512_mask_i32gather_ps(found, larger, count, table, sizeof(float));
        _mm512_storeu_ps(factors + i, found);
    }
}

template <bool kShort>
LIKEWISE_AVX512 LIKEWISE_INLINE void fold_wide(RowsOf x, const float* values, const std::uint8_t* counts,
                                               const float* table, float* y) {
    float factors[kMostEntries + kRoom];
    look_up(counts, x.more[x.rows] - x.more[0], table, factors);
    Walk walk(x, values, factors);
    for (std::size_t r = 0; r < x.rows; ++r) {
        auto row = walk.next();
        if (row.once + row.often <= kRun) [[likely]] {
            y[r] = wide_sum<kShort>(row, table[1]);
        } else {
            double sum = 0;
            while (row.once + row.often > 0) sum += static_cast<double>(wide_sum<kShort>(cut(row), table[1]));
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
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
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
