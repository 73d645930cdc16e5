#include "gathered.h"

#include <algorithm>
#include <numeric>

namespace likewise {

namespace {

constexpr std::size_t kMost = 1u << 22;  // entries: 50 MB
constexpr std::uint32_t kUnused = ~std::uint32_t{0};

}  // namespace

std::unique_ptr<Gathered> Gathered::of(const Rows& rows) {
    const auto size = rows.sparse_entries();
    if (rows.plain() || size == 0 || size > kMost) return nullptr;
    return std::unique_ptr<Gathered>(new Gathered(rows, copied(rows)));
}

Gathered::Entries Gathered::copied(const Rows& from) {
    Entries found;
    std::vector<std::uint32_t> numbers(from.width(), kUnused);
    const auto size = from.sparse_entries();
    found.columns.reserve(size);
    found.values.reserve(size);
    found.starts.reserve(from.size() + 1);
    found.starts.push_back(0);
    for (std::size_t i = 0; i < from.size(); ++i) {
        from.append_sparse(i, found.columns, found.values);
        for (auto at = found.starts.back(); at < found.columns.size(); ++at) {
            auto& number = numbers[found.columns[at]];
            if (number == kUnused) {
                number = static_cast<std::uint32_t>(found.used.size());
                found.used.push_back(found.columns[at]);
            }
            found.columns[at] = number;
        }
        found.starts.push_back(static_cast<std::uint32_t>(found.columns.size()));
    }
    return found;
}

Gathered::Gathered(const Rows& from, Entries entries)
    : entries_(std::move(entries)), used_(entries_.used), ones_(used_.size() + from.dense_columns().size(), 1.0),
      rows_(ones_, from.size(), 1 + from.dense_layers()) {
    const auto width = used_.size();
    std::vector<std::uint32_t> places(from.size());
    std::iota(places.begin(), places.end(), 0u);
    const std::vector<double> scale(from.size(), 1.0);
    rows_.add(DoubleView{entries_.starts, entries_.columns, entries_.values, width}, {places, places, scale});
    rows_.add_dense_from(from, width);
    const auto dense = from.dense_columns();
    used_.insert(used_.end(), dense.begin(), dense.end());
}

std::vector<double> Gathered::narrowed(std::span<const double> w) const {
    std::vector<double> own(used_.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = w[used_[i]];
    return own;
}

}  // namespace likewise
