// Matrices and what they are multiplied with, and the best of the scores.
#include "products.h"

#include <tuple>

#include "blocks.h"
#include "families.h"
#include "matrices.h"
#include "ordered_rows.h"
#include "parallel.h"
#include "topk.h"

namespace likewise::bindings {

namespace {

template <class T>
Factors<T> no_table() {
    static const T identity[2] = {0, 1};
    return {identity, nullptr};
}

template <class T, class View>
Out<T> dot1(const View& x, const In<T>& v, const Factors<T>& f, unsigned threads) {
    require(v.size() == x.width, "the vector's length is not the matrix's width");
    return filled<T>(x.rows(), [&](T* y) { dot(x, v.data(), f, y, threads); });
}

template <class T, class View>
Out2<T> dot2(const View& x, const In2<T>& v, const Factors<T>& f, unsigned threads) {
    require(v.shape(0) == x.width, "the block's height is not the matrix's width");
    const std::size_t block = v.shape(1);
    return filled<T>(x.rows(), block, [&](T* y) { dot_block<View, T>(x, {v.data(), block}, f, {y}, threads); });
}

template <class T, class View>
Out2<T> sum2(const View& x, const In2<T>& a, const Factors<T>& f, unsigned threads) {
    require(a.shape(0) == x.rows(), "one row of weights a row is needed");
    const std::size_t block = a.shape(1);
    return filled<T>(x.width, block, [&](T* g) { sum_block(x, a.data(), block, f, g, threads); });
}

template <class View>
Out<double> sum1(const View& x, const In<double>& a, const Factors<double>& f, unsigned threads) {
    require(a.size() == x.rows(), "one weight a row is needed");
    return filled<double>(x.width, [&](double* g) { weighted_sum(x, span(a), f, {g, x.width}, threads); });
}

// `weigh` is a function of Python's: called with the GIL, and with the rows that it is for.
template <class View>
Out<double> fused_of(const View& x, const In<double>& v, const Factors<double>& f, const InOut& y, const InOut& a,
                     const nb::callable& weigh, unsigned threads) {
    require(v.size() == x.width, "the vector's length is not the matrix's width");
    require(y.size() == x.rows() && a.size() == x.rows(), "y and a need one number a row");
    const Weigh weighed = [&](std::size_t first, std::size_t last) {
        nb::gil_scoped_acquire acquire;
        weigh(first, last);
    };
    return filled<double>(x.width, [&](double* g) {
        fused(x, v.data(), f, y.data(), a.data(), weighed, {g, x.width}, threads);
    });
}

template <class T>
void block_scores(const PyCounts& self, const In2<T>& v, const In<double>& scales, const In<double>& small,
                  const In<double>& large, const In<double>& factors, const Into2<T>& y, unsigned threads) {
    require(v.shape(0) == self.width() && scales.size() == self.width(), "one row and one scale a column are needed");
    require(factors.size() == self.rows() && y.shape(0) == self.rows() && y.shape(1) == v.shape(1),
            "one factor and one row of scores a row are needed");
    const auto f = table<T>(self, small, large);
    without_gil([&] {
        self.visit([&](const auto& x) {
            dot_block<std::decay_t<decltype(x)>, T>(x, {v.data(), v.shape(1), scales.data()}, f.factors(),
                                                    {y.data(), factors.data()}, threads);
        });
    });
}

template <class T>
void add_block(const PyCounts& self, const In2<T>& v, const In<double>& scales, const In<double>& small,
               const In<double>& large, const std::optional<Numbers>& places, const Into2<T>& sums, unsigned threads) {
    require(v.shape(0) == self.width() && scales.size() == self.width(), "one row and one scale a column are needed");
    require(v.shape(1) == sums.shape(1), "sums need as many columns as the block");
    check_places(places, self.rows(), sums.shape(0));
    const auto f = table<T>(self, small, large);
    without_gil([&] {
        self.visit([&](const auto& x) {
            dot_block<std::decay_t<decltype(x)>, T>(x, {v.data(), v.shape(1), scales.data()}, f.factors(),
                                                    {sums.data(), nullptr, places ? places->data() : nullptr, true},
                                                    threads);
        });
    });
}

void add_some(const PyCounts& self, const Numbers& ids, const In<double>& a, const In<double>& small,
              const In<double>& large, const InOut& sums) {
    check_rows(ids, self.rows());
    require(a.size() == ids.size(), "one weight a row is needed");
    require(sums.size() >= self.width(), "one sum a column is needed");
    const auto f = table<double>(self, small, large);
    without_gil([&] {
        self.visit([&](const auto& x) { add_rows(x, span(ids), span(a), f.factors(), sums.data()); });
    });
}

template <class T>
Out<T> dot_some(const PyCounts& self, const Numbers& ids, const In<T>& v, const In<double>& small,
                const In<double>& large, unsigned threads) {
    require(v.size() == self.width(), "the vector's length is not the matrix's width");
    check_rows(ids, self.rows());
    const auto f = table<T>(self, small, large);
    return self.visit([&](const auto& x) {
        return filled<T>(ids.size(), [&](T* y) { dot_rows(x, span(ids), v.data(), f.factors(), y, threads); });
    });
}

template <class View>
Out<double> exact_some(const View& x, const Numbers& ids, const std::optional<Numbers>& columns,
                       const In<double>& weights, const Factors<double>& f) {
    check_rows(ids, x.rows());
    require(weights.size() == (columns ? columns->size() : x.width), "one weight a column is needed");
    return filled<double>(ids.size(), [&](double* y) {
        if (columns)
            exact(x, span(ids), span(*columns), span(weights), f, y);
        else
            exact(x, span(ids), weights.data(), f, y);
    });
}

nb::tuple entries_of(const PyCounts& self, const Numbers& ids) {
    check_rows(ids, self.rows());
    auto found = without_gil([&] { return self.visit([&](const auto& x) { return ordered_rows(x, span(ids)); }); });
    return nb::make_tuple(give(std::move(found.starts)), give(std::move(found.columns)), give(std::move(found.counts)));
}

// A query over an inverted file, whose columns are documents.
Query query_of(const PyCounts& self, const Numbers& columns, const In<double>& weights, const In<float>& factors) {
    require(factors.size() == self.width(), "one factor a document is needed");
    require(columns.size() == weights.size(), "one weight a column is needed");
    return {span(columns), span(weights)};
}

Out<std::uint32_t> candidates_of(const PyCounts& self, const Numbers& columns, const In<double>& weights,
                                 const In<float>& factors, const Keep& keep, std::size_t k, double slack,
                                 const In<double>& small, const In<double>& large, bool positive) {
    const auto query = query_of(self, columns, weights, factors);
    require(!keep || keep->size() == self.width(), "keep needs one entry a document");
    const auto f = table<double>(self, small, large);
    return give(without_gil([&] {
        return self.visit([&](const auto& x) {
            return candidates(x, query, span(factors), span(keep), k, slack, f.factors(), positive);
        });
    }));
}

void add_scores_of(const PyCounts& self, const Numbers& columns, const In<double>& weights, const In<float>& factors,
                   const In<double>& small, const In<double>& large, float scale, const Into<float>& out) {
    const auto query = query_of(self, columns, weights, factors);
    require(out.size() == factors.size(), "out needs one entry a document");
    const auto f = table<double>(self, small, large);
    without_gil([&] {
        self.visit([&](const auto& x) {
            add_scores(x, query, span(factors), f.factors(), scale, {out.data(), out.size()});
        });
    });
}

nb::dict select_of(const PyCounts& self, const Numbers& ids, const std::optional<Numbers>& numbers) {
    check_rows(ids, self.rows());
    return give(without_gil([&] {
        return self.visit([&](const auto& x) {
            return numbers ? select(x, span(ids), span(*numbers)) : select(x, span(ids));
        });
    }));
}

// Of several matrices, each with the rows to take and the numbers of its columns.
nb::dict select_all(const nb::sequence& matrices, unsigned threads) {
    std::vector<std::tuple<const PyCounts*, Numbers, Numbers>> given;  // which keeps the arrays alive
    for (const nb::handle each : matrices)
        given.emplace_back(&nb::cast<const PyCounts&>(each[0]), nb::cast<Numbers>(each[1], false),
                           nb::cast<Numbers>(each[2], false));
    std::vector<Chosen> chosen;
    for (const auto& [matrix, ids, numbers] : given) {
        check_rows(ids, matrix->rows());
        chosen.push_back({matrix->any, span(ids), span(numbers)});
    }
    return give(without_gil([&] { return select(std::span<const Chosen>(chosen), threads); }));
}

template <class T>
Out<std::uint32_t> best_of(const In<T>& scores, const Keep& keep, std::size_t k, double slack) {
    require(!keep || keep->size() == scores.size(), "keep needs one entry a score");
    return give(without_gil([&] { return best(span(scores), span(keep), k, slack); }));
}

// The products of counts with vectors of type T. A weighted sum of single rows is in double precision.
template <class T>
void bind_count_products(nb::class_<PyCounts>& counts) {
    using Real = In<double>;
    counts
        .def("dot",
             [](const PyCounts& self, const In<T>& x, const Real& small, const Real& large, unsigned threads) {
                 const auto f = table<T>(self, small, large);
                 return self.visit([&](const auto& own) { return dot1<T>(own, x, f.factors(), threads); });
             },
             "x"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("dot",
             [](const PyCounts& self, const In2<T>& x, const Real& small, const Real& large, unsigned threads) {
                 const auto f = table<T>(self, small, large);
                 return self.visit([&](const auto& own) { return dot2<T>(own, x, f.factors(), threads); });
             },
             "x"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("block_scores", &block_scores<T>, "x"_a.noconvert(), "scales"_a.noconvert(), "table"_a,
             "large_values"_a, "factors"_a.noconvert(), "y"_a.noconvert(), "threads"_a = 1)
        .def("add_block", &add_block<T>, "x"_a.noconvert(), "scales"_a.noconvert(), "table"_a, "large_values"_a,
             "places"_a.noconvert().none(), "sums"_a.noconvert(), "threads"_a = 1)
        .def("dot_rows", &dot_some<T>, "ids"_a.noconvert(), "x"_a.noconvert(), "table"_a, "large_values"_a,
             "threads"_a = 1)
        .def("weighted_sum",
             [](const PyCounts& self, const In2<T>& a, const Real& small, const Real& large, unsigned threads) {
                 const auto f = table<T>(self, small, large);
                 return self.visit([&](const auto& own) { return sum2<T>(own, a, f.factors(), threads); });
             },
             "a"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1);
}

void bind_counts(nb::module_& m) {
    using Real = In<double>;
    nb::class_<PyCounts> counts(m, "Counts");
    counts
        .def(nb::init<const nb::dict&, std::size_t, bool, std::optional<std::uint64_t>>(), "arrays"_a, "width"_a,
             nb::kw_only(), "trusted"_a = false, "highest"_a = nb::none())
        .def_prop_ro("shape", [](const PyCounts& self) { return nb::make_tuple(self.rows(), self.width()); });
    bind_count_products<float>(counts);
    bind_count_products<double>(counts);
    counts
        .def("weighted_sum",
             [](const PyCounts& self, const Real& a, const Real& small, const Real& large, unsigned threads) {
                 const auto f = table<double>(self, small, large);
                 return self.visit([&](const auto& own) { return sum1(own, a, f.factors(), threads); });
             },
             "a"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("squares",
             [](const PyCounts& self, const Real& columns, const Real& small, const Real& large, unsigned threads) {
                 require(columns.size() == self.width(), "one factor a column is needed");
                 const auto f = table<double>(self, small, large);
                 return self.visit([&](const auto& x) {
                     return filled<double>(
                         x.rows(), [&](double* y) { row_squares(x, columns.data(), f.factors(), y, threads); });
                 });
             },
             "columns"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("frequencies",
             [](const PyCounts& self) {
                 return give(without_gil([&] { return self.visit([](const auto& x) { return frequencies(x); }); }));
             })
        .def("add_rows", &add_some, "ids"_a.noconvert(), "a"_a.noconvert(), "table"_a, "large_values"_a,
             "sums"_a.noconvert())
        .def("exact",
             [](const PyCounts& self, const Numbers& ids, const std::optional<Numbers>& columns, const Real& weights,
                const Real& small, const Real& large) {
                 const auto f = table<double>(self, small, large);
                 return self.visit([&](const auto& own) { return exact_some(own, ids, columns, weights, f.factors()); });
             },
             "ids"_a.noconvert(), "columns"_a.noconvert().none(), "weights"_a, "table"_a, "large_values"_a)
        .def("fused",
             [](const PyCounts& self, const Real& x, const Real& small, const Real& large, const InOut& y,
                const InOut& a, const nb::callable& weigh, unsigned threads) {
                 const auto f = table<double>(self, small, large);
                 return self.visit(
                     [&](const auto& own) { return fused_of(own, x, f.factors(), y, a, weigh, threads); });
             },
             "x"_a.noconvert(), "table"_a, "large_values"_a, "y"_a.noconvert(), "a"_a.noconvert(), "weigh"_a,
             "threads"_a = 1)
        .def("candidates", &candidates_of, "columns"_a.noconvert(), "weights"_a, "factors"_a, "keep"_a.none(), "k"_a,
             "slack"_a, "table"_a, "large_values"_a, "positive"_a)
        .def("add_scores", &add_scores_of, "columns"_a.noconvert(), "weights"_a, "factors"_a, "table"_a,
             "large_values"_a, "scale"_a, "out"_a.noconvert())
        .def("entries", &entries_of, "ids"_a.noconvert())
        .def("select", &select_of, "ids"_a.noconvert(), "numbers"_a.noconvert() = nb::none())
        .def("transpose",
             [](const PyCounts& self, unsigned threads) {
                 return give(without_gil([&] {
                     return self.visit([&](const auto& x) { return transpose(x, threads); });
                 }));
             },
             "threads"_a = 1);
}

template <class T>
void bind_value_products(nb::class_<PyValues>& values) {
    values
        .def("dot",
             [](const PyValues& self, const In<T>& x, unsigned threads) {
                 return dot1<T>(self.x, x, no_table<T>(), threads);
             },
             "x"_a.noconvert(), "threads"_a = 1)
        .def("dot",
             [](const PyValues& self, const In2<T>& x, unsigned threads) {
                 return dot2<T>(self.x, x, no_table<T>(), threads);
             },
             "x"_a.noconvert(), "threads"_a = 1)
        .def("weighted_sum",
             [](const PyValues& self, const In2<T>& a, unsigned threads) {
                 return sum2<T>(self.x, a, no_table<T>(), threads);
             },
             "a"_a.noconvert(), "threads"_a = 1);
}

void bind_values(nb::module_& m) {
    nb::class_<PyValues> values(m, "Values");
    values
        .def(nb::init<Numbers, Numbers, In<float>, std::size_t>(), "starts"_a.noconvert(), "columns"_a.noconvert(),
             "values"_a.noconvert(), "width"_a)
        .def_prop_ro("shape", [](const PyValues& self) { return nb::make_tuple(self.x.rows(), self.x.width); });
    bind_value_products<float>(values);
    bind_value_products<double>(values);
    values
        .def("weighted_sum",
             [](const PyValues& self, const In<double>& a, unsigned threads) {
                 return sum1(self.x, a, no_table<double>(), threads);
             },
             "a"_a.noconvert(), "threads"_a = 1)
        .def("fused",
             [](const PyValues& self, const In<double>& x, const InOut& y, const InOut& a, const nb::callable& weigh,
                unsigned threads) { return fused_of(self.x, x, no_table<double>(), y, a, weigh, threads); },
             "x"_a.noconvert(), "y"_a.noconvert(), "a"_a.noconvert(), "weigh"_a, "threads"_a = 1)
        .def("exact",
             [](const PyValues& self, const Numbers& ids, const std::optional<Numbers>& columns,
                const In<double>& weights) { return exact_some(self.x, ids, columns, weights, no_table<double>()); },
             "ids"_a.noconvert(), "columns"_a.noconvert().none(), "weights"_a);
}

// Squared lengths of rows of double precision, and whether a row names a column twice.
void bind_doubles(nb::module_& m) {
    nb::class_<PyDoubles>(m, "Doubles")
        .def(nb::init<Numbers, Numbers, In<double>, std::size_t, unsigned>(), "starts"_a.noconvert(),
             "columns"_a.noconvert(), "values"_a.noconvert(), "width"_a, "threads"_a = 1)
        .def_prop_ro("squares", [](const PyDoubles& self) { return give(std::vector<double>(self.squares)); },
                     nb::rv_policy::move)
        .def_ro("repeated", &PyDoubles::repeated)
        .def("dot",
             [](const PyDoubles& self, const In<double>& v, unsigned threads) {
                 require(v.size() == self.x.width, "v needs one entry a column");
                 return filled<double>(self.x.rows(), [&](double* y) { scores(self.x, v.data(), y, threads); });
             },
             "v"_a.noconvert(), "threads"_a = 1)
        .def("weighted_sum",
             [](const PyDoubles& self, const In<double>& a, unsigned threads) {
                 require(a.size() == self.x.rows(), "one weight a row is needed");
                 return give(without_gil([&] { return weighted_sum(self.x, a.data(), threads); }));
             },
             "a"_a.noconvert(), "threads"_a = 1);
}

// For each (arrays, width, highest column): whether they are a matrix of counts.
nb::list are_counts(const nb::list& given, unsigned threads) {
    std::vector<std::optional<BorrowedCounts>> kept(given.size());
    std::vector<std::uint8_t> good(given.size());
    std::vector<std::pair<std::size_t, std::uint64_t>> limits;  // the width, and the highest column
    for (std::size_t i = 0; i < given.size(); ++i) {
        const nb::handle one = given[i];
        limits.emplace_back(nb::cast<std::size_t>(one[1]), nb::cast<std::uint64_t>(one[2]));
        try {
            kept[i].emplace(nb::cast<nb::dict>(one[0]));
        } catch (const nb::builtin_exception&) {  // they have other types: no matrix of counts
        }
    }
    without_gil([&] {
        parallel(kept.size(), threads, [&](std::size_t i) {
            if (!kept[i]) return;
            try {
                const auto& [width, highest] = limits[i];
                std::visit([&most = highest](const auto& x) { check(x, most); }, kept[i]->view(width));
                good[i] = 1;
            } catch (const std::invalid_argument&) {
            }
        });
    });
    nb::list out;
    for (const auto each : good) out.append(each != 0);
    return out;
}

}  // namespace

void bind_products(nb::module_& m) {
    bind_doubles(m);
    bind_counts(m);
    bind_values(m);
    m.def("are_counts", &are_counts, "matrices"_a, "threads"_a = 1);
    m.def("select", &select_all, "matrices"_a, "threads"_a = 1);
    m.def("all_finite",
          [](const In<float>& numbers) { return without_gil([&] { return likewise::all_finite(span(numbers)); }); },
          "numbers"_a.noconvert());
    m.def("best", &best_of<float>, "scores"_a.noconvert(), "keep"_a.none(), "k"_a, "slack"_a);
    m.def("best", &best_of<double>, "scores"_a.noconvert(), "keep"_a.none(), "k"_a, "slack"_a);
}

}  // namespace likewise::bindings
