// Rows copied to one place, with only the columns that they have: a descent visits them many times,
// and so all that it reads fits into a cache.
#pragma once

#include <memory>

#include "descent.h"
#include "scratch.h"

namespace likewise {

class Gathered {
public:
    // Nothing if the rows are one matrix of double precision already, or too large to copy. Layers of dense rows
    // are read where they lie.
    static std::shared_ptr<const Gathered> of(const Rows& rows, unsigned threads);

    const Rows& rows() const { return rows_; }
    // A vector over the columns of these rows, of one over the columns of those that were copied; and back.
    std::vector<double> narrowed(std::span<const double> w) const;
    std::vector<double> widened(std::span<const double> own) const;

private:
    class Copying;
    struct Entries {
        std::vector<std::uint32_t> starts;
        std::uint32_t* columns = nullptr;
        double* values = nullptr;
        std::vector<std::uint32_t> used;  // which column each one was
        Scratch column_room{}, value_room{};
    };
    Gathered(const Rows& from, Entries entries);

    Entries entries_;
    std::size_t width_;  // of the rows that were copied
    std::vector<double> ones_;
    Rows rows_;
};

}  // namespace likewise
