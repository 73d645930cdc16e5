#include "gathered.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "parallel.h"

namespace likewise {

namespace {

constexpr std::size_t kMost = 1u << 22;  // entries: 50 MB
constexpr std::size_t kBlock = 64;       // rows, and ...
constexpr std::size_t kStripe = 8192;    // ... columns that one thread takes at a time
constexpr std::size_t kOften = 8;        // a column's entries on average, from which on columns keep their numbers

std::size_t pieces(std::size_t size, std::size_t piece) { return (size + piece - 1) / piece; }

}  // namespace

// Copies rows in steps that all threads share. Columns are numbered anew in their order, if many may not be there.
class Gathered::Copying {
public:
    Copying(const Rows& from, Entries& to) : from_(from), to_(to), stripe_counts_(pieces(from.width(), kStripe)) {
        to_.starts.resize(from.size() + 1);
    }

    // Whether they fit.
    bool run(unsigned threads) {
        const auto blocks = pieces(from_.size(), kBlock), stripes = stripe_counts_.size();
        parallel_steps<6>({blocks, 1, blocks, stripes, stripes, blocks}, threads, [&](std::size_t step, std::size_t i) {
            if (step == 0) return measure(i);
            if (step == 1) return make_room();
            if (!fits_) return;
            if (step == 2) return copy(i);
            if (step == 3) return count(i);
            if (step == 4) return number(i);
            finish(i);
        });
        if (fits_) to_.used.resize(found());
        return fits_;
    }

private:
    template <class Task>
    void each_row(std::size_t block, Task&& task) {
        for (auto i = block * kBlock, last = std::min(from_.size(), i + kBlock); i < last; ++i) task(i);
    }
    template <class Task>
    void each_column(std::size_t stripe, Task&& task) {
        for (auto c = stripe * kStripe, last = std::min(from_.width(), c + kStripe); c < last; ++c) task(c);
    }
    std::size_t found() const { return std::accumulate(stripe_counts_.begin(), stripe_counts_.end(), std::size_t{0}); }

    void measure(std::size_t block) {
        each_row(block, [&](std::size_t i) { to_.starts[i + 1] = static_cast<std::uint32_t>(from_.sparse_length(i)); });
    }
    void make_room() {
        std::size_t size = 0;
        for (auto& end : to_.starts) {
            size += end;
            if (size > kMost) return;
            end = static_cast<std::uint32_t>(size);
        }
        if (size == 0) return;
        to_.columns = to_.column_room.lines<std::uint32_t>(size);
        to_.values = to_.value_room.lines<double>(size);
        fits_ = true;
        to_.used.resize(from_.width());
        all_ = size >= kOften * from_.width();
        if (all_) return;
        there_ = there_room_.filled<std::uint8_t>(from_.width(), 0);
        numbers_ = number_room_.lines<std::uint32_t>(from_.width());
    }
    void copy(std::size_t block) {
        each_row(block, [&](std::size_t i) {
            from_.copy_sparse(i, to_.columns + to_.starts[i], to_.values + to_.starts[i]);
        });
        if (all_) return;
        each_entry(block, [&](std::size_t at) {
            const std::atomic_ref<std::uint8_t> there(there_[to_.columns[at]]);
            if (there.load(std::memory_order_relaxed) == 0) there.store(1, std::memory_order_relaxed);
        });
    }
    void count(std::size_t stripe) {
        each_column(stripe, [&](std::size_t c) { stripe_counts_[stripe] += all_ ? 1 : there_[c]; });
    }
    void number(std::size_t stripe) {
        auto next = std::accumulate(stripe_counts_.begin(), stripe_counts_.begin() + static_cast<std::ptrdiff_t>(stripe),
                                    std::uint32_t{0});
        each_column(stripe, [&](std::size_t c) {
            if (!all_ && !there_[c]) return;
            if (!all_) numbers_[c] = next;
            to_.used[next++] = static_cast<std::uint32_t>(c);
        });
    }
    // Each column's factor, and its number.
    void finish(std::size_t block) {
        const auto col = from_.factors();
        each_entry(block, [&](std::size_t at) {
            const auto column = to_.columns[at];
            to_.values[at] *= col[column];
            if (!all_) to_.columns[at] = numbers_[column];
        });
    }
    template <class Task>
    void each_entry(std::size_t block, Task&& task) {
        const auto last = to_.starts[std::min(from_.size(), (block + 1) * kBlock)];
        for (std::size_t at = to_.starts[block * kBlock]; at < last; ++at) task(at);
    }

    const Rows& from_;
    Entries& to_;
    bool fits_ = false, all_ = false;
    std::vector<std::uint32_t> stripe_counts_;
    Scratch there_room_{}, number_room_{};
    std::uint8_t* there_ = nullptr;
    std::uint32_t* numbers_ = nullptr;
};

std::shared_ptr<const Gathered> Gathered::of(const Rows& rows, unsigned threads) {
    if (rows.plain()) return nullptr;
    Entries entries;
    if (!Copying(rows, entries).run(threads)) return nullptr;
    return std::shared_ptr<const Gathered>(new Gathered(rows, std::move(entries)));
}

Gathered::Gathered(const Rows& from, Entries entries)
    : entries_(std::move(entries)), width_(from.width()), ones_(entries_.used.size() + from.dense_columns().size(), 1.0),
      rows_(ones_, from.size(), 1 + from.dense_layers()) {
    const auto width = entries_.used.size();
    const std::size_t size = entries_.starts.back();
    std::vector<std::uint32_t> places(from.size());
    std::iota(places.begin(), places.end(), 0u);
    const std::vector<double> scale(from.size(), 1.0);
    const DoubleView copy{entries_.starts, {entries_.columns, size}, {entries_.values, size}, width};
    rows_.add(copy, {places, places, scale});
    rows_.add_dense_from(from, width);
    const auto dense = from.dense_columns();
    entries_.used.insert(entries_.used.end(), dense.begin(), dense.end());
}

std::vector<double> Gathered::narrowed(std::span<const double> w) const {
    const auto& used = entries_.used;
    std::vector<double> own(used.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = w[used[i]];
    return own;
}

std::vector<double> Gathered::widened(std::span<const double> own) const {
    std::vector<double> w(width_);
    for (std::size_t i = 0; i < own.size(); ++i) w[entries_.used[i]] = own[i];
    return w;
}

}  // namespace likewise
