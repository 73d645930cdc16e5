// Rows of counts made of columns as they come, in any order and some of them again.
#pragma once

#include <cstdint>
#include <span>
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

    // No branch on whether the column is there already: it would be mispredicted.
    void add(std::uint32_t column, std::uint32_t count) {
        if (size_ == row_.size()) row_.resize(2 * size_ + 64);
        auto& place = place_[column];
        const bool fresh = place == 0;
        const auto at = fresh ? size_ : place - 1;
        row_[size_] = {column, 0};
        row_[at].count += count;
        place = at + 1;
        size_ += fresh;
    }

    // The row is whole.
    void end_row(CountArrays& rows) {
        if (rows.columns.size() + size_ > 0xFFFFFFFFu)
            throw std::length_error("more than 4 billion entries in one segment");
        const std::span<const Entry> row(row_.data(), size_);
        appender_.append(rows, row);
        for (const auto& entry : row) place_[entry.column] = 0;
        size_ = 0;
    }

private:
    struct Entry {
        std::uint32_t column, count;
    };
    RowAppender appender_;
    std::vector<Entry> row_;  // and room for more
    std::uint32_t size_ = 0;
    std::vector<std::uint32_t> place_;  // of a column: one more than its entry in row_, or 0
};

}  // namespace likewise
