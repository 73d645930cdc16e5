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
    static std::unique_ptr<Gathered> of(const Rows& rows, unsigned threads);

    const Rows& rows() const { return rows_; }
    // A vector over the columns of these rows, of one over the columns of those that were copied; and back.
    std::vector<double> narrowed(std::span<const double> w) const;
    std::vector<double> widened(std::span<const double> own) const;

private:
    struct Entries {
        std::vector<std::uint32_t> starts, used;  // `used`: which column each one was
        std::uint32_t* columns = nullptr;
        double* values = nullptr;
        Scratch column_room{}, value_room{};
    };
    Gathered(const Rows& from, Entries entries);
    static Entries copied(const Rows& from, std::vector<std::uint32_t> starts, unsigned threads);
    // Numbers the columns anew: those that are there, ascending.
    static void renumber(Entries& entries, std::size_t width, unsigned threads);

    Entries entries_;
    std::size_t width_;  // of the rows that were copied
    std::vector<double> ones_;
    Rows rows_;
};

}  // namespace likewise
