// Rows of matrices of any kind under one numbering, read where they lie.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "csr.h"
#include "dense.h"

namespace likewise {

// An array of double precision, row by row.
struct ArrayView {
    std::span<const double> values;
    std::size_t width = 0;
    const double* row(std::size_t i) const { return values.data() + i * width; }
};

// Rows of several matrices under one numbering: x_i = scale[i]·f(stored row)·col. A row may have
// several layers, matrices that stand side by side, each with columns of its own.
class Rows {
public:
    Rows(std::span<const double> col, std::size_t size, std::size_t layers = 1);

    // In a layer, row places[i] becomes row ids[i] of x, whose columns begin at `first`.
    struct Chosen {
        std::span<const std::uint32_t> places, ids;
        std::span<const double> scale;
        std::size_t layer = 0, first = 0;
    };
    void add(const AnyCounts& x, std::span<const double> table, std::span<const double> large, const Chosen& chosen);
    void add(const ValueView& x, const Chosen& chosen);
    void add(const DoubleView& x, const Chosen& chosen);
    void add(const ArrayView& x, const Chosen& chosen);
    // Columns of dense layers have no factors: col must be 1 there.
    void add(const FloatRows& x, const Chosen& chosen);
    void add(const ByteRows& x, const Chosen& chosen);

    std::size_t size() const { return size_; }
    std::size_t width() const { return col_.size(); }
    std::size_t layers() const { return layers_.size(); }

    std::span<const double> factors() const { return col_; }  // of columns

    struct Entry {
        std::uint32_t column, row;
        double value;
    };
    // A row's entries with all factors, in the order in which they are stored; of dense layers those that are not 0.
    void append(std::size_t i, std::vector<Entry>& entries) const;

    // Of the layers that are sparse: how many entries a row has, and these, without the factors of columns.
    std::size_t sparse_length(std::size_t i) const;
    void copy_sparse(std::size_t i, std::uint32_t* columns, double* values) const;
    // The layers that are dense, and all their columns one after another; add_dense_from adds them to these rows,
    // as layers from 1 on whose columns begin at `first`.
    std::size_t dense_layers() const;
    std::vector<std::uint32_t> dense_columns() const;
    void add_dense_from(const Rows& other, std::size_t first);

    // Vectors are kept multiplied by col, so that a product needs no look at it: z = col·w.
    double dot(std::size_t i, const double* z) const;
    void add_to(std::size_t i, double amount, double* z) const;
    // The matrix of all rows, if there is one of double precision only, without factors of columns.
    const DoubleView* plain() const;
    // Which of its rows a row is, and its factor; only if there is one.
    std::pair<std::uint32_t, double> place(std::size_t i) const {
        const auto& row = layers_.front().rows[i];
        return {row.row, row.scale};
    }
    void scale(double* w) const;  // from w to z
    void unscale(double* z) const;  // and back

    // Σ weights[i]·x_i, row after row.
    std::vector<double> weighted_sum(std::span<const double> weights) const;

private:
    struct Part {
        std::variant<CountsView<Columns16>, CountsView<Columns24>, CountView, ValueView, DoubleView, ArrayView,
                     FloatRows, ByteRows>
            matrix;
        std::vector<double> table;
        std::span<const double> large;
        std::size_t first = 0;
        Factors<double> factors() const { return {table.data(), large.data()}; }
    };
    struct Row {
        std::uint32_t part = 0, row = 0;
        double scale = 0;
    };
    void add(Part part, const Chosen& chosen);
    // A layer's rows; its columns, if they are dense.
    struct Layer {
        std::vector<Row> rows;
        std::size_t first = 0, width = 0;
        bool dense() const { return width > 0; }
    };
    template <class Use>
    decltype(auto) at(const Row& row, Use&& use) const;

    std::span<const double> col_;
    bool unit_;  // all of them are 1
    std::size_t size_;
    std::vector<Part> parts_;
    std::vector<Layer> layers_;
};

}  // namespace likewise
