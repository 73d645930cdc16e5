// The products of several matrices with a vector, as one piece of work for all threads: none waits at
// the end of a matrix. What is done, and in which order numbers are added, never depends on threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "csr.h"
#include "lengths.h"
#include "products.h"
#include "scratch.h"

namespace likewise {

class Pass {
public:
    using Task = std::function<void(std::size_t)>;
    using Range = std::function<void(std::size_t, std::size_t)>;

    Pass() = default;
    Pass(Pass&&) = default;
    Pass& operator=(Pass&&) = default;

    // In four steps, each after all of the one before. First what the products need: task(i) for i < count.
    void prepare(std::size_t count, Task task) { add(first_, count, std::move(task)); }
    // Then the products.
    void multiply(std::size_t count, Task task) { add(products_, count, std::move(task)); }
    // Then for some ranges below `width`, which threads share, each of these in the order they came in.
    void merge(std::size_t width, Range task);
    // Last, weighted rows. What consecutive calls add to sums that begin at the same address is added together; later
    // matrices may have more columns.
    void add_weighted_rows(std::span<double> sums, const WeighedRows& rows);
    // Memory until the work is done.
    Scratch& borrow() { return memory_.emplace_back(); }
    // Does all of it and forgets it, also if it fails.
    void run(unsigned threads);

private:
    struct Work {
        std::size_t end;  // of its numbers among those of the step
        Task task;
    };
    using Step = std::vector<Work>;
    struct RowsToAdd {
        std::span<double> sums;
        std::vector<WeighedRows> parts;
    };
    static void add(Step& step, std::size_t count, Task task);
    static void run(const Step& step, std::size_t i);
    static std::size_t size(const Step& step) { return step.empty() ? 0 : step.back().end; }

    Step first_, products_;
    std::vector<Range> merges_;
    std::size_t width_ = 0;
    std::vector<RowsToAdd> rows_;
    std::deque<Scratch> memory_;
};

// to[i] = from[i]·factors[i], rounded once.
template <class From, class To>
void scale(const From* from, const double* factors, To* to, std::size_t size, unsigned threads);

// y[r] = factors[r]·Σ_c f(X[r, c])·vector[c]. All that is pointed to must be there until the pass has run.
template <class Columns, class T>
void add_scores(Pass& pass, const CountsView<Columns>& x, Cuts cuts, const T* vector, const Factors<T>& f,
                std::span<const double> factors, T* y);

// squares[r] = Σ_c f(X[r, c])·squared[c], f and `squared` of squares; row factors by them, see lengths.h.
template <class Columns>
void add_row_factors(Pass& pass, const CountsView<Columns>& x, Cuts cuts, const double* squared,
                     const Factors<double>& f, const Damping& damping, double* squares, double* row);

// sums[places[r]] += Σ_c f(X[r, c])·vector[c]·scales[c], or sums[r] if there are no places, which ascend: over an
// inverted file this is a weighted sum. In each sum, what was added to the pass first is added first, but for rows,
// which come after all of these.
template <class Columns, class T>
void add_products(Pass& pass, const CountsView<Columns>& x, Cuts cuts, const T* vector, const double* scales,
                  const Factors<T>& f, std::span<const std::uint32_t> places, double* sums);

}  // namespace likewise
