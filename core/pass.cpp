#include "pass.h"

#include <algorithm>
#include <array>
#include <utility>

#include "parallel.h"

namespace likewise {

namespace {

constexpr std::size_t kPiece = 1 << 13;  // numbers a thread takes at a time where each is one operation

constexpr std::size_t pieces(std::size_t size, std::size_t piece) { return (size + piece - 1) / piece; }

template <class From, class To>
void scale_piece(const From* from, const double* factors, To* to, std::size_t size, std::size_t piece) {
    const auto last = std::min(size, (piece + 1) * kPiece);
    for (auto i = piece * kPiece; i < last; ++i) to[i] = static_cast<To>(static_cast<double>(from[i]) * factors[i]);
}

template <class Use>
void multiply(Pass& pass, Cuts cuts, Use use) {
    pass.multiply(cuts.size() - 1, [=](std::size_t share) { use(cuts[share], cuts[share + 1]); });
}

}  // namespace

void Pass::add(Step& step, std::size_t count, Task task) {
    step.push_back({size(step) + count, std::move(task)});
}

void Pass::merge(std::size_t width, Range task) {
    width_ = std::max(width_, width);
    merges_.push_back(std::move(task));
}

void Pass::add_weighted_rows(std::span<double> sums, const WeighedRows& rows) {
    if (rows_.empty() || rows_.back().sums.data() != sums.data()) rows_.push_back({sums, {}});
    auto& same = rows_.back();
    if (sums.size() > same.sums.size()) same.sums = sums;
    same.parts.push_back(rows);
}

void Pass::run(const Step& step, std::size_t i) {
    const auto work = std::upper_bound(step.begin(), step.end(), i,
                                       [](std::size_t number, const Work& one) { return number < one.end; });
    work->task(work == step.begin() ? i : i - (work - 1)->end);
}

void Pass::run(unsigned threads) {
    const Pass all = std::exchange(*this, {});
    const std::array counts{size(all.first_), size(all.products_), pieces(all.width_, kPiece)};
    parallel_steps(counts, threads, [&](std::size_t step, std::size_t i) {
        if (step < 2) return run(step == 0 ? all.first_ : all.products_, i);
        for (const auto& merge : all.merges_) merge(i * kPiece, (i + 1) * kPiece);
    });
    for (const auto& [sums, parts] : all.rows_) add_weighted_sums(parts, sums, threads);
}

template <class From, class To>
void scale(const From* from, const double* factors, To* to, std::size_t size, unsigned threads) {
    parallel(pieces(size, kPiece), threads, [&](std::size_t piece) { scale_piece(from, factors, to, size, piece); });
}

template <class Columns, class T>
void add_scores(Pass& pass, const CountsView<Columns>& x, Cuts cuts, const T* vector, const Factors<T>& f,
                std::span<const double> factors, T* y) {
    multiply(pass, cuts, [=](std::size_t first, std::size_t last) {
        dot_range(x, first, last, vector, f, y + first);
        for (auto row = first; row < last; ++row) y[row] = static_cast<T>(static_cast<double>(y[row]) * factors[row]);
    });
}

template <class Columns>
void add_row_factors(Pass& pass, const CountsView<Columns>& x, Cuts cuts, const double* squared,
                     const Factors<double>& f, const Damping& damping, double* squares, double* row) {
    multiply(pass, cuts, [=](std::size_t first, std::size_t last) {
        dot_range(x, first, last, squared, f, squares + first);
        weigh_rows(&x.starts[first], last - first, damping, squares + first, row + first);
    });
}

template <class Columns, class T>
void add_products(Pass& pass, const CountsView<Columns>& x, Cuts cuts, const T* vector, const double* scales,
                  const Factors<T>& f, std::span<const std::uint32_t> places, double* sums) {
    T* const scaled = pass.borrow().template lines<T>(x.width);
    pass.prepare(pieces(x.width, kPiece),
                 [=, width = x.width](std::size_t piece) { scale_piece(vector, scales, scaled, width, piece); });
    T* const y = pass.borrow().template lines<T>(x.rows());
    multiply(pass, cuts, [=](std::size_t first, std::size_t last) { dot_range(x, first, last, scaled, f, y + first); });
    if (places.empty())
        pass.merge(x.rows(), [=, rows = x.rows()](std::size_t first, std::size_t last) {
            for (auto row = first; row < std::min(last, rows); ++row) sums[row] += static_cast<double>(y[row]);
        });
    else
        pass.merge(places.back() + std::size_t{1}, [=](std::size_t first, std::size_t last) {
            auto place = std::lower_bound(places.begin(), places.end(), first);
            for (auto row = place - places.begin(); place != places.end() && *place < last; ++place, ++row)
                sums[*place] += static_cast<double>(y[row]);
        });
}

#define LIKEWISE_INSTANTIATE_FOR(Columns, T)                                                                  \
    template void add_scores(Pass&, const CountsView<Columns>&, Cuts, const T*, const Factors<T>&,            \
                             std::span<const double>, T*);                                                    \
    template void add_products(Pass&, const CountsView<Columns>&, Cuts, const T*, const double*,              \
                               const Factors<T>&, std::span<const std::uint32_t>, double*);
#define LIKEWISE_INSTANTIATE_FACTORS(Columns)                                                                     \
    template void add_row_factors(Pass&, const CountsView<Columns>&, Cuts, const double*, const Factors<double>&, \
                                  const Damping&, double*, double*);
LIKEWISE_INSTANTIATE_FACTORS(Columns16)
LIKEWISE_INSTANTIATE_FACTORS(Columns24)
LIKEWISE_INSTANTIATE_FACTORS(Columns32)
#define LIKEWISE_INSTANTIATE(T)              \
    LIKEWISE_INSTANTIATE_FOR(Columns16, T)   \
    LIKEWISE_INSTANTIATE_FOR(Columns24, T)   \
    LIKEWISE_INSTANTIATE_FOR(Columns32, T)   \
    template void scale(const T*, const double*, T*, std::size_t, unsigned);
LIKEWISE_INSTANTIATE(float)
LIKEWISE_INSTANTIATE(double)
template void scale(const double*, const double*, float*, std::size_t, unsigned);

}  // namespace likewise
