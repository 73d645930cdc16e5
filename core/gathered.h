// Rows copied to one place, with only the columns that they have: a descent visits them many times,
// and so all that it reads fits into a cache.
#pragma once

#include <memory>

#include "descent.h"

namespace likewise {

class Gathered {
public:
    // Nothing if the rows are one matrix of double precision already, or too large to copy. Layers of dense rows
    // are read where they lie.
    static std::unique_ptr<Gathered> of(const Rows& rows);

    const Rows& rows() const { return rows_; }
    // A vector over the columns of these rows, of one over the columns of those that were copied.
    std::vector<double> narrowed(std::span<const double> w) const;

private:
    struct Entries {
        std::vector<std::uint32_t> starts, columns, used;
        std::vector<double> values;
    };
    Gathered(const Rows& from, Entries entries);
    static Entries copied(const Rows& from);

    Entries entries_;
    std::vector<std::uint32_t> used_;  // which column each one was
    std::vector<double> ones_;
    Rows rows_;
};

}  // namespace likewise
