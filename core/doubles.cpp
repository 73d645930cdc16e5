#include "doubles.h"

#include <atomic>

#include "parallel.h"
#include "require.h"
#include "rowdot.h"
#include "scratch.h"

namespace likewise {

namespace {

constexpr std::size_t kShare = 1u << 14;  // entries that one thread takes at a time
constexpr std::size_t kSums = 8;          // of parts of the rows, at most, that are added up
constexpr std::size_t kPerColumn = 4;     // entries for each column, where a thread needs a vector over columns
constexpr std::size_t kColumns = 1u << 13;

void check_starts(const DoubleView& x) {
    require(!x.starts.empty() && x.starts.front() == 0, "starts must begin with 0");
    require(std::is_sorted(x.starts.begin(), x.starts.end()), "starts must ascend");
    require(x.starts.back() == x.columns.size(), "starts must end with the number of columns stored");
    require(x.columns.size() == x.values.size(), "columns and values differ in length");
}

// work(first row, last row) for each share of about so many entries.
template <class Work>
void by_shares(const DoubleView& x, std::size_t entries, unsigned threads, Work&& work) {
    const auto cuts = shares(x, entries);
    parallel(cuts.size() - 1, threads, [&](std::size_t i) { work(cuts[i], cuts[i + 1]); });
}

}  // namespace

std::pair<std::vector<double>, bool> squares(const DoubleView& x, unsigned threads) {
    check_starts(x);
    std::vector<double> found(x.rows());
    std::atomic<bool> outside = false, repeated = false;
    by_shares(x, kShare + kPerColumn * x.width, threads, [&](std::size_t first, std::size_t last) {
        Scratch room;
        auto* seen = room.filled<std::uint32_t>(x.width, 0);  // the last row that named a column, counted from 1
        for (auto row = first; row < last; ++row) {
            const auto number = static_cast<std::uint32_t>(row + 1);
            bool again = false;
            double sum = 0;
            for (auto p = x.begin(row); p < x.end(row); ++p) {
                const auto column = x.columns[p];
                if (column >= x.width) [[unlikely]] {
                    outside = true;
                    return;
                }
                again |= seen[column] == number;
                seen[column] = number;
                sum += x.values[p] * x.values[p];
            }
            found[row] = sum;
            if (again) repeated = true;
        }
    });
    require(!outside, "a column lies beyond the width");
    return {std::move(found), repeated};
}

void scores(const DoubleView& x, const double* v, double* y, unsigned threads) {
    const double identity[]{0, 1};
    by_shares(x, kShare, threads, [&](std::size_t first, std::size_t last) {
        for (auto row = first; row < last; ++row) y[row] = row_dot(x, row, v, Factors<double>{identity, nullptr});
    });
}

std::vector<double> weighted_sum(const DoubleView& x, const double* a, unsigned threads) {
    const auto parts = std::clamp<std::size_t>(x.entries() / (kPerColumn * x.width + 1), 1, kSums);
    const auto cuts = shares(x, x.entries() / parts + 1);
    std::vector<Scratch> rooms(cuts.size() - 1);
    std::vector<const double*> sums(rooms.size());
    parallel(rooms.size(), threads, [&](std::size_t part) {
        auto* sum = rooms[part].zeros(x.width);
        for (auto row = cuts[part]; row < cuts[part + 1]; ++row) {
            if (a[row] == 0) continue;
            for (auto p = x.begin(row); p < x.end(row); ++p) sum[x.columns[p]] += a[row] * x.values[p];
        }
        sums[part] = sum;
    });
    std::vector<double> total(x.width);
    parallel((x.width + kColumns - 1) / kColumns, threads, [&](std::size_t block) {
        const auto first = block * kColumns, last = std::min(x.width, first + kColumns);
        for (const double* sum : sums)
            for (auto column = first; column < last; ++column) total[column] += sum[column];
    });
    return total;
}

}  // namespace likewise
