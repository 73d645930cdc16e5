// Coordinate descent: over rows of matrices, and over documents judged one after another.
#include "families.h"
#include "hinge_line.h"
#include "judged.h"
#include "row_entries.h"
#include "rows.h"

namespace likewise::bindings {

namespace {

struct PyDescent {
    Descent descent;

    PyDescent(PyRows& rows, const In<double>& q, const In<double>& y, const In<double>& m, const In<double>& c,
              const In<double>& alpha, const In<double>& w, bool squared, bool bias, std::uint64_t seed, unsigned threads,
              const std::optional<Numbers>& places)
        : descent(without_gil([&] {
              std::vector<std::uint32_t> every;
              if (!places) {
                  every.resize(rows.rows.size());
                  std::iota(every.begin(), every.end(), 0u);
              }
              const std::span<const std::uint32_t> chosen = places ? span(*places) : every;
              const auto problem = checked({chosen, span(q), span(y), span(m), span(c), squared, bias, seed}, rows, alpha, w);
              return Descent(rows.rows, rows.copy(threads), problem, span(alpha), span(w), threads);
          })) {}

private:
    static constexpr double kRounding = 1e-9;  // that a multiplier may be above its cost by

    static DescentProblem checked(DescentProblem p, const PyRows& rows, const In<double>& alpha, const In<double>& w) {
        require(w.size() == rows.rows.width() || w.size() == 0, "w needs one entry a column");
        require(all_finite(w), "w holds NaN or an infinite value");
        require(rows.complete(), "some rows were not given");
        for (const auto place : p.places) require(place < rows.rows.size(), "a place is out of range");
        const auto size = p.places.size();
        require(p.squares.size() == size && p.labels.size() == size && p.margins.size() == size &&
                    p.costs.size() == size && alpha.size() == size,
                "squares, labels, margins, costs and alpha need one entry a row");
        for (std::size_t i = 0; i < size; ++i) {
            require(is_amount(p.squares[i]), "squares must be finite and not below 0");
            require(p.labels[i] == 1 || p.labels[i] == -1, "labels must be 1 or -1");
            require(std::isfinite(p.margins[i]), "margins must be finite");
            require(is_amount(p.costs[i]), "costs must be finite and not below 0");
            require(p.costs[i] > 0 || !p.squared, "costs of a squared loss must be above 0");
            require(is_amount(alpha(i)), "alpha must be finite and not below 0");
            require(alpha(i) == 0 || w.size() > 0, "only alpha = 0 needs no w");
            require(p.squared || alpha(i) <= p.costs[i] * (1 + kRounding), "alpha is above a row's cost");
        }
        return p;
    }
};

template <class Stored>
void add_dense(PyRows& self, In2<Stored> matrix, Numbers places, Numbers ids, In<double> scale, std::size_t layer,
               std::size_t first) {
    self.add_dense(matrix, {places, ids, scale, layer, first});
}

void bind_rows(nb::module_& m) {
    nb::class_<PyRows>(m, "Rows")
        .def(nb::init<In<double>, std::size_t, std::size_t>(), "col"_a.noconvert(), "size"_a, "layers"_a = 1)
        .def(nb::init<const PyRows&, std::size_t>(), "like"_a, "size"_a)
        .def("add_counts",
             [](PyRows& self, const PyCounts& matrix, In<double> table, In<double> large, Numbers places, Numbers ids,
                In<double> scale, std::size_t layer,
                std::size_t first) { self.add_counts(matrix, table, large, {places, ids, scale, layer, first}); },
             "matrix"_a, "table"_a.noconvert(), "large_values"_a.noconvert(), "places"_a.noconvert(),
             "ids"_a.noconvert(), "scale"_a, "layer"_a = 0, "first"_a = 0, nb::keep_alive<1, 2>())
        .def("add_values",
             [](PyRows& self, const PyValues& matrix, Numbers places, Numbers ids, In<double> scale, std::size_t layer,
                std::size_t first) { self.add_values(matrix, {places, ids, scale, layer, first}); },
             "matrix"_a, "places"_a.noconvert(), "ids"_a.noconvert(), "scale"_a, "layer"_a = 0, "first"_a = 0,
             nb::keep_alive<1, 2>())
        .def("add_doubles",
             [](PyRows& self, const PyDoubles& matrix, Numbers places, Numbers ids, In<double> scale) {
                 self.add_doubles(matrix, {places, ids, scale});
             },
             "matrix"_a, "places"_a.noconvert(), "ids"_a.noconvert(), "scale"_a, nb::keep_alive<1, 2>())
        .def("add_array",
             [](PyRows& self, In2<double> matrix, Numbers places, Numbers ids, In<double> scale) {
                 self.add_array(matrix, {places, ids, scale});
             },
             "matrix"_a.noconvert(), "places"_a.noconvert(), "ids"_a.noconvert(), "scale"_a)
        .def("add_dense", &add_dense<float>, "matrix"_a.noconvert(), "places"_a.noconvert(), "ids"_a.noconvert(),
             "scale"_a, "layer"_a = 0, "first"_a = 0)
        .def("add_dense", &add_dense<std::int8_t>, "matrix"_a.noconvert(), "places"_a.noconvert(),
             "ids"_a.noconvert(), "scale"_a, "layer"_a = 0, "first"_a = 0)
        .def("weighted_sum",
             [](const PyRows& self, In<double> weights) {
                 require(weights.size() == self.rows.size(), "one weight a row is needed");
                 require(self.complete(), "not all rows were given");
                 return give(without_gil([&] { return self.rows.weighted_sum(span(weights)); }));
             },
             "weights"_a.noconvert())
        .def("entries",
             [](const PyRows& self, unsigned threads) {
                 require(self.complete(), "not all rows were given");
                 auto found = without_gil([&] { return entries_of(self.rows, threads); });
                 return nb::make_tuple(give(std::move(found.starts)), give(std::move(found.columns)),
                                       give(std::move(found.values)));
             },
             "threads"_a = 1)
        .def("__len__", [](const PyRows& self) { return self.rows.size(); });
}

void bind_descent(nb::module_& m) {
    nb::class_<PyDescent>(m, "Descent")
        .def(nb::init<PyRows&, const In<double>&, const In<double>&, const In<double>&, const In<double>&, const In<double>&,
                      const In<double>&, bool, bool, std::uint64_t, unsigned, const std::optional<Numbers>&>(),
             "rows"_a, "squares"_a.noconvert(), "labels"_a.noconvert(), "margins"_a.noconvert(),
             "costs"_a.noconvert(), "alpha"_a, "w"_a, nb::kw_only(), "squared"_a = false, "bias"_a = false,
             "seed"_a = 0, "threads"_a = 1, "places"_a.noconvert() = nb::none(), nb::keep_alive<1, 2>())
        .def("epoch", [](PyDescent& self) { return tell(without_gil([&] { return self.descent.epoch(); })); })
        .def("check", [](PyDescent& self) { return tell(without_gil([&] { return self.descent.check(); })); })
        .def_prop_ro("alpha", [](const PyDescent& self) { return give(self.descent.alpha()); },
                     nb::rv_policy::move)
        .def("sum", [](PyDescent& self) { return give(without_gil([&] { return self.descent.sum(); })); })
        .def_prop_ro("scores", [](const PyDescent& self) { return give(std::vector<double>(self.descent.scores())); },
                     nb::rv_policy::move)
        .def_prop_ro("bias", [](const PyDescent& self) { return self.descent.bias(); });
}

void bind_judged(nb::module_& m) {
    nb::class_<Judged>(m, "Judged")
        .def(nb::init<std::size_t>(), "documents"_a)
        .def("add",
             [](Judged& self, std::uint32_t document, bool relevant, const In<std::int32_t>& columns,
                const In<double>& values) { self.add(document, relevant, span(columns), span(values)); },
             "document"_a, "relevant"_a, "columns"_a.noconvert(), "values"_a.noconvert())
        .def("keep",
             [](Judged& self, std::uint32_t document, const In<float>& column) {
                 without_gil([&] { self.keep(document, {column.data(), column.data() + column.size()}); });
             },
             "document"_a, "column"_a)
        .def("remove", &Judged::remove, "document"_a)
        .def("solve",
             [](Judged& self, double relevant_cost, double other_cost, double tol, std::size_t rounds) {
                 const auto state = without_gil([&] { return self.solve(relevant_cost, other_cost, tol, rounds); });
                 return nb::make_tuple(state.primal, state.dual, state.at_zero, state.steps);
             },
             "relevant_cost"_a, "other_cost"_a, "tol"_a, "rounds"_a)
        .def_prop_ro("debts",
                     [](const Judged& self) {
                         nb::list out;
                         for (const auto& one : self.debts())
                             out.append(nb::make_tuple(one.document, one.side == 0, one.change));
                         return out;
                     })
        .def("pay",
             [](Judged& self, std::uint32_t document, const In<float>& column) {
                 without_gil([&] { self.pay(document, span(column)); });
             },
             "document"_a, "column"_a)
        .def("pay_side",
             [](Judged& self, bool relevant, const In<float>& sums) {
                 without_gil([&] { self.pay_side(relevant ? 0 : 1, span(sums)); });
             },
             "relevant"_a, "sums"_a)
        .def("best",
             [](const Judged& self, std::size_t k, const Keep& keep) {
                 nb::list out;
                 for (const auto& [document, score] : without_gil([&] { return self.best(k, span(keep)); }))
                     out.append(nb::make_tuple(document, score));
                 return out;
             },
             "k"_a, "keep"_a = nb::none())
        .def_prop_ro("scores", [](const Judged& self) { return give(self.scores()); }, nb::rv_policy::move)
        .def_prop_ro("documents", [](const Judged& self) { return give(std::vector<std::uint32_t>(self.judged())); }, nb::rv_policy::move)
        .def_prop_ro("weights", [](const Judged& self) { return give(self.weights()); }, nb::rv_policy::move)
        .def_prop_ro("bias", &Judged::bias);
}

}  // namespace

void bind_solvers(nb::module_& m) {
    m.def("hinge_line",
          [](const In<double>& slack, const In<double>& change, std::size_t points) {
              require(slack.size() == change.size(), "one change a slack is needed");
              auto found = without_gil([&] { return hinge_line(span(slack), span(change), points); });
              return nb::make_tuple(give(std::move(found.slopes)), give(std::move(found.values)));
          },
          "slack"_a.noconvert(), "change"_a.noconvert(), "points"_a);
    bind_rows(m);
    bind_descent(m);
    bind_judged(m);
}

}  // namespace likewise::bindings
