#include "csr.h"

#include <bit>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "highest.h"
#include "parallel.h"
#include "require.h"

namespace likewise {

namespace {

// The rows are cut into stripes of about equal size, so that threads share the work.
template <class View>
std::vector<std::size_t> stripes(const View& x, std::size_t count) {
    std::vector<std::size_t> cuts{0};
    for (std::size_t i = 1; i < count; ++i) {
        const auto target = static_cast<std::uint32_t>(x.entries() * i / count);
        const auto row = std::lower_bound(x.starts.begin(), x.starts.end(), target) - x.starts.begin();
        cuts.push_back(std::clamp(static_cast<std::size_t>(row), cuts.back(), x.rows()));
    }
    cuts.push_back(x.rows());
    return cuts;
}

constexpr std::size_t kBlock = 1 << 12;  // numbers looked at together

// Loops without a way out, which the compiler makes wide.
LIKEWISE_DISPATCH(find_extremes, (const std::uint8_t* numbers, std::size_t size, std::uint8_t& low, std::uint8_t& high), {
    std::uint8_t least = 255;
    std::uint8_t most = 0;
    for (std::size_t i = 0; i < size; ++i) {
        least = std::min(least, numbers[i]);
        most = std::max(most, numbers[i]);
    }
    low = least;
    high = most;
})
LIKEWISE_DISPATCH(find_not_finite, (const float* numbers, std::size_t size, bool& found), {
    std::uint32_t wrong = 0;
    for (std::size_t i = 0; i < size; ++i)
        wrong |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(numbers[i]) & 0x7f800000u) == 0x7f800000u);
    found = wrong != 0;
})

template <class Columns>
void check_columns(const Columns& columns, std::size_t width, std::optional<std::uint64_t> known = {}) {
    require(columns.empty() || (known ? *known : highest(columns)) < width, "a column lies beyond the width");
}

// Stored counts are 2 or more, and those that say kLarge are listed. Blocks without any are passed over.
template <class View>
void check_large(const View& x) {
    std::size_t seen = 0;
    for (std::size_t first = 0; first < x.counts.size(); first += kBlock) {
        const auto last = std::min(x.counts.size(), first + kBlock);
        std::uint8_t low = 0, high = 0;
        find_extremes(x.counts.data() + first, last - first, low, high);
        require(low > 1, "a count that is stored must be 2 or more");
        if (high < kLarge) continue;
        for (auto p = first; p < last; ++p)
            if (x.counts[p] == kLarge) {
                require(seen < x.large_at.size() && x.large_at[seen] == p, "large_at misses a large count");
                require(x.large[seen] >= kLarge, "a large count is small");
                ++seen;
            }
    }
    require(seen == x.large_at.size(), "large_at names a count that is not large");
}

void require_countable(std::size_t entries) {
    if (entries > 0xFFFFFFFFu) throw std::length_error("more than 4 billion entries in one segment");
}

}  // namespace

void append_rows(CountArrays& rows, const CountArrays& more) {
    require_countable(rows.columns.size() + more.columns.size());
    const auto append = [](auto& to, const auto& from, std::size_t skip, std::size_t shift) {
        using Number = typename std::decay_t<decltype(to)>::value_type;
        std::transform(from.begin() + static_cast<std::ptrdiff_t>(skip), from.end(), std::back_inserter(to),
                       [&](Number n) { return static_cast<Number>(n + shift); });
    };
    const auto columns = rows.columns.size(), counts = rows.counts.size();
    append(rows.starts, more.starts, 1, columns);
    append(rows.more, more.more, 1, counts);
    append(rows.large_at, more.large_at, 0, counts);
    make_room(rows.columns, more.columns.size());
    rows.columns.insert(rows.columns.end(), more.columns.begin(), more.columns.end());
    rows.counts.insert(rows.counts.end(), more.counts.begin(), more.counts.end());
    rows.large.insert(rows.large.end(), more.large.begin(), more.large.end());
}

CountArrays joined(std::span<const CountArrays> parts, unsigned threads) {
    struct Place {
        std::size_t rows = 0, columns = 0, counts = 0, large = 0;
    };
    std::vector<Place> places(1);
    for (const auto& part : parts) {
        const auto& last = places.back();
        places.push_back({last.rows + part.starts.size() - 1, last.columns + part.columns.size(),
                          last.counts + part.counts.size(), last.large + part.large.size()});
    }
    const auto& all = places.back();
    require_countable(all.columns);
    CountArrays out;
    out.starts.resize(all.rows + 1);
    out.more.resize(all.rows + 1);
    out.columns.resize(all.columns);
    out.counts.resize(all.counts);
    out.large_at.resize(all.large);
    out.large.resize(all.large);
    parallel(parts.size(), threads, [&](std::size_t i) {
        const auto& part = parts[i];
        const auto& at = places[i];
        const auto put = [](std::span<const std::uint32_t> from, CountArrays::Array<std::uint32_t>& to, std::size_t place,
                            std::size_t shift) {
            std::transform(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(place),
                           [&](std::uint32_t n) { return static_cast<std::uint32_t>(n + shift); });
        };
        put(std::span(part.starts).subspan(1), out.starts, at.rows + 1, at.columns);
        put(std::span(part.more).subspan(1), out.more, at.rows + 1, at.counts);
        put(part.columns, out.columns, at.columns, 0);
        std::copy(part.counts.begin(), part.counts.end(), out.counts.begin() + static_cast<std::ptrdiff_t>(at.counts));
        put(part.large_at, out.large_at, at.large, at.counts);
        put(part.large, out.large, at.large, 0);
    });
    return out;
}

bool all_finite(std::span<const float> numbers) {
    bool found = false;
    find_not_finite(numbers.data(), numbers.size(), found);
    return !found;
}

template <class Columns>
void check(const CountsView<Columns>& x, std::optional<std::uint64_t> highest) {
    require(!x.starts.empty() && x.starts.size() == x.more.size(), "starts and more differ in length");
    require(x.starts.front() == 0 && x.more.front() == 0, "starts and more must begin with 0");
    require(x.starts.back() == x.columns.size(), "starts must end with the number of columns stored");
    require(x.more.back() == x.counts.size(), "more must end with the number of counts stored");
    require(x.large_at.size() == x.large.size(), "large_at and large differ in length");
    for (std::size_t i = 0; i < x.rows(); ++i) {
        require(x.starts[i] <= x.starts[i + 1] && x.more[i] <= x.more[i + 1], "starts and more must ascend");
        require(x.more[i + 1] - x.more[i] <= x.starts[i + 1] - x.starts[i], "more counts than columns");
    }
    check_columns(x.columns, x.width, highest);
    check_large(x);
}

template <class Real>
void check_real(const RealView<Real>& x) {
    require(!x.starts.empty() && x.starts.front() == 0, "starts must begin with 0");
    require(std::is_sorted(x.starts.begin(), x.starts.end()), "starts must ascend");
    require(x.starts.back() == x.columns.size(), "starts must end with the number of columns stored");
    require(x.columns.size() == x.values.size(), "columns and values differ in length");
    check_columns(x.columns, x.width);
}

void check(const ValueView& x) { check_real(x); }

template <class Columns>
CountArrays select(const CountsView<Columns>& x, std::span<const std::uint32_t> ids) {
    CountArrays out;
    std::size_t columns = 0, counts = 0;
    for (const auto i : ids) {
        columns += x.end(i) - x.begin(i);
        counts += x.more[i + 1] - x.more[i];
    }
    out.starts.reserve(ids.size() + 1);
    out.more.reserve(ids.size() + 1);
    out.columns.reserve(columns);
    out.counts.reserve(counts);
    for (const auto i : ids) {
        for (auto p = x.begin(i); p < x.end(i); ++p) out.columns.push_back(x.columns[p]);
        for (auto p = x.more[i]; p < x.more[i + 1]; ++p) {
            if (x.counts[p] == kLarge) {
                out.large_at.push_back(static_cast<std::uint32_t>(out.counts.size()));
                out.large.push_back(x.count(p));
            }
            out.counts.push_back(x.counts[p]);
        }
        out.starts.push_back(static_cast<std::uint32_t>(out.columns.size()));
        out.more.push_back(static_cast<std::uint32_t>(out.counts.size()));
    }
    return out;
}

template <class Columns>
CountArrays select(const CountsView<Columns>& x, std::span<const std::uint32_t> ids,
                   std::span<const std::uint32_t> numbers) {
    CountArrays out;
    RowAppender rows;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> row;
    for (const auto i : ids) {
        row.clear();
        each_count(x, i, [&](std::uint32_t column, std::uint32_t count) {
            if (column < numbers.size() && numbers[column] != kLeftOut) row.emplace_back(numbers[column], count);
        });
        rows.append(out, row);
    }
    return out;
}

CountArrays select(std::span<const Chosen> chosen, unsigned threads) {
    constexpr std::size_t share = 1024;  // rows that a thread takes at a time
    std::vector<Chosen> shares;
    for (const auto& [x, ids, numbers] : chosen)
        for (std::size_t first = 0; first < ids.size(); first += share)
            shares.push_back({x, ids.subspan(first, std::min(share, ids.size() - first)), numbers});
    std::vector<CountArrays> found(shares.size());
    parallel(shares.size(), threads, [&](std::size_t i) {
        const auto& [any, ids, numbers] = shares[i];
        found[i] = std::visit([&own = ids, &other = numbers](const auto& x) { return select(x, own, other); }, any);
    });
    return joined(found, threads);
}

// A counting sort. Each stripe of rows counts its entries per column, then writes to places of its
// own, so that documents stay in order within a column whatever the number of threads.
template <class Columns>
CountArrays transpose(const CountsView<Columns>& x, unsigned threads) {
    const auto cuts = stripes(x, std::min<std::size_t>(std::max(threads, 1u), 8));
    const std::size_t parts = cuts.size() - 1;
    std::vector<std::vector<std::uint32_t>> once(parts), often(parts);
    parallel(parts, threads, [&](std::size_t part) {
        once[part].assign(x.width, 0);
        often[part].assign(x.width, 0);
        for (std::size_t i = cuts[part]; i < cuts[part + 1]; ++i)
            each_entry(
                x, i, [&](std::uint32_t p) { ++once[part][x.columns[p]]; },
                [&](std::uint32_t p, std::uint32_t) { ++often[part][x.columns[p]]; });
    });
    CountArrays out;
    out.starts.resize(x.width + 1);
    out.more.resize(x.width + 1);
    std::uint32_t column = 0, count = 0;
    for (std::size_t j = 0; j < x.width; ++j) {
        for (std::size_t part = 0; part < parts; ++part)
            column += std::exchange(once[part][j], column);
        for (std::size_t part = 0; part < parts; ++part) {
            count += often[part][j];
            column += std::exchange(often[part][j], column);
        }
        out.starts[j + 1] = column;
        out.more[j + 1] = count;
    }
    out.columns.resize(x.entries());
    out.counts.resize(x.counts.size());
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> large(parts);
    parallel(parts, threads, [&](std::size_t part) {
        for (std::size_t i = cuts[part]; i < cuts[part + 1]; ++i) {
            const auto row = static_cast<std::uint32_t>(i);
            const auto add = [&](std::uint32_t p, std::uint32_t q) {
                const auto j = x.columns[p];
                const auto place = often[part][j]++;
                const auto at = out.more[j + 1] - (out.starts[j + 1] - place);
                out.columns[place] = row;
                out.counts[at] = x.counts[q];
                if (x.counts[q] == kLarge) large[part].emplace_back(at, x.count(q));
            };
            each_entry(x, i, [&](std::uint32_t p) { out.columns[once[part][x.columns[p]]++] = row; }, add);
        }
    });
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (const auto& part : large) all.insert(all.end(), part.begin(), part.end());
    std::sort(all.begin(), all.end());
    for (const auto& [at, value] : all) {
        out.large_at.push_back(at);
        out.large.push_back(value);
    }
    return out;
}

template <class Columns>
std::vector<std::int64_t> frequencies(const CountsView<Columns>& x) {
    std::vector<std::uint32_t> found(x.width);  // a row has a column once, and there are fewer than 2^32
    auto column = reader(x.columns, 0);
    std::size_t p = 0;
    for (; p + 4 <= x.entries(); p += 4, column += 4) {
        const auto at = four(column);
        ++found[at.a];
        ++found[at.b];
        ++found[at.c];
        ++found[at.d];
    }
    for (; p < x.entries(); ++p) ++found[x.columns[p]];
    return {found.begin(), found.end()};
}

#define LIKEWISE_INSTANTIATE(Columns)                                                                         \
    template void check(const CountsView<Columns>&, std::optional<std::uint64_t>);                            \
    template CountArrays select(const CountsView<Columns>&, std::span<const std::uint32_t>);                  \
    template CountArrays select(const CountsView<Columns>&, std::span<const std::uint32_t>,                   \
                                std::span<const std::uint32_t>);                                              \
    template CountArrays transpose(const CountsView<Columns>&, unsigned);                                     \
    template std::vector<std::int64_t> frequencies(const CountsView<Columns>&);
LIKEWISE_INSTANTIATE(Columns16)
LIKEWISE_INSTANTIATE(Columns24)
LIKEWISE_INSTANTIATE(Columns32)

}  // namespace likewise
