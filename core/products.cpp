#include "products.h"

#include <type_traits>
#include <vector>

#include "dispatch.h"
#include "folds.h"
#include "parallel.h"
#include "rowdot.h"
#include "rowsums.h"
#include "scratch.h"

namespace likewise {

namespace {

constexpr std::size_t kBlock = 1 << 17;  // entries read twice in a row, from memory once
constexpr std::size_t kStripes = 16;     // parts that are summed apart, at most
constexpr std::size_t kAhead = 2048;     // bytes: columns are asked for early, for the CPU sees no stream beside v
constexpr std::size_t kLines = 4;        // of a cache, which a row's columns take

template <class View>
void add_row(const View& x, std::size_t row, double a, const Factors<double>& f, double* g) {
    each_value(x, row, f, [&](std::uint32_t column, double value) LIKEWISE_ALWAYS_INLINE { g[column] += a * value; });
}

template <class View, class Weight>
double exact_row(const View& x, std::size_t row, const Factors<double>& f, Weight&& weight) {
    double sum = 0;
    each_value(x, row, f, [&](std::uint32_t column, double value) LIKEWISE_ALWAYS_INLINE {
        sum += value * weight(column);
    });
    return sum;
}

template <class View, class T>
void sum_each_row(const View& x, std::size_t first, std::size_t last, const T* v, const Factors<T>& f, T* y) {
    for (std::size_t row = first; row < last; ++row) {
        const auto ahead = static_cast<const char*>(address(reader(x.columns, x.begin(row)))) + kAhead;
        for (std::size_t line = 0; line < kLines; ++line) __builtin_prefetch(ahead + 64 * line);
        y[row - first] = row_dot(x, row, v, f);
    }
}

template <class View, class T>
void sum_rows(const View& x, std::size_t first, std::size_t last, const T* v, const Factors<T>& f, T* y) {
    sum_each_row(x, first, last, v, f, y);
}

template <class Columns, class T>
void sum_rows(const CountsView<Columns>& x, std::size_t first, std::size_t last, const T* v, const Factors<T>& f,
              T* y) {
    if (std::is_same_v<T, float> || folds_doubles()) return row_sums(x, first, last, v, f, y);
    sum_each_row(x, first, last, v, f, y);
}

template <class View>
void add_range(const View& x, std::size_t first, std::size_t last, const double* a, const Factors<double>& f,
               double* sums) {
    for (std::size_t row = first; row < last; ++row)
        if (a[row] != 0) add_row(x, row, a[row], f, sums);
}

// Rows are added into a few vectors of their own and those then added up in order. Their number
// follows from the entries to add, not from that of threads, and is such that clearing and adding
// them stays a small cost.
std::size_t stripes_for(std::size_t entries, std::size_t width) {
    return std::clamp<std::size_t>(entries / (6 * width + 1), 1, kStripes);
}

// add(stripe, sums) adds the rows of a stripe into sums.
template <class Add>
void add_stripes(std::size_t stripes, std::span<double> g, unsigned threads, Add&& add) {
    if (stripes == 1) return add(0, g.data());
    std::vector<Scratch> partial(stripes);
    parallel(stripes, threads, [&](std::size_t stripe) { add(stripe, partial[stripe].zeros(g.size())); });
    const auto piece = g.size() / kStripes + 1;
    parallel(kStripes, threads, [&](std::size_t part) {
        const auto last = std::min(g.size(), (part + 1) * piece);
        for (const auto& sums : partial)
            for (auto c = part * piece; c < last; ++c) g[c] += sums[c];
    });
}

// `add` adds the rows from first to before last into sums.
template <class View, class Add>
void in_stripes(const View& x, std::size_t entries, std::span<double> g, unsigned threads, Add&& add) {
    const auto stripes = stripes_for(entries, x.width);
    const auto cuts = stripes == 1 ? std::vector{std::size_t{0}, x.rows()} : shares(x, x.entries() / stripes + 1);
    add_stripes(cuts.size() - 1, g, threads,
                [&](std::size_t stripe, double* sums) { add(cuts[stripe], cuts[stripe + 1], sums); });
}

template <class View>
std::size_t weighed_entries(const View& x, std::span<const double> a, std::size_t first, std::size_t last) {
    std::size_t entries = 0;
    for (auto row = first; row < last; ++row) entries += a[row] != 0 ? x.end(row) - x.begin(row) : 0;
    return entries;
}

// Neighbouring rows of one of several matrices, and the entries of those that have a weight.
struct RowRange {
    std::size_t part, first, last, entries = 0;
};

std::vector<RowRange> ranges_of(std::span<const WeighedRows> parts, unsigned threads) {
    std::vector<RowRange> found;
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const auto cuts = parts[part].cuts;
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) found.push_back({part, cuts[i], cuts[i + 1]});
    }
    parallel(found.size(), threads, [&](std::size_t i) {
        auto& [part, first, last, entries] = found[i];
        const auto& rows = parts[part];
        entries = std::visit([&, from = first, to = last](const auto& x) { return weighed_entries(x, rows.a, from, to); },
                             rows.x);
    });
    std::erase_if(found, [](const RowRange& range) { return range.entries == 0; });
    return found;
}

// The end of a block of rows that stays in the cache between its two readings.
template <class View>
std::size_t block_end(const View& x, std::size_t first, std::size_t last) {
    const auto from = x.starts.begin() + static_cast<std::ptrdiff_t>(first + 1);
    const auto to = x.starts.begin() + static_cast<std::ptrdiff_t>(last + 1);
    const auto found = std::upper_bound(from, to, std::uint64_t{x.begin(first)} + kBlock);
    return std::max(first + 1, first + static_cast<std::size_t>(found - from));
}

}  // namespace

template <class View, class T>
void dot_range(const View& x, std::size_t first, std::size_t last, const T* vector, const Factors<T>& f, T* y) {
    sum_rows(x, first, last, vector, f, y);
    each_large(x, first, last, vector, f, [&](std::size_t row, T amount) { y[row - first] += amount; });
}

template <class View, class T>
void dot(const View& x, const T* vector, const Factors<T>& f, T* y, unsigned threads) {
    const auto cuts = shares(x, kPassShare);
    parallel(cuts.size() - 1, threads, [&](std::size_t share) {
        dot_range(x, cuts[share], cuts[share + 1], vector, f, y + cuts[share]);
    });
}

template <class View>
void row_squares(const View& x, const double* columns, const Factors<double>& f, double* y, unsigned threads) {
    Scratch scratch;
    auto* const squared = scratch.lines<double>(x.width);
    for (std::size_t c = 0; c < x.width; ++c) squared[c] = columns[c] * columns[c];
    dot(x, squared, f, y, threads);
}

template <class View, class T>
void dot_rows(const View& x, std::span<const std::uint32_t> ids, const T* vector, const Factors<T>& f,
              T* y, unsigned threads) {
    constexpr std::size_t share = 4096;
    parallel((ids.size() + share - 1) / share, threads, [&](std::size_t part) {
        const auto last = std::min(ids.size(), (part + 1) * share);
        for (std::size_t i = part * share; i < last; ++i) dot_range(x, ids[i], ids[i] + 1, vector, f, y + i);
    });
}

template <class View>
void weighted_sum(const View& x, std::span<const double> a, const Factors<double>& f,
                  std::span<double> g, unsigned threads) {
    in_stripes(x, weighed_entries(x, a, 0, x.rows()), g, threads, [&](std::size_t first, std::size_t last, double* sums) {
        add_range(x, first, last, a.data(), f, sums);
    });
}

void add_weighted_sums(std::span<const WeighedRows> parts, std::span<double> sums, unsigned threads) {
    const auto ranges = ranges_of(parts, threads);
    std::vector<std::size_t> before{0};  // entries of all ranges before each
    for (const auto& range : ranges) before.push_back(before.back() + range.entries);
    const auto entries = before.back(), stripes = stripes_for(entries, sums.size());
    const auto cut = [&](std::size_t stripe) {
        const auto found = std::lower_bound(before.begin(), before.end() - 1, entries * stripe / stripes);
        return static_cast<std::size_t>(found - before.begin());
    };
    add_stripes(stripes, sums, threads, [&](std::size_t stripe, double* own) {
        const auto last = stripe + 1 < stripes ? cut(stripe + 1) : ranges.size();
        for (auto i = cut(stripe); i < last; ++i) {
            const auto& [x, cuts, a, scales, f] = parts[ranges[i].part];
            std::visit(
                [&, &weights = a, &times = scales, &factors = f](const auto& rows) {
                    for (auto row = ranges[i].first; row < ranges[i].last; ++row)
                        if (weights[row] != 0) add_row(rows, row, weights[row] * times[row], factors, own);
                },
                x);
        }
    });
}

template <class View>
void add_rows(const View& x, std::span<const std::uint32_t> ids, std::span<const double> a, const Factors<double>& f,
              double* sums) {
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (a[i] != 0) add_row(x, ids[i], a[i], f, sums);
}

template <class View>
void fused(const View& x, const double* vector, const Factors<double>& f, double* y, const double* a,
           const Weigh& weigh, std::span<double> g, unsigned threads) {
    in_stripes(x, x.entries(), g, threads, [&](std::size_t first, std::size_t last, double* sums) {
        for (std::size_t end = first; first < last; first = end) {
            end = block_end(x, first, last);
            dot_range(x, first, end, vector, f, y + first);
            weigh(first, end);
            add_range(x, first, end, a, f, sums);
        }
    });
}

template <class View>
void exact(const View& x, std::span<const std::uint32_t> ids, const double* vector,
           const Factors<double>& f, double* y) {
    for (std::size_t i = 0; i < ids.size(); ++i)
        y[i] = exact_row(x, ids[i], f, [&](std::uint32_t column) { return vector[column]; });
}

template <class View>
void exact(const View& x, std::span<const std::uint32_t> ids, std::span<const std::uint32_t> columns,
           std::span<const double> weights, const Factors<double>& f, double* y) {
    const auto weight = [&](std::uint32_t column) {
        const auto found = std::lower_bound(columns.begin(), columns.end(), column);
        if (found == columns.end() || *found != column) return 0.0;
        return weights[static_cast<std::size_t>(found - columns.begin())];
    };
    for (std::size_t i = 0; i < ids.size(); ++i) y[i] = exact_row(x, ids[i], f, weight);
}

#define LIKEWISE_INSTANTIATE_FOR(View, T)                                                                 \
    template void dot(const View&, const T*, const Factors<T>&, T*, unsigned);                             \
    template void dot_range(const View&, std::size_t, std::size_t, const T*, const Factors<T>&, T*);       \
    template void dot_rows(const View&, std::span<const std::uint32_t>, const T*, const Factors<T>&, T*, unsigned);
#define LIKEWISE_INSTANTIATE(View)                                                                         \
    LIKEWISE_INSTANTIATE_FOR(View, float)                                                                  \
    LIKEWISE_INSTANTIATE_FOR(View, double)                                                                 \
    template void row_squares(const View&, const double*, const Factors<double>&, double*, unsigned);      \
    template void weighted_sum(const View&, std::span<const double>, const Factors<double>&,               \
                               std::span<double>, unsigned);                                               \
    template void add_rows(const View&, std::span<const std::uint32_t>, std::span<const double>,           \
                           const Factors<double>&, double*);                                               \
    template void fused(const View&, const double*, const Factors<double>&, double*, const double*,        \
                        const Weigh&, std::span<double>, unsigned);                                        \
    template void exact(const View&, std::span<const std::uint32_t>, const double*, const Factors<double>&, \
                        double*);                                                                          \
    template void exact(const View&, std::span<const std::uint32_t>, std::span<const std::uint32_t>,       \
                        std::span<const double>, const Factors<double>&, double*);
LIKEWISE_INSTANTIATE(CountsView<Columns16>)
LIKEWISE_INSTANTIATE(CountsView<Columns24>)
LIKEWISE_INSTANTIATE(CountView)
LIKEWISE_INSTANTIATE(ValueView)

}  // namespace likewise
