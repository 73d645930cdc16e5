// Eight stored numbers at a time as floats, for functions that are written for AVX2 by hand.
#pragma once

#include "dispatch.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include <cstdint>

#define LIKEWISE_AVX2 __attribute__((target("avx2")))

namespace likewise {

inline const bool kWide = __builtin_cpu_supports("avx2");

LIKEWISE_AVX2 LIKEWISE_INLINE __m256 as_floats(const float* from) { return _mm256_loadu_ps(from); }
LIKEWISE_AVX2 LIKEWISE_INLINE __m256 as_floats(const std::int8_t* from) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))));
}

}  // namespace likewise
#endif
