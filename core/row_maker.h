// Rows of counts made of columns as they come, in any order and some of them again.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "csr.h"

namespace likewise {

class RowMaker {
public:
    // Columns to come are below this.
    void set_width(std::size_t width) {
        if (place_.size() < width) place_.resize(width);
    }

    void add(std::uint32_t column, std::uint32_t count) {
        auto& place = place_[column];
        if (place == 0) {
            row_.push_back({column, count});
            place = static_cast<std::uint32_t>(row_.size());
        } else {
            row_[place - 1].count += count;
        }
    }

    // The row is whole.
    void end_row(CountArrays& rows) {
        if (rows.columns.size() + row_.size() > 0xFFFFFFFFu)
            throw std::length_error("more than 4 billion entries in one segment");
        appender_.append(rows, row_);
        for (const auto& entry : row_) place_[entry.column] = 0;
        row_.clear();
    }

private:
    struct Entry {
        std::uint32_t column, count;
    };
    RowAppender appender_;
    std::vector<Entry> row_;
    std::vector<std::uint32_t> place_;  // of a column: one more than its entry in row_, or 0
};

}  // namespace likewise
