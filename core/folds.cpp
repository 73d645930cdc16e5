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
template <class T, class Factor>
struct Row {
    const T* values;
    std::uint32_t once;
    const Factor* factors;
    std::uint32_t often;
};

// Goes from row to row.
template <class T, class Factor>
class Walk {
public:
    Walk(const RowsOf& x, const T* values, const Factor* factors) : x_(x), values_(values), factors_(factors) {}

    LIKEWISE_ALWAYS_INLINE Row<T, Factor> next() {
        const auto begin = x_.starts[row_], counted = x_.more[row_];
        ++row_;
        const auto often = x_.more[row_] - counted, once = x_.starts[row_] - begin - often;
        const Row<T, Factor> found{values_, once, factors_, often};
        values_ += once + often;
        factors_ += often;
        return found;
    }

private:
    RowsOf x_;
    const T* values_;
    const Factor* factors_;
    std::size_t row_ = 0;
};

// The first of a long row's entries, as a row; what is left of it.
template <class T, class Factor>
LIKEWISE_INLINE Row<T, Factor> cut(Row<T, Factor>& row) {
    const auto taken = std::min(row.once, kRun);
    const Row<T, Factor> first{row.values, taken, row.factors, std::min(row.often, kRun - taken)};
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

LIKEWISE_INLINE float any_sum(const Row<float, float>& row, float one) {
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
    Walk<float, float> walk(x, values, factors);
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

// The same with wide vectors, and masks that cost little: a lane that is left out keeps its sum. So more of a
// row is summed without a loop.
constexpr std::uint32_t kWideOnce = 80;

// The lanes of numbers first to first + 15 that are below count.
LIKEWISE_AVX512 LIKEWISE_INLINE __mmask16 below(std::uint32_t count, std::uint32_t first) {
    const auto numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const auto from_first = _mm512_add_epi32(numbers, _mm512_set1_epi32(static_cast<int>(first)));
    return _mm512_cmplt_epu32_mask(from_first, _mm512_set1_epi32(static_cast<int>(count)));
}

// Sixteen numbers in one vector.
class Singles {
public:
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE Singles() : all_(_mm512_setzero_ps()) {}
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE explicit Singles(__m512 all) : all_(all) {}
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE explicit Singles(const float* from) : all_(_mm512_loadu_ps(from)) {}

    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE void add(Singles other) { all_ = _mm512_add_ps(all_, other.all_); }
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE void add(__mmask16 some, Singles other) {
        all_ = _mm512_mask_add_ps(all_, some, all_, other.all_);
    }
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE Singles times(Singles other) const {
        return Singles(_mm512_mul_ps(all_, other.all_));
    }
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE Singles times(float one) const { return times(Singles(_mm512_set1_ps(one))); }
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE float folded() const {
        const auto eight = _mm256_add_ps(_mm512_castps512_ps256(all_), _mm512_extractf32x8_ps(all_, 1));
        const auto four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
        const auto two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        return (_mm_cvtss_f32(two) + _mm_cvtss_f32(_mm_movehdup_ps(two))) + 0.0f;
    }

private:
    __m512 all_;
};

// Sixteen numbers in two vectors.
class Doubles {
public:
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE Doubles() : Doubles(_mm512_setzero_pd(), _mm512_setzero_pd()) {}
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE Doubles(__m512d low, __m512d high) : low_(low), high_(high) {}
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE explicit Doubles(const double* from)
        : Doubles(_mm512_loadu_pd(from), _mm512_loadu_pd(from + kLanes / 2)) {}

    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE void add(Doubles other) {
        low_ = _mm512_add_pd(low_, other.low_);
        high_ = _mm512_add_pd(high_, other.high_);
    }
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE void add(__mmask16 some, Doubles other) {
        low_ = _mm512_mask_add_pd(low_, static_cast<__mmask8>(some), low_, other.low_);
        high_ = _mm512_mask_add_pd(high_, static_cast<__mmask8>(some >> 8), high_, other.high_);
    }
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE Doubles times(Doubles other) const {
        return {_mm512_mul_pd(low_, other.low_), _mm512_mul_pd(high_, other.high_)};
    }
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE Doubles times(double one) const {
        return times({_mm512_set1_pd(one), _mm512_set1_pd(one)});
    }
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE double folded() const {
        const auto eight = _mm512_add_pd(low_, high_);
        const auto four = _mm256_add_pd(_mm512_castpd512_pd256(eight), _mm512_extractf64x4_pd(eight, 1));
        const auto two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
        return (_mm_cvtsd_f64(two) + _mm_cvtsd_f64(_mm_unpackhi_pd(two, two))) + 0.0;
    }

private:
    __m512d low_, high_;
};

// f of sixteen counts, or of some. Small counts are looked up in registers.
class SingleTable {
public:
    using Lanes = Singles;

    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE explicit SingleTable(const float* all)
        : all_(all), low_(_mm512_loadu_ps(all)), high_(_mm512_loadu_ps(all + kLanes)) {}

    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE Singles operator()(__mmask16 mask, const std::uint8_t* counts) const {
        const auto count = _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, counts));
        const auto found = _mm512_permutex2var_ps(low_, count, high_);
        const auto larger = _mm512_cmpgt_epu32_mask(count, _mm512_set1_epi32(31));
        if (larger) [[unlikely]]
            return Singles(_mm512_mask_i32gather_ps(found, larger, count, all_, sizeof(float)));
        return Singles(found);
    }
    LIKEWISE_ALWAYS_INLINE float one() const { return all_[1]; }

private:
    const float* all_;
    __m512 low_, high_;
};

class DoubleTable {
public:
    using Lanes = Doubles;

    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE explicit DoubleTable(const double* all)
        : all_(all), low_(_mm512_loadu_pd(all)), high_(_mm512_loadu_pd(all + kLanes / 2)) {}

    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE Doubles operator()(__mmask16 mask, const std::uint8_t* counts) const {
        const auto read = _mm_maskz_loadu_epi8(mask, counts);
        return {eight(_mm512_cvtepu8_epi64(read)), eight(_mm512_cvtepu8_epi64(_mm_unpackhi_epi64(read, read)))};
    }
    LIKEWISE_ALWAYS_INLINE double one() const { return all_[1]; }

private:
    LIKEWISE_AVX512 LIKEWISE_ALWAYS_INLINE __m512d eight(__m512i count) const {
        const auto found = _mm512_permutex2var_pd(low_, count, high_);
        const auto larger = _mm512_cmpgt_epu64_mask(count, _mm512_set1_epi64(15));
        if (larger) [[unlikely]] return _mm512_mask_i64gather_pd(found, larger, count, all_, sizeof(double));
        return found;
    }

    const double* all_;
    __m512d low_, high_;
};

// Most terms are in few documents, which one step sums; among documents, whose rows are longer, to ask for
// that is a branch that no CPU foresees, and costs a fifth of the scores.
template <bool kShort, class T, class Table>
LIKEWISE_AVX512 LIKEWISE_INLINE T wide_sum(const Row<T, std::uint8_t>& row, const Table& table) {
    using Lanes = typename Table::Lanes;
    auto p = row.values;
    auto counts = row.factors;
    auto n = row.once;
    Lanes sum;
    if (kShort && n <= kLanes && row.often <= kLanes) {
        sum.add(below(n, 0), Lanes(p).times(table.one()));
        const auto mask = below(row.often, 0);
        sum.add(mask, Lanes(p + n).times(table(mask, counts)));
        return sum.folded();
    }
    for (; n > kWideOnce; n -= kLanes, p += kLanes) sum.add(Lanes(p));
#pragma GCC unroll 5
    for (std::uint32_t i = 0; i < kWideOnce; i += kLanes) sum.add(below(n, i), Lanes(p + i));
    sum = sum.times(table.one());
    p += n;
    for (n = row.often; n > kOften; n -= kLanes, p += kLanes, counts += kLanes)
        sum.add(Lanes(p).times(table(0xffff, counts)));
#pragma GCC unroll 2
    for (std::uint32_t i = 0; i < kOften; i += kLanes) {
        const auto mask = below(n, i);
        sum.add(mask, Lanes(p + i).times(table(mask, counts + i)));
    }
    return sum.folded();
}

template <bool kShort, class Table, class T>
LIKEWISE_AVX512 LIKEWISE_INLINE void fold_wide(RowsOf x, const T* values, const std::uint8_t* counts, const T* all,
                                               T* y) {
    const Table table(all);
    Walk<T, std::uint8_t> walk(x, values, counts);
    for (std::size_t r = 0; r < x.rows; ++r) {
        auto row = walk.next();
        if (row.once + row.often <= kRun) [[likely]] {
            y[r] = wide_sum<kShort, T>(row, table);
        } else {
            double sum = 0;
            while (row.once + row.often > 0) sum += static_cast<double>(wide_sum<kShort, T>(cut(row), table));
            y[r] = static_cast<T>(sum);
        }
    }
}

template <class Table, class T>
LIKEWISE_AVX512 void fold_avx512(RowsOf x, const T* values, const std::uint8_t* counts, const T* table, T* y) {
    if (x.starts[x.rows] - x.starts[0] < kLanes * x.rows)
        fold_wide<true, Table>(x, values, counts, table, y);
    else
        fold_wide<false, Table>(x, values, counts, table, y);
}

bool has_avx512() {
    static const bool found = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return found;
}

#endif

}  // namespace

void fold_rows(RowsOf x, const float* values, const std::uint8_t* counts, const float* table, float* y) {
#ifdef LIKEWISE_HAS_AVX512
    if (has_avx512()) return fold_avx512<SingleTable>(x, values, counts, table, y);
#endif
    fold_any(x, values, counts, table, y);
}

#ifdef LIKEWISE_HAS_AVX512
bool folds_doubles() { return has_avx512(); }

void fold_rows(RowsOf x, const double* values, const std::uint8_t* counts, const double* table, double* y) {
    fold_avx512<DoubleTable>(x, values, counts, table, y);
}
#else
bool folds_doubles() { return false; }

void fold_rows(RowsOf, const double*, const std::uint8_t*, const double*, double*) {}
#endif

}  // namespace likewise
