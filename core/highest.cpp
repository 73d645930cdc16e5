#include "highest.h"

#include <algorithm>

#include "wide.h"

namespace likewise {

namespace {

// Loops without a way out, which the compiler makes wide.
#define NUMBER template <class Number>
LIKEWISE_DISPATCH_TEMPLATE(NUMBER, find_highest, (std::span<const Number> numbers, Number& highest), (numbers, highest), {
    const auto* own = numbers.data();
    const std::size_t size = numbers.size();
    Number most = 0;
    for (std::size_t i = 0; i < size; ++i) most = std::max(most, own[i]);
    highest = most;
})
#undef NUMBER

std::uint32_t highest_of_threes(const Columns24& numbers, std::size_t from, std::uint32_t most) {
    for (auto i = from; i < numbers.size(); ++i) most = std::max(most, numbers[i]);
    return most;
}

#if defined(__x86_64__) && defined(__GNUC__)
// Numbers of three bytes are dealt to lanes of four. A step reads 28 bytes for 24: the last numbers are left to a loop.
LIKEWISE_AVX2 std::uint32_t highest_by_lanes(const Columns24& numbers) {
    constexpr char kNone = -1;
    const auto deal = _mm256_setr_epi8(0, 1, 2, kNone, 3, 4, 5, kNone, 6, 7, 8, kNone, 9, 10, 11, kNone,  //
                                       0, 1, 2, kNone, 3, 4, 5, kNone, 6, 7, 8, kNone, 9, 10, 11, kNone);
    const auto* bytes = static_cast<const std::uint8_t*>(address(numbers.reader(0)));
    auto most = _mm256_setzero_si256();
    std::size_t i = 0;
    for (; i + 10 <= numbers.size(); i += 8, bytes += 24) {
        const auto low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
        const auto high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 12));
        most = _mm256_max_epu32(most, _mm256_shuffle_epi8(_mm256_set_m128i(high, low), deal));
    }
    std::uint32_t lanes[8];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), most);
    return highest_of_threes(numbers, i, *std::max_element(lanes, lanes + 8));
}
#endif

template <class Number>
Number highest_of(std::span<const Number> numbers) {
    Number found = 0;
    find_highest(numbers, found);
    return found;
}

}  // namespace

std::uint32_t highest(std::span<const std::uint8_t> numbers) { return highest_of(numbers); }
std::uint32_t highest(Columns16 numbers) { return highest_of(numbers); }
std::uint32_t highest(Columns32 numbers) { return highest_of(numbers); }
std::uint64_t highest(std::span<const std::uint64_t> numbers) { return highest_of(numbers); }

std::uint32_t highest(const Columns24& numbers) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (kWide) return highest_by_lanes(numbers);
#endif
    return highest_of_threes(numbers, 0, 0);
}

}  // namespace likewise
