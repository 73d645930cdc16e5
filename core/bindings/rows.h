// Rows of matrices under one numbering, as the solvers read them.
#pragma once

#include <mutex>

#include "descent.h"
#include "gathered.h"
#include "matrices.h"

namespace likewise::bindings {

// Rows as the descent reads them. It keeps the arrays that they stand in; the bindings keep the
// matrices alive.
struct PyRows {
    In<double> col;
    Rows rows;
    std::vector<In<double>> kept;
    std::vector<In2<double>> kept_arrays;
    std::vector<In2<float>> kept_floats;
    std::vector<In2<std::int8_t>> kept_bytes;
    std::vector<std::vector<bool>> filled;
    std::shared_ptr<const Gathered> copied;
    bool asked = false;
    std::mutex copying;

    PyRows(In<double> c, std::size_t size, std::size_t layers)
        : col(c), rows(span(c), size, layers), filled(layers, std::vector<bool>(size)) {
        require(all_finite(c), "a column's factor is NaN or infinite");
    }
    // None yet, with the same factors of columns, which were looked at before.
    PyRows(const PyRows& other, std::size_t size)
        : col(other.col), rows(span(col), size, other.rows.layers()),
          filled(other.rows.layers(), std::vector<bool>(size)) {}

    // Which rows of a matrix go where.
    struct Chosen {
        Numbers places, ids;
        In<double> scale;
        std::size_t layer = 0, first = 0;
    };
    void add_counts(const PyCounts& matrix, In<double> small, In<double> large, const Chosen& chosen) {
        require(small.size() == 256, "table must hold f(0) … f(255)");
        require(large.size() == matrix.large(), "one large value a large count is needed");
        require(all_finite(small) && all_finite(large), "f of a count is NaN or infinite");
        check(matrix.rows(), matrix.width(), chosen);
        rows.add(matrix.any, span(small), span(large), spans(chosen));
        kept.insert(kept.end(), {small, large});
        fill(chosen);
    }
    void add_values(const PyValues& matrix, const Chosen& chosen) {
        check(matrix.x.rows(), matrix.x.width, chosen);
        rows.add(matrix.x, spans(chosen));
        fill(chosen);
    }
    void add_doubles(const PyDoubles& matrix, const Chosen& chosen) {
        check(matrix.x.rows(), matrix.x.width, chosen);
        rows.add(matrix.x, spans(chosen));
        fill(chosen);
    }
    void add_array(In2<double> matrix, const Chosen& chosen) {
        const ArrayView x{{matrix.data(), matrix.size()}, matrix.shape(1)};
        check(matrix.shape(0), x.width, chosen);
        rows.add(x, spans(chosen));
        kept_arrays.push_back(matrix);
        fill(chosen);
    }
    void add_dense(In2<float> matrix, const Chosen& chosen) {
        add_dense_rows(matrix, chosen);
        kept_floats.push_back(matrix);
    }
    void add_dense(In2<std::int8_t> matrix, const Chosen& chosen) {
        add_dense_rows(matrix, chosen);
        kept_bytes.push_back(matrix);
    }
    // A copy for those who visit rows often, if they are few enough; made once.
    std::shared_ptr<const Gathered> copy(unsigned threads) {
        const std::lock_guard lock(copying);
        if (!asked) copied = Gathered::of(rows, threads);
        asked = true;
        return copied;
    }
    bool complete() const {
        return std::all_of(filled.begin(), filled.end(), [](const std::vector<bool>& layer) {
            return std::find(layer.begin(), layer.end(), false) == layer.end();
        });
    }

private:
    template <class Stored>
    void add_dense_rows(const In2<Stored>& matrix, const Chosen& chosen) {
        const auto x = dense_view(matrix);
        check(x.height, x.width, chosen);
        for (std::size_t c = 0; c < x.width; ++c)
            require(col(chosen.first + c) == 1, "columns of dense rows have no factors: theirs must be 1");
        rows.add(x, spans(chosen));
        fill(chosen);
    }
    void check(std::size_t height, std::size_t width, const Chosen& chosen) const {
        const auto& [places, ids, scale, layer, first] = chosen;
        require(layer < rows.layers(), "there are not so many layers");
        require(first <= rows.width() && width <= rows.width() - first, "a matrix is wider than the column factors");
        require(ids.size() == scale.size() && ids.size() == places.size(), "one place and factor a row is needed");
        require(all_finite(scale), "a row's factor is NaN or infinite");
        for (const auto id : span(ids)) require(id < height, "a row number is out of range");
        for (const auto place : span(places)) require(place < rows.size(), "a place is out of range");
    }
    void fill(const Chosen& chosen) {
        copied = nullptr;
        asked = false;
        for (const auto place : span(chosen.places)) filled[chosen.layer][place] = true;
    }
    static Rows::Chosen spans(const Chosen& c) {
        return {span(c.places), span(c.ids), span(c.scale), c.layer, c.first};
    }
};

inline nb::tuple tell(const DescentState& state) { return nb::make_tuple(state.primal, state.dual, state.visits); }

}  // namespace likewise::bindings
