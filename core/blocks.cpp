#include "blocks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <vector>

#include "dispatch.h"
#include "parallel.h"
#include "scratch.h"

namespace likewise {

namespace {

constexpr std::size_t kShare = 1 << 13;   // entries that a thread takes at a time: few, as all wait for the last
constexpr std::size_t kStripe = 1 << 9;   // columns that are packed at a time
constexpr std::size_t kPanelBytes = 256;  // four cache lines, which half of AVX2's registers hold
constexpr std::uint32_t kAhead = 12;      // entries whose lines are asked for in advance

template <class T>
constexpr std::size_t kPanel = kPanelBytes / sizeof(T);

template <std::size_t size, class View, class T>
LIKEWISE_INLINE void ask_for(const View& x, std::uint32_t p, const T* panel) {
    if (p + kAhead >= x.entries()) return;
    const T* next = panel + x.columns[p + kAhead] * size;
    for (std::size_t b = 0; b < size; b += 64 / sizeof(T)) __builtin_prefetch(next + b);
}

// Where a panel stands in its block: `count` of the block's `stride` vectors.
struct Place {
    std::size_t stride, count;
};

// A row's sums, times its factor if there are any, to where they belong.
template <class T>
LIKEWISE_INLINE void put(const T* sum, std::size_t row, const Products<T>& y, Place place) {
    T* into = y.values + (y.places ? y.places[row] : row) * place.stride;
    if (y.added)
        for (std::size_t b = 0; b < place.count; ++b) into[b] += sum[b];
    else if (y.factors)
        for (std::size_t b = 0; b < place.count; ++b)
            into[b] = static_cast<T>(static_cast<double>(sum[b]) * y.factors[row]);
    else
        for (std::size_t b = 0; b < place.count; ++b) into[b] = sum[b];
}

// Neighbouring numbers of a panel, written as vectors: GCC multiplies arrays of sixteen one by one.
template <class T>
struct Lanes {
    typedef T Type __attribute__((vector_size(32)));
    static constexpr std::size_t count = 32 / sizeof(T);
};

template <class T>
LIKEWISE_INLINE void read(const T* from, typename Lanes<T>::Type& into) {
    std::memcpy(&into, from, sizeof into);
}

// Rows first to last times the `size` vectors of a panel.
template <std::size_t size, class View, class T>
LIKEWISE_INLINE void panel_dot(const View& x, std::size_t first, std::size_t last, const T* panel,
                               const Factors<T>& f, const Products<T>& y, Place place) {
    constexpr auto lanes = Lanes<T>::count;
    for (std::size_t row = first; row < last; ++row) {
        typename Lanes<T>::Type sum[size / lanes] = {};
        const auto add_once = [&](std::uint32_t p) LIKEWISE_ALWAYS_INLINE {
            ask_for<size>(x, p, panel);
            const T* from = panel + x.columns[p] * size;
            for (std::size_t b = 0; b < size / lanes; ++b) {
                typename Lanes<T>::Type value;
                read(from + b * lanes, value);
                sum[b] += value;
            }
        };
        const auto weigh = [&]() LIKEWISE_ALWAYS_INLINE {
            for (auto& each : sum) each *= f.table[1];
        };
        const auto add_often = [&](std::uint32_t p, std::uint32_t q) LIKEWISE_ALWAYS_INLINE {
            ask_for<size>(x, p, panel);
            const T scale = factor(x, f, q);
            const T* from = panel + x.columns[p] * size;
            for (std::size_t b = 0; b < size / lanes; ++b) {
                typename Lanes<T>::Type value;
                read(from + b * lanes, value);
                sum[b] += scale * value;
            }
        };
        each_entry(x, row, add_once, weigh, add_often);
        T sums[size];
        std::memcpy(sums, sum, sizeof sums);
        put(sums, row, y, place);
    }
}

// All rows, times their weights a, added into a panel.
template <std::size_t size, class View, class T>
LIKEWISE_INLINE void panel_sum(const View& x, const T* a, const Factors<T>& f, T* panel, Place place) {
    constexpr auto lanes = Lanes<T>::count;
    using Vector = typename Lanes<T>::Type;
    for (std::size_t row = 0; row < x.rows(); ++row) {
        T weights[size] = {};
        for (std::size_t b = 0; b < place.count; ++b) weights[b] = a[row * place.stride + b];
        Vector own[size / lanes], once[size / lanes];
        std::memcpy(own, weights, sizeof own);
        for (std::size_t b = 0; b < size / lanes; ++b) once[b] = f.table[1] * own[b];
        const auto add = [&](std::uint32_t p, const Vector* what, T scale) LIKEWISE_ALWAYS_INLINE {
            ask_for<size>(x, p, panel);
            T* into = panel + x.columns[p] * size;
            for (std::size_t b = 0; b < size / lanes; ++b) {
                Vector value;
                read(into + b * lanes, value);
                value += scale * what[b];
                std::memcpy(into + b * lanes, &value, sizeof value);
            }
        };
        each_entry(
            x, row, [&](std::uint32_t p) LIKEWISE_ALWAYS_INLINE { add(p, once, T{1}); },
            [&](std::uint32_t p, std::uint32_t q) LIKEWISE_ALWAYS_INLINE { add(p, own, factor(x, f, q)); });
    }
}

// One of the sizes that loops are compiled for.
template <class T, class Use>
LIKEWISE_INLINE void with_size(std::size_t size, Use&& use) {
    constexpr auto most = kPanel<T>;
    if (size == most)
        use(std::integral_constant<std::size_t, most>());
    else if (size == most / 2)
        use(std::integral_constant<std::size_t, most / 2>());
    else if (size == most / 4)
        use(std::integral_constant<std::size_t, most / 4>());
    else
        use(std::integral_constant<std::size_t, most / 8>());
}

#define LIKEWISE_PANELS(name, View, T, size)                                                                         \
    LIKEWISE_DISPATCH(name##_dot##size, (const View& x, std::size_t first, std::size_t last, const T* panel,         \
                                         const Factors<T>& f, const Products<T>& y, Place place),                    \
                      (panel_dot<kPanel<T> / size>(x, first, last, panel, f, y, place)))                             \
    LIKEWISE_DISPATCH(name##_sum##size,                                                                              \
                      (const View& x, const T* a, const Factors<T>& f, T* panel, Place place),                       \
                      (panel_sum<kPanel<T> / size>(x, a, f, panel, place)))                                          \
    void best_dot(std::integral_constant<std::size_t, kPanel<T> / size>, const View& x, std::size_t first,           \
                  std::size_t last, const T* panel, const Factors<T>& f, const Products<T>& y, Place place) {        \
        name##_dot##size(x, first, last, panel, f, y, place);                                                        \
    }                                                                                                                \
    void best_sum(std::integral_constant<std::size_t, kPanel<T> / size>, const View& x, const T* a,                  \
                  const Factors<T>& f, T* panel, Place place) {                                                      \
        name##_sum##size(x, a, f, panel, place);                                                                     \
    }
#define LIKEWISE_ALL_PANELS(name, View, T) \
    LIKEWISE_PANELS(name, View, T, 1)      \
    LIKEWISE_PANELS(name, View, T, 2)      \
    LIKEWISE_PANELS(name, View, T, 4)      \
    LIKEWISE_PANELS(name, View, T, 8)
LIKEWISE_ALL_PANELS(short_float, CountsView<Columns16>, float)
LIKEWISE_ALL_PANELS(short_double, CountsView<Columns16>, double)
LIKEWISE_ALL_PANELS(bytes_float, CountsView<Columns24>, float)
LIKEWISE_ALL_PANELS(bytes_double, CountsView<Columns24>, double)
LIKEWISE_ALL_PANELS(count_float, CountView, float)
LIKEWISE_ALL_PANELS(count_double, CountView, double)
LIKEWISE_ALL_PANELS(value_float, ValueView, float)
LIKEWISE_ALL_PANELS(value_double, ValueView, double)

// Panels of a block: full ones, and what is left in one of the smallest size that holds it.
struct Panel {
    std::size_t first, count, size;
};

template <class T>
std::vector<Panel> panels(std::size_t block, std::size_t widest = kPanel<T>) {
    std::vector<Panel> found;
    for (std::size_t first = 0; first < block; first += widest) {
        const auto count = std::min(widest, block - first);
        auto size = widest;
        while (size > kPanel<T> / 8 && size / 2 >= count) size /= 2;
        found.push_back({first, count, size});
    }
    return found;
}

}  // namespace

// A panel's vectors side by side for each column of a stripe, zeros behind them.
template <class T>
void pack(const Vectors<T>& vectors, std::size_t width, const Panel& panel, T* packed, std::size_t stripe) {
    for (std::size_t c = stripe * kStripe; c < std::min(width, (stripe + 1) * kStripe); ++c) {
        const T* from = vectors.values + c * vectors.block + panel.first;
        T* into = packed + c * panel.size;
        if (vectors.factors)
            for (std::size_t b = 0; b < panel.count; ++b)
                into[b] = static_cast<T>(static_cast<double>(from[b]) * vectors.factors[c]);
        else
            std::copy_n(from, panel.count, into);
        std::fill(into + panel.count, into + panel.size, T{0});
    }
}

template <class View, class T>
void dot_block(const View& x, const Vectors<T>& vectors, const Factors<T>& f, const Products<T>& y, unsigned threads) {
    const auto cuts = shares(x, kShare);
    const auto all = panels<T>(vectors.block);
    if (all.empty()) return;
    const std::array counts{(x.width + kStripe - 1) / kStripe, cuts.size() - 1};
    Scratch memory;
    T* const packed = memory.lines<T>(x.width * all.front().size);
    for (const auto& panel : all) {
        auto into = y;
        into.values += panel.first;
        parallel_steps(counts, threads, [&](std::size_t step, std::size_t i) {
            if (step == 0) return pack(vectors, x.width, panel, packed, i);
            with_size<T>(panel.size, [&](auto size) {
                best_dot(size, x, cuts[i], cuts[i + 1], packed, f, into, {vectors.block, panel.count});
            });
        });
    }
}

// Each vector's sum is the same whatever the panels are, so these may be as many as the threads.
template <class View, class T>
void sum_block(const View& x, const T* a, std::size_t block, const Factors<T>& f, T* g, unsigned threads) {
    auto widest = kPanel<T>;
    while (widest > kPanel<T> / 4 && (block + widest - 1) / widest < threads) widest /= 2;
    const auto all = panels<T>(block, widest);
    parallel(all.size(), threads, [&](std::size_t i) {
        const auto& panel = all[i];
        std::vector<T> packed(x.width * panel.size);
        with_size<T>(panel.size, [&](auto size) {
            best_sum(size, x, a + panel.first, f, packed.data(), {block, panel.count});
        });
        for (std::size_t c = 0; c < x.width; ++c)
            std::copy_n(packed.data() + c * panel.size, panel.count, g + c * block + panel.first);
    });
}

#define LIKEWISE_INSTANTIATE(View, T)                                                                \
    template void dot_block(const View&, const Vectors<T>&, const Factors<T>&, const Products<T>&, unsigned);    \
    template void sum_block(const View&, const T*, std::size_t, const Factors<T>&, T*, unsigned);
LIKEWISE_INSTANTIATE(CountsView<Columns16>, float)
LIKEWISE_INSTANTIATE(CountsView<Columns16>, double)
LIKEWISE_INSTANTIATE(CountsView<Columns24>, float)
LIKEWISE_INSTANTIATE(CountsView<Columns24>, double)
LIKEWISE_INSTANTIATE(CountView, float)
LIKEWISE_INSTANTIATE(CountView, double)
LIKEWISE_INSTANTIATE(ValueView, float)
LIKEWISE_INSTANTIATE(ValueView, double)

}  // namespace likewise
