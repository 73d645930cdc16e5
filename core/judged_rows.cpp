#include "judged_rows.h"

#include <algorithm>
#include <cmath>

#include "require.h"

namespace likewise {

std::vector<float> JudgedRows::add(std::uint32_t document, std::span<const std::int32_t> columns,
                                   std::span<const double> values) {
    require(std::find(ids_.begin(), ids_.end(), document) == ids_.end(), "the document is judged already");
    require(columns.size() == values.size(), "a row needs a value a column");
    require(std::all_of(values.begin(), values.end(), [](double one) { return std::isfinite(one); }),
            "a row holds NaN or an infinite value");
    const auto place = static_cast<std::uint32_t>(ids_.size());
    ids_.push_back(document);
    std::vector<double> sums(ids_.size());
    for (std::size_t i = 0; i < columns.size(); ++i) by_term_[columns[i]].push_back({place, values[i]});
    for (std::size_t i = 0; i < columns.size(); ++i)
        for (const auto& one : by_term_[columns[i]]) sums[one.place] += values[i] * one.value;
    std::vector<float> products;
    for (const double sum : sums) products.push_back(static_cast<float>(sum));
    return products;
}

void JudgedRows::remove(std::uint32_t document) {
    const auto found = std::find(ids_.begin(), ids_.end(), document);
    require(found != ids_.end(), "the document is not judged");
    const auto place = static_cast<std::uint32_t>(found - ids_.begin());
    ids_.erase(found);
    for (auto& [term, entries] : by_term_) {
        std::erase_if(entries, [&](const Entry& one) { return one.place == place; });
        for (auto& one : entries)
            if (one.place > place) --one.place;
    }
    std::erase_if(by_term_, [](const auto& term) { return term.second.empty(); });
}

}  // namespace likewise
