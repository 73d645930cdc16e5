// Some rows as they are multiplied: with all their factors, the columns of each in ascending order.
#pragma once

#include <cstdint>
#include <vector>

#include "stored_rows.h"

namespace likewise {

struct RowEntries {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> columns;
    std::vector<double> values;
};

RowEntries entries_of(const Rows& rows, unsigned threads);

}  // namespace likewise
