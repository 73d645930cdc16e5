#include "sections.h"

#include <algorithm>

#include "dispatch.h"
#include "highest.h"
#include "parallel.h"
#include "require.h"

namespace likewise {

namespace {

#define NUMBER template <class Number>
// Whether any of so many is above, or equal to, the one behind it: a loop without a way out, made wide.
LIKEWISE_DISPATCH_TEMPLATE(NUMBER, compare_neighbours,
                           (const Number* numbers, std::size_t pairs, bool& above, bool& equal),
                           (numbers, pairs, above, equal), {
    Number more = 0;
    Number same = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
        more |= static_cast<Number>(numbers[i] > numbers[i + 1]);
        same |= static_cast<Number>(numbers[i] == numbers[i + 1]);
    }
    above = more != 0;
    equal = same != 0;
})
#undef NUMBER

template <class Number>
std::span<const Number> as(Bytes bytes) {
    require(reinterpret_cast<std::uintptr_t>(bytes.data()) % sizeof(Number) == 0, "numbers must be aligned");
    return {reinterpret_cast<const Number*>(bytes.data()), bytes.size() / sizeof(Number)};
}

template <class Number>
Told told_of(Bytes all) {
    const auto numbers = as<Number>(all);
    Told told;
    told.checksum = checksum(all, [&](std::size_t first, std::size_t last) {
        const auto from = first / sizeof(Number), to = last / sizeof(Number);
        told.highest = std::max<std::uint64_t>(told.highest, highest(numbers.subspan(from, to - from)));
        if constexpr (sizeof(Number) >= 4) {
            const auto before = from - (from > 0);
            bool above = false, equal = false;
            if (to > before + 1) compare_neighbours(numbers.data() + before, to - before - 1, above, equal);
            told.ascends &= !above;
            told.neighbours_differ &= !equal;
        }
    });
    return told;
}

Told told_of_threes(Bytes all) {
    require(Columns24::fits(all.size()), "numbers of three bytes need one byte more behind them");
    Told told;
    told.checksum = checksum(all, [&](std::size_t first, std::size_t last) {
        const auto behind = last < all.size() ? last + 1 : last;
        told.highest = std::max<std::uint64_t>(told.highest, highest(Columns24(all.subspan(first, behind - first))));
    });
    return told;
}

}  // namespace

Told read_through(const Section& section) {
    switch (section.bytes_per_number) {
        case 0: return {checksum(section.bytes, [](std::size_t, std::size_t) {})};
        case 1: return told_of<std::uint8_t>(section.bytes);
        case 2: return told_of<std::uint16_t>(section.bytes);
        case 3: return told_of_threes(section.bytes);
        case 4: return told_of<std::uint32_t>(section.bytes);
        case 8: return told_of<std::uint64_t>(section.bytes);
        default: throw std::invalid_argument("a number has 1, 2, 3, 4 or 8 bytes");
    }
}

std::vector<Told> read_through(std::span<const Section> sections, unsigned threads) {
    std::vector<Told> told(sections.size());
    parallel(sections.size(), threads, [&](std::size_t i) { told[i] = read_through(sections[i]); });
    return told;
}

}  // namespace likewise
