#include "row_entries.h"

#include <algorithm>
#include <array>
#include <bit>

#include "parallel.h"

namespace likewise {

namespace {

constexpr std::size_t kBlock = 32;  // rows that one thread takes at a time
constexpr int kDigit = 9;           // bits
constexpr std::uint32_t kMask = (1u << kDigit) - 1;

using Block = std::vector<Rows::Entry>;

// By digits of the columns, all rows of a block together: comparing the columns of each row takes several times as
// long, for no CPU foresees the results. Entries of a column stay in the order of their rows.
void order(Block& entries, std::size_t width) {
    Block other(entries.size());
    for (int shift = 0, bits = static_cast<int>(std::bit_width(width)); shift < bits; shift += kDigit) {
        std::array<std::uint32_t, kMask + 2> next{};
        for (const auto& entry : entries) ++next[(entry.column >> shift & kMask) + 1];
        for (std::size_t digit = 1; digit < next.size(); ++digit) next[digit] += next[digit - 1];
        for (const auto& entry : entries) other[next[entry.column >> shift & kMask]++] = entry;
        entries.swap(other);
    }
}

}  // namespace

RowEntries entries_of(const Rows& rows, unsigned threads) {
    const auto size = rows.size(), count = (size + kBlock - 1) / kBlock;
    std::vector<Block> blocks(count);
    RowEntries out{std::vector<std::int64_t>(size + 1), {}, {}};
    const auto collect = [&](std::size_t block) {
        auto& entries = blocks[block];
        for (auto i = block * kBlock, last = std::min(size, i + kBlock); i < last; ++i) {
            const auto before = entries.size();
            rows.append(i, entries);
            out.starts[i + 1] = static_cast<std::int64_t>(entries.size() - before);
        }
        order(entries, rows.width());
    };
    const auto make_room = [&] {
        for (std::size_t i = 0; i < size; ++i) out.starts[i + 1] += out.starts[i];
        out.columns.resize(static_cast<std::size_t>(out.starts.back()));
        out.values.resize(out.columns.size());
    };
    const auto write = [&](std::size_t block) {
        const auto first = block * kBlock;
        std::array<std::int64_t, kBlock> next{};
        std::copy_n(out.starts.data() + first, std::min(kBlock, size - first), next.data());
        for (const auto& entry : blocks[block]) {
            const auto at = static_cast<std::size_t>(next[entry.row - first]++);
            out.columns[at] = static_cast<std::int32_t>(entry.column);
            out.values[at] = entry.value;
        }
    };
    parallel_steps<3>({count, 1, count}, threads, [&](std::size_t step, std::size_t i) {
        if (step == 0) return collect(i);
        if (step == 1) return make_room();
        write(i);
    });
    return out;
}

}  // namespace likewise
