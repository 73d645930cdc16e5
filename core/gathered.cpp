#include "gathered.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "parallel.h"

namespace likewise {

namespace {

constexpr std::size_t kMost = 1u << 22;   // entries: 50 MB
constexpr std::size_t kBlock = 128;       // rows, and ...
constexpr std::size_t kEntries = 1u << 14;  // ... entries that one thread takes at a time

template <class Task>
void by_blocks(std::size_t size, std::size_t block, unsigned threads, Task&& task) {
    parallel((size + block - 1) / block, threads,
             [&](std::size_t i) { task(i * block, std::min(size, (i + 1) * block)); });
}

}  // namespace

std::unique_ptr<Gathered> Gathered::of(const Rows& rows, unsigned threads) {
    if (rows.plain()) return nullptr;
    std::vector<std::uint32_t> starts(rows.size() + 1);
    by_blocks(rows.size(), kBlock, threads, [&](std::size_t first, std::size_t last) {
        for (auto i = first; i < last; ++i) starts[i + 1] = static_cast<std::uint32_t>(rows.sparse_length(i));
    });
    std::size_t size = 0;
    for (auto& end : starts) {
        size += end;
        if (size > kMost) return nullptr;
        end = static_cast<std::uint32_t>(size);
    }
    if (size == 0) return nullptr;
    return std::unique_ptr<Gathered>(new Gathered(rows, copied(rows, std::move(starts), threads)));
}

Gathered::Entries Gathered::copied(const Rows& from, std::vector<std::uint32_t> starts, unsigned threads) {
    const std::size_t size = starts.back();
    Entries found{std::move(starts), {}};
    found.columns = found.column_room.lines<std::uint32_t>(size);
    found.values = found.value_room.lines<double>(size);
    by_blocks(from.size(), kBlock, threads, [&](std::size_t first, std::size_t last) {
        for (auto i = first; i < last; ++i)
            from.copy_sparse(i, found.columns + found.starts[i], found.values + found.starts[i]);
    });
    renumber(found, from.width(), threads);
    return found;
}

void Gathered::renumber(Entries& entries, std::size_t width, unsigned threads) {
    const std::size_t size = entries.starts.back();
    std::vector<std::uint32_t> numbers(width);
    by_blocks(size, kEntries, threads, [&](std::size_t first, std::size_t last) {
        for (auto at = first; at < last; ++at) {
            const std::atomic_ref<std::uint32_t> number(numbers[entries.columns[at]]);
            if (number.load(std::memory_order_relaxed) == 0) number.store(1, std::memory_order_relaxed);
        }
    });
    for (std::uint32_t column = 0; column < width; ++column) {
        if (numbers[column] == 0) continue;
        numbers[column] = static_cast<std::uint32_t>(entries.used.size());
        entries.used.push_back(column);
    }
    by_blocks(size, kEntries, threads, [&](std::size_t first, std::size_t last) {
        for (auto at = first; at < last; ++at) entries.columns[at] = numbers[entries.columns[at]];
    });
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
