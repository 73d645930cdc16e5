// The only file that knows Python: arguments are checked and borrowed here, and the GIL released.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "blocks.h"
#include "combined.h"
#include "count.h"
#include "dense.h"
#include "descent.h"
#include "draws.h"
#include "judged.h"
#include "pairs.h"
#include "products.h"
#include "topk.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace likewise;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
using Keep = std::optional<In<bool>>;

template <class T>
std::span<const T> span(const In<T>& array) {
    return {array.data(), array.size()};
}

std::span<const bool> span(const Keep& keep) {
    return keep ? span(*keep) : std::span<const bool>();
}

void require(bool good, const char* what) {
    if (!good) throw std::invalid_argument(what);
}

template <class T, class Good>
bool all_of(const In<T>& values, Good&& good) {
    return std::all_of(values.data(), values.data() + values.size(), good);
}

template <class T>
bool all_finite(const In<T>& values) {
    return all_of(values, [](T value) { return std::isfinite(value); });
}

bool is_amount(double value) { return value >= 0 && std::isfinite(value); }

// Hands a vector to NumPy without copying.
template <class T>
Out<T> give(std::vector<T> values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(owned->data(), {owned->size()}, owner);
}

template <class T>
struct Buffer {
    explicit Buffer(std::size_t size) : data(new T[size]()) {}
    T* data;
    nb::capsule owner() const {
        return nb::capsule(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    }
};

nb::dict give(CountArrays a) {
    nb::dict out;
    out["starts"] = give(std::move(a.starts));
    out["more"] = give(std::move(a.more));
    out["columns"] = give(std::move(a.columns));
    out["counts"] = give(std::move(a.counts));
    out["large_at"] = give(std::move(a.large_at));
    out["large"] = give(std::move(a.large));
    return out;
}

// The UTF-8 of Python strings, borrowed; a lone surrogate, which has none, becomes "?".
class Utf8 {
public:
    std::string_view operator()(nb::handle object) {
        Py_ssize_t size = 0;
        if (!PyUnicode_Check(object.ptr())) throw nb::type_error("a text must be a str");
        if (const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size))
            return {text, static_cast<std::size_t>(size)};
        PyErr_Clear();
        nb::object bytes = nb::steal(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "replace"));
        if (!bytes.is_valid()) throw nb::python_error();
        kept_.push_back(bytes);
        return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
    }

private:
    std::vector<nb::object> kept_;
};

nb::str to_python(std::string_view s) { return nb::str(s.data(), s.size()); }

bool is_ascii(std::string_view s) {
    return std::all_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::vector<std::uint8_t> call_classes(const nb::object& classes) {
    const auto table = nb::cast<In<std::uint8_t>>(classes());
    require(table.size() == 0x110000, "classes needs one entry a code point");
    return {table.data(), table.data() + table.size()};
}

struct PyCounter {
    Counter counter;
    nb::object classes;

    PyCounter(nb::object c, unsigned threads, std::size_t max_bytes, bool bigrams)
        : counter(threads, max_bytes, bigrams), classes(std::move(c)) {}

    nb::list count(const nb::sequence& fields) {
        Utf8 utf8;
        Texts texts;
        bool ascii = true;
        for (nb::handle field : fields) {
            auto& column = texts.emplace_back();
            column.reserve(nb::len(field));
            for (nb::handle text : field) {
                column.push_back(utf8(text));
                ascii = ascii && PyUnicode_IS_ASCII(text.ptr());
            }
        }
        if (!ascii && !counter.has_classes()) counter.set_classes(call_classes(classes));
        std::uint32_t first;
        {
            nb::gil_scoped_release release;
            first = counter.count(texts);
        }
        nb::list fresh;
        for (auto form = first; form < counter.forms().size(); ++form) fresh.append(to_python(counter.forms()[form]));
        return fresh;
    }

    void absorb(const nb::sequence& meanings) {
        Utf8 utf8;
        std::vector<std::string_view> terms;
        std::vector<std::size_t> ends;
        for (nb::handle meaning : meanings) {
            if (nb::isinstance<nb::tuple>(meaning))
                for (nb::handle term : meaning) terms.push_back(utf8(term));
            else if (!meaning.is_none())
                terms.push_back(utf8(meaning));
            ends.push_back(terms.size());
        }
        nb::gil_scoped_release release;
        counter.absorb(terms, ends);
    }
};

// Arrays that live in Python, mapped files most of the time, read where they lie. Only what can be
// read as it is will do: a converted copy would be freed before the view of it is used.
struct BorrowedCounts {
    In<std::uint32_t> starts, more, columns;
    In<std::uint8_t> counts;
    In<std::uint32_t> large_at, large;

    explicit BorrowedCounts(const nb::dict& arrays)
        : starts(borrow<std::uint32_t>(arrays, "starts")), more(borrow<std::uint32_t>(arrays, "more")),
          columns(borrow<std::uint32_t>(arrays, "columns")), counts(borrow<std::uint8_t>(arrays, "counts")),
          large_at(borrow<std::uint32_t>(arrays, "large_at")), large(borrow<std::uint32_t>(arrays, "large")) {}

    CountView view(std::size_t width) const {
        return {span(starts), span(more), span(columns), span(counts), span(large_at), span(large), width};
    }

private:
    template <class T>
    static In<T> borrow(const nb::dict& arrays, const char* name) {
        In<T> found;
        if (nb::try_cast(arrays[name], found, false)) return found;
        const auto bits = std::to_string(8 * sizeof(T));
        throw nb::type_error((std::string(name) + " must be a contiguous array of uint" + bits).c_str());
    }
};

struct PyCounts {
    BorrowedCounts arrays;
    CountView x;

    PyCounts(const nb::dict& a, std::size_t width, bool trusted) : arrays(a), x(arrays.view(width)) {
        nb::gil_scoped_release release;
        if (!trusted) check(x);
    }
    void check_rows(std::span<const std::uint32_t> ids) const {
        for (const auto id : ids) require(id < x.rows(), "a row number is out of range");
    }
};

struct PyValues {
    In<std::uint32_t> starts, columns;
    In<float> values;
    ValueView x;

    PyValues(In<std::uint32_t> s, In<std::uint32_t> c, In<float> v, std::size_t width)
        : starts(s), columns(c), values(v), x{span(starts), span(columns), span(values), width} {
        check(x);
    }
};

DenseView dense_view(const In2<float>& matrix) { return {matrix.data(), matrix.shape(0), matrix.shape(1)}; }

// f as the kernels take it.
template <class T>
struct Table {
    std::vector<T> small;
    const double* large;
    Factors<T> factors() const { return {small.data(), large}; }
};

template <class T>
Table<T> table(const CountView& x, const In<double>& small, const In<double>& large) {
    require(small.size() == 256, "table must hold f(0) … f(255)");
    require(large.size() == x.large.size(), "one large value a large count is needed");
    Table<T> out{std::vector<T>(small.data(), small.data() + 256), large.data()};
    out.small[kLarge] = 0;
    return out;
}

template <class T>
Factors<T> no_table() {
    static const T identity[2] = {0, 1};
    return {identity, nullptr};
}

template <class T, class View>
Out<T> dot1(const View& x, const In<T>& v, const Factors<T>& f, unsigned threads) {
    require(v.size() == x.width, "the vector's length is not the matrix's width");
    Buffer<T> y(x.rows());
    auto owner = y.owner();
    {
        nb::gil_scoped_release release;
        dot(x, v.data(), f, y.data, threads);
    }
    return Out<T>(y.data, {x.rows()}, owner);
}

template <class T, class View>
Out2<T> dot2(const View& x, const In2<T>& v, const Factors<T>& f, unsigned threads) {
    require(v.shape(0) == x.width, "the block's height is not the matrix's width");
    const std::size_t block = v.shape(1);
    Buffer<T> y(x.rows() * block);
    auto owner = y.owner();
    {
        nb::gil_scoped_release release;
        dot_block(x, v.data(), block, f, y.data, threads);
    }
    return Out2<T>(y.data, {x.rows(), block}, owner);
}

template <class T, class View>
Out2<T> sum2(const View& x, const In2<T>& a, const Factors<T>& f, unsigned threads) {
    require(a.shape(0) == x.rows(), "one row of weights a row is needed");
    const std::size_t block = a.shape(1);
    Buffer<T> g(x.width * block);
    auto owner = g.owner();
    {
        nb::gil_scoped_release release;
        sum_block(x, a.data(), block, f, g.data, threads);
    }
    return Out2<T>(g.data, {x.width, block}, owner);
}

template <class View>
Out<double> sum1(const View& x, const In<double>& a, const Factors<double>& f, unsigned threads) {
    require(a.size() == x.rows(), "one weight a row is needed");
    Buffer<double> g(x.width);
    auto owner = g.owner();
    {
        nb::gil_scoped_release release;
        weighted_sum(x, span(a), f, {g.data, x.width}, threads);
    }
    return Out<double>(g.data, {x.width}, owner);
}

template <class T>
Out<T> dot_some(const PyCounts& self, const In<std::uint32_t>& ids, const In<T>& v, const In<double>& small,
                const In<double>& large, unsigned threads) {
    require(v.size() == self.x.width, "the vector's length is not the matrix's width");
    self.check_rows(span(ids));
    const auto f = table<T>(self.x, small, large);
    Buffer<T> y(ids.size());
    auto owner = y.owner();
    {
        nb::gil_scoped_release release;
        dot_rows(self.x, span(ids), v.data(), f.factors(), y.data, threads);
    }
    return Out<T>(y.data, {ids.size()}, owner);
}

Out<double> sum_some(const PyCounts& self, const In<std::uint32_t>& ids, const In<double>& a,
                     const In<double>& small, const In<double>& large) {
    require(ids.size() == a.size(), "one weight a row is needed");
    self.check_rows(span(ids));
    const auto f = table<double>(self.x, small, large);
    Buffer<double> g(self.x.width);
    auto owner = g.owner();
    {
        nb::gil_scoped_release release;
        weighted_sum_rows(self.x, span(ids), span(a), f.factors(), {g.data, self.x.width});
    }
    return Out<double>(g.data, {self.x.width}, owner);
}

template <class View>
Out<double> exact_some(const View& x, const In<std::uint32_t>& ids, const std::optional<In<std::uint32_t>>& columns,
                       const In<double>& weights, const Factors<double>& f) {
    for (std::size_t i = 0; i < ids.size(); ++i) require(ids(i) < x.rows(), "a row number is out of range");
    require(weights.size() == (columns ? columns->size() : x.width), "one weight a column is needed");
    Buffer<double> y(ids.size());
    auto owner = y.owner();
    {
        nb::gil_scoped_release release;
        if (columns)
            exact(x, span(ids), span(*columns), span(weights), f, y.data);
        else
            exact(x, span(ids), weights.data(), f, y.data);
    }
    return Out<double>(y.data, {ids.size()}, owner);
}

nb::tuple entries_of(const PyCounts& self, const In<std::uint32_t>& ids) {
    self.check_rows(span(ids));
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;
    std::vector<std::uint32_t> counts;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> row;
    const auto& x = self.x;
    for (const auto i : span(ids)) {
        row.clear();
        for (auto p = x.begin(i); p < x.split(i); ++p) row.emplace_back(x.columns[p], 1);
        auto q = x.first_count(i);
        for (auto p = x.split(i); p < x.end(i); ++p, ++q) row.emplace_back(x.columns[p], x.count(q));
        std::sort(row.begin(), row.end());
        for (const auto& [column, count] : row) {
            columns.push_back(static_cast<std::int32_t>(column));
            counts.push_back(count);
        }
        starts.push_back(static_cast<std::int64_t>(columns.size()));
    }
    return nb::make_tuple(give(std::move(starts)), give(std::move(columns)), give(std::move(counts)));
}

template <class T>
Out<std::uint32_t> best_of(const In<T>& scores, const Keep& keep, std::size_t k, double slack) {
    require(!keep || keep->size() == scores.size(), "keep needs one entry a score");
    std::vector<std::uint32_t> found;
    {
        nb::gil_scoped_release release;
        found = best(span(scores), span(keep), k, slack);
    }
    return give(std::move(found));
}

// Rows as the descent reads them. It keeps the arrays that they stand in; the bindings keep the
// matrices alive.
struct PyRows {
    using Numbers = In<std::uint32_t>;

    In<double> col;
    Rows rows;
    std::vector<In<double>> kept;
    std::vector<Numbers> kept_numbers;
    std::vector<In2<double>> kept_arrays;
    std::vector<In2<float>> kept_dense;
    std::vector<std::vector<bool>> filled;

    PyRows(In<double> c, std::size_t size, std::size_t layers)
        : col(c), rows(span(c), size, layers), filled(layers, std::vector<bool>(size)) {
        require(all_finite(c), "a column's factor is NaN or infinite");
    }

    // Which rows of a matrix go where.
    struct Chosen {
        Numbers places, ids;
        In<double> scale;
        std::size_t layer = 0, first = 0;
    };
    void add_counts(const PyCounts& matrix, In<double> small, In<double> large, const Chosen& chosen) {
        require(small.size() == 256, "table must hold f(0) … f(255)");
        require(large.size() == matrix.x.large.size(), "one large value a large count is needed");
        require(all_finite(small) && all_finite(large), "f of a count is NaN or infinite");
        check(matrix.x.rows(), matrix.x.width, chosen);
        rows.add(matrix.x, span(small), span(large), spans(chosen));
        kept.insert(kept.end(), {small, large});
        fill(chosen);
    }
    void add_values(const PyValues& matrix, const Chosen& chosen) {
        check(matrix.x.rows(), matrix.x.width, chosen);
        rows.add(matrix.x, spans(chosen));
        fill(chosen);
    }
    void add_doubles(Numbers starts, Numbers columns, In<double> values, std::size_t width, const Chosen& chosen) {
        const DoubleView x{span(starts), span(columns), span(values), width};
        likewise::check(x);
        check(x.rows(), width, chosen);
        rows.add(x, spans(chosen));
        kept.push_back(values);
        kept_numbers.insert(kept_numbers.end(), {starts, columns});
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
        const auto x = dense_view(matrix);
        check(x.height, x.width, chosen);
        for (std::size_t c = 0; c < x.width; ++c)
            require(col(chosen.first + c) == 1, "columns of dense rows have no factors: theirs must be 1");
        rows.add(x, spans(chosen));
        kept_dense.push_back(matrix);
        fill(chosen);
    }
    bool complete() const {
        return std::all_of(filled.begin(), filled.end(), [](const std::vector<bool>& layer) {
            return std::find(layer.begin(), layer.end(), false) == layer.end();
        });
    }

private:
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
        for (const auto place : span(chosen.places)) filled[chosen.layer][place] = true;
    }
    static Rows::Chosen spans(const Chosen& c) { return {span(c.places), span(c.ids), span(c.scale), c.layer, c.first}; }
};

struct PyDescent {
    In<double> squares, labels, margins, costs;
    Descent descent;

    PyDescent(const PyRows& rows, In<double> q, In<double> y, In<double> m, In<double> c, const In<double>& alpha,
              const In<double>& w, bool squared, bool bias, std::uint64_t seed)
        : squares(q), labels(y), margins(m), costs(c),
          descent(rows.rows, checked({span(q), span(y), span(m), span(c), squared, bias, seed}, rows, alpha, w),
                  {alpha.data(), alpha.data() + alpha.size()}, span(w)) {}

private:
    static constexpr double kRounding = 1e-9;  // that a multiplier may be above its cost by

    static DescentProblem checked(DescentProblem p, const PyRows& rows, const In<double>& alpha, const In<double>& w) {
        require(w.size() == rows.rows.width(), "w needs one entry a column");
        require(all_finite(w), "w holds NaN or an infinite value");
        require(rows.complete(), "some rows were not given");
        const auto size = rows.rows.size();
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
            require(p.squared || alpha(i) <= p.costs[i] * (1 + kRounding), "alpha is above a row's cost");
        }
        return p;
    }
};

void bind_descent(nb::module_& m) {
    using Numbers = PyRows::Numbers;
    nb::class_<PyRows>(m, "Rows")
        .def(nb::init<In<double>, std::size_t, std::size_t>(), "col"_a.noconvert(), "size"_a, "layers"_a = 1)
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
             [](PyRows& self, Numbers starts, Numbers columns, In<double> values, std::size_t width, Numbers places,
                Numbers ids, In<double> scale) {
                 self.add_doubles(starts, columns, values, width, {places, ids, scale});
             },
             "starts"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(), "width"_a,
             "places"_a.noconvert(), "ids"_a.noconvert(), "scale"_a)
        .def("add_array",
             [](PyRows& self, In2<double> matrix, Numbers places, Numbers ids, In<double> scale) {
                 self.add_array(matrix, {places, ids, scale});
             },
             "matrix"_a.noconvert(), "places"_a.noconvert(), "ids"_a.noconvert(), "scale"_a)
        .def("add_dense",
             [](PyRows& self, In2<float> matrix, Numbers places, Numbers ids, In<double> scale, std::size_t layer,
                std::size_t first) { self.add_dense(matrix, {places, ids, scale, layer, first}); },
             "matrix"_a.noconvert(), "places"_a.noconvert(), "ids"_a.noconvert(), "scale"_a, "layer"_a = 0,
             "first"_a = 0)
        .def("__len__", [](const PyRows& self) { return self.rows.size(); });
    const auto tell = [](const DescentState& state) { return nb::make_tuple(state.primal, state.dual, state.visits); };
    nb::class_<PyDescent>(m, "Descent")
        .def(nb::init<const PyRows&, In<double>, In<double>, In<double>, In<double>, const In<double>&,
                      const In<double>&, bool, bool, std::uint64_t>(),
             "rows"_a, "squares"_a.noconvert(), "labels"_a.noconvert(), "margins"_a.noconvert(),
             "costs"_a.noconvert(), "alpha"_a, "w"_a, nb::kw_only(), "squared"_a = false, "bias"_a = false,
             "seed"_a = 0, nb::keep_alive<1, 2>())
        .def("epoch", [tell](PyDescent& self) {
            DescentState state;
            {
                nb::gil_scoped_release release;
                state = self.descent.epoch();
            }
            return tell(state);
        })
        .def("check", [tell](PyDescent& self) {
            DescentState state;
            {
                nb::gil_scoped_release release;
                state = self.descent.check();
            }
            return tell(state);
        })
        .def_prop_ro("alpha", [](const PyDescent& self) { return give(std::vector<double>(self.descent.alpha())); },
                     nb::rv_policy::move)
        .def_prop_ro("bias", [](const PyDescent& self) { return self.descent.bias(); });
}

void bind_judged(nb::module_& m) {
    nb::class_<Judged>(m, "Judged")
        .def(nb::init<std::size_t>(), "documents"_a)
        .def("add",
             [](Judged& self, std::uint32_t document, bool relevant, const In<float>& column) {
                 self.add(document, relevant, {column.data(), column.data() + column.size()});
             },
             "document"_a, "relevant"_a, "column"_a)
        .def("remove", &Judged::remove, "document"_a)
        .def("solve",
             [](Judged& self, double relevant_cost, double other_cost, double tol, std::size_t rounds) {
                 JudgedState state;
                 {
                     nb::gil_scoped_release release;
                     state = self.solve(relevant_cost, other_cost, tol, rounds);
                 }
                 return nb::make_tuple(state.primal, state.dual, state.at_zero, state.steps);
             },
             "relevant_cost"_a, "other_cost"_a, "tol"_a, "rounds"_a)
        .def_prop_ro("scores", [](const Judged& self) { return give(self.scores()); }, nb::rv_policy::move)
        .def_prop_ro("documents", [](const Judged& self) { return give(self.judged()); }, nb::rv_policy::move)
        .def_prop_ro("weights", [](const Judged& self) { return give(self.weights()); }, nb::rv_policy::move)
        .def_prop_ro("bias", &Judged::bias);
}

template <class Enum>
Enum named(const std::string& name, std::initializer_list<std::pair<const char*, Enum>> known) {
    for (const auto& [one, value] : known)
        if (name == one) return value;
    throw std::invalid_argument("no such name: " + name);
}

Strategy strategy_of(const std::string& name) {
    return named<Strategy>(name, {{"random", Strategy::random}, {"close", Strategy::close},
                                  {"correct", Strategy::correct}});
}

PairLoss loss_of(const std::string& name) {
    return named<PairLoss>(name, {{"hinge", PairLoss::hinge}, {"squared_hinge", PairLoss::squared},
                                  {"logistic", PairLoss::logistic}});
}

struct PyPairs {
    PairDescent descent;

    PyPairs(const PyRows& rows, const std::string& loss, bool threshold, std::uint64_t seed)
        : descent(checked(rows), loss_of(loss), threshold, seed) {}

    static const Rows& checked(const PyRows& source) {
        require(source.complete(), "some rows were not given");
        return source.rows;
    }
    void add(const In<std::uint32_t>& upper, const In<std::uint32_t>& lower) {
        require(upper.size() == lower.size(), "a pair needs an upper and a lower row");
        std::vector<Pair> pairs;
        for (std::size_t k = 0; k < upper.size(); ++k) {
            const Pair pair{upper(k), lower(k)};
            for (const auto row : {pair.upper, pair.lower})
                require(row == kNobody || row < descent.row_count(), "a row number is out of range");
            require(pair.upper != kNobody || pair.lower != kNobody, "a pair of nobody");
            pairs.push_back(pair);
        }
        nb::gil_scoped_release release;
        descent.add(pairs);
    }
    void set_costs(const In<double>& costs) {
        require(costs.size() == descent.pairs().size(), "one cost a pair is needed");
        for (const auto cost : span(costs)) require(is_amount(cost), "costs must be finite and not below 0");
        nb::gil_scoped_release release;
        descent.set_costs(span(costs));
    }
    template <DescentState (PairDescent::*step)()>
    nb::tuple run() {
        DescentState state;
        {
            nb::gil_scoped_release release;
            state = (descent.*step)();
        }
        return nb::make_tuple(state.primal, state.dual, state.visits);
    }
};

struct PyDraws {
    Draws draws;
    std::size_t rows;

    PyDraws(std::size_t upper, std::size_t lower, const In<double>& upper_sums, const In<double>& lower_sums,
            double gamma, std::uint64_t seed, unsigned threads)
        : draws(checked({upper, lower, copy(upper_sums), copy(lower_sums), gamma}), seed, threads),
          rows(upper + lower) {}

    static std::vector<double> copy(const In<double>& values) {
        return {values.data(), values.data() + values.size()};
    }
    static Population checked(Population population) {
        const auto& p = population;
        require(p.upper > 0 && p.lower > 0, "both sides need rows");
        require(p.upper < kNobody && p.lower < kNobody && p.rows() < kNobody, "there are too many rows");
        require(p.upper_sums.empty() || p.upper_sums.size() == p.upper, "one sum an upper row is needed");
        require(p.lower_sums.empty() || p.lower_sums.size() == p.lower, "one sum a lower row is needed");
        require(are_sums(p.upper_sums) && are_sums(p.lower_sums), "running sums must ascend from 0 to above 0");
        require(p.gamma >= 0 && p.gamma <= 1, "gamma must be from 0 to 1");
        return population;
    }
    static bool are_sums(const std::vector<double>& sums) {
        if (sums.empty()) return true;
        return std::all_of(sums.begin(), sums.end(), is_amount) && std::is_sorted(sums.begin(), sums.end()) &&
               sums.back() > 0;
    }
    template <class Find>
    nb::tuple find(const PyPairs& model, Find&& how) {
        require(model.descent.row_count() == rows, "the model has other rows");
        Batch batch;
        {
            nb::gil_scoped_release release;
            batch = how();
        }
        std::vector<std::uint32_t> upper, lower;
        for (const auto& pair : batch.pairs) {
            upper.push_back(pair.upper);
            lower.push_back(pair.lower);
        }
        return nb::make_tuple(give(std::move(upper)), give(std::move(lower)), give(std::move(batch.chances)),
                              batch.rejected);
    }
};

void bind_pairs(nb::module_& m) {
    m.attr("NOBODY") = kNobody;
    m.def("chance", [](const std::string& strategy, double t) { return chance(strategy_of(strategy), t); },
          "strategy"_a, "margin"_a);
    nb::class_<PyPairs>(m, "Pairs")
        .def(nb::init<const PyRows&, const std::string&, bool, std::uint64_t>(), "rows"_a, nb::kw_only(),
             "loss"_a = "hinge", "threshold"_a = false, "seed"_a = 0, nb::keep_alive<1, 2>())
        .def("add", &PyPairs::add, "upper"_a.noconvert(), "lower"_a.noconvert())
        .def("set_costs", &PyPairs::set_costs, "costs"_a)
        .def("epoch", &PyPairs::run<&PairDescent::epoch>)
        .def("check", &PyPairs::run<&PairDescent::check>)
        .def_prop_ro("alpha", [](const PyPairs& self) { return give(std::vector<double>(self.descent.alpha())); },
                     nb::rv_policy::move)
        .def_prop_ro("theta", [](const PyPairs& self) { return self.descent.theta(); })
        .def("__len__", [](const PyPairs& self) { return self.descent.pairs().size(); });
    nb::class_<PyDraws>(m, "Draws")
        .def(nb::init<std::size_t, std::size_t, const In<double>&, const In<double>&, double, std::uint64_t, unsigned>(),
             "upper"_a, "lower"_a, "upper_sums"_a, "lower_sums"_a, nb::kw_only(), "gamma"_a = 1.0, "seed"_a = 0,
             "threads"_a = 1)
        .def("soft",
             [](PyDraws& self, const PyPairs& model, const std::string& strategy, std::size_t count,
                std::uint64_t most) {
                 const auto kind = strategy_of(strategy);
                 return self.find(model, [&] { return self.draws.soft(model.descent, kind, count, most); });
             },
             "model"_a, "strategy"_a, "count"_a, "most"_a)
        .def("hard",
             [](PyDraws& self, const PyPairs& model, const std::string& strategy, std::size_t count) {
                 const auto kind = strategy_of(strategy);
                 return self.find(model, [&] { return self.draws.hard(model.descent, kind, count); });
             },
             "model"_a, "strategy"_a, "count"_a);
    m.def("combined",
          [](const PyRows& rows, const In<double>& squares, const PyDraws& draws, const std::string& loss,
             bool regression, double total, std::uint64_t steps) {
              require(rows.complete(), "some rows were not given");
              require(rows.rows.size() == draws.rows, "the draws are of other rows");
              require(squares.size() == draws.rows, "one square a row is needed");
              require(all_of(squares, is_amount), "squares must be finite and not below 0");
              require(is_amount(total), "total must be finite and not below 0");
              const CombinedProblem problem{span(squares), loss_of(loss), regression, total, steps};
              std::vector<double> found;
              {
                  nb::gil_scoped_release release;
                  found = combined(rows.rows, draws.draws, problem);
              }
              return give(std::move(found));
          },
          "rows"_a, "squares"_a, "draws"_a, "loss"_a, "regression"_a, "total"_a, "steps"_a);
}

void bind_counter(nb::module_& m) {
    nb::class_<PyCounter>(m, "Counter")
        .def(nb::init<nb::object, unsigned, std::size_t, bool>(), "classes"_a, nb::kw_only(), "threads"_a = 1, "max_bytes"_a = 64, "bigrams"_a = false)
        .def("know",
             [](PyCounter& self, const nb::sequence& terms) {
                 Utf8 utf8;
                 for (nb::handle term : terms) self.counter.know(utf8(term));
             },
             "terms"_a)
        .def("count", &PyCounter::count, "fields"_a)
        .def("absorb", &PyCounter::absorb, "terms"_a)
        .def("add_rows",
             [](PyCounter& self, const nb::dict& arrays, const nb::sequence& names) {
                 Utf8 utf8;
                 std::vector<std::uint32_t> terms;
                 for (nb::handle name : names) terms.push_back(self.counter.know(utf8(name)));
                 const BorrowedCounts borrowed(arrays);
                 const auto rows = borrowed.view(terms.size());
                 nb::gil_scoped_release release;
                 check(rows);
                 self.counter.add_rows(rows, terms);
             },
             "arrays"_a, "names"_a)
        .def("drain", [](PyCounter& self) { return give(self.counter.drain()); })
        .def_prop_ro("terms", [](const PyCounter& self) { return self.counter.terms().size(); })
        .def("terms_since",
             [](const PyCounter& self, std::uint32_t first) {
                 const auto& terms = self.counter.terms();
                 require(first <= terms.size(), "there are not so many terms");
                 const auto skip = first == 0 ? 0 : terms.ends()[first - 1];
                 std::vector<std::uint64_t> ends(terms.ends().begin() + first, terms.ends().end());
                 for (auto& end : ends) end -= skip;
                 return nb::make_tuple(nb::bytes(terms.text().data() + skip, terms.text().size() - skip),
                                       give(std::move(ends)));
             },
             "first"_a)
        .def_prop_ro("rows", [](const PyCounter& self) { return self.counter.rows(); })
        .def_prop_ro("memory", [](const PyCounter& self) { return self.counter.memory(); });

    m.def("forms",
          [](nb::str text, const nb::object& classes, std::size_t max_bytes) {
              Utf8 utf8;
              const auto characters = utf8(text);
              std::vector<std::uint8_t> table;
              if (!is_ascii(characters)) table = call_classes(classes);
              nb::list found;
              Tokenizer(table, max_bytes)(characters, [&](std::string_view form) { found.append(to_python(form)); });
              return found;
          },
          "text"_a, "classes"_a, "max_bytes"_a = 64);
}

void bind_counts(nb::module_& m) {
    const auto vector = [](auto type) {
        using T = decltype(type);
        return [](const PyCounts& self, const In<T>& x, const In<double>& small, const In<double>& large,
                  unsigned threads) {
            return dot1<T>(self.x, x, table<T>(self.x, small, large).factors(), threads);
        };
    };
    const auto block = [](auto type) {
        using T = decltype(type);
        return [](const PyCounts& self, const In2<T>& x, const In<double>& small, const In<double>& large,
                  unsigned threads) {
            return dot2<T>(self.x, x, table<T>(self.x, small, large).factors(), threads);
        };
    };
    const auto sums = [](auto type) {
        using T = decltype(type);
        return [](const PyCounts& self, const In2<T>& a, const In<double>& small, const In<double>& large,
                  unsigned threads) {
            return sum2<T>(self.x, a, table<T>(self.x, small, large).factors(), threads);
        };
    };
    nb::class_<PyCounts>(m, "Counts")
        .def(nb::init<const nb::dict&, std::size_t, bool>(), "arrays"_a, "width"_a, nb::kw_only(), "trusted"_a = false)
        .def_prop_ro("shape", [](const PyCounts& self) { return nb::make_tuple(self.x.rows(), self.x.width); })
        .def("dot", vector(float{}), "x"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("dot", vector(double{}), "x"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("dot", block(float{}), "x"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("dot", block(double{}), "x"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("dot_rows", &dot_some<float>, "ids"_a.noconvert(), "x"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("dot_rows", &dot_some<double>, "ids"_a.noconvert(), "x"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("weighted_sum",
             [](const PyCounts& self, const In<double>& a, const In<double>& small, const In<double>& large,
                unsigned threads) {
                 return sum1(self.x, a, table<double>(self.x, small, large).factors(), threads);
             },
             "a"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("weighted_sum", sums(float{}), "a"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("weighted_sum", sums(double{}), "a"_a.noconvert(), "table"_a, "large_values"_a, "threads"_a = 1)
        .def("sum_rows", &sum_some, "ids"_a.noconvert(), "a"_a, "table"_a, "large_values"_a)
        .def("exact",
             [](const PyCounts& self, const In<std::uint32_t>& ids, const std::optional<In<std::uint32_t>>& columns,
                const In<double>& weights, const In<double>& small, const In<double>& large) {
                 return exact_some(self.x, ids, columns, weights, table<double>(self.x, small, large).factors());
             },
             "ids"_a.noconvert(), "columns"_a.noconvert().none(), "weights"_a, "table"_a, "large_values"_a)
        .def("candidates",
             [](const PyCounts& self, const In<std::uint32_t>& columns, const In<double>& weights,
                const In<float>& factors, const Keep& keep, std::size_t k, double slack, const In<double>& small,
                const In<double>& large, bool positive) {
                 require(factors.size() == self.x.width, "one factor a document is needed");
                 require(!keep || keep->size() == self.x.width, "keep needs one entry a document");
                 require(columns.size() == weights.size(), "one weight a column is needed");
                 const auto f = table<double>(self.x, small, large);
                 std::vector<std::uint32_t> found;
                 {
                     nb::gil_scoped_release release;
                     found = candidates(self.x, {span(columns), span(weights)}, span(factors), span(keep), k, slack,
                                        f.factors(), positive);
                 }
                 return give(std::move(found));
             },
             "columns"_a.noconvert(), "weights"_a, "factors"_a, "keep"_a.none(), "k"_a, "slack"_a, "table"_a, "large_values"_a,
             "positive"_a)
        .def("spread",
             [](const PyCounts& self, const In<std::uint32_t>& columns, const In<double>& weights,
                const In<float>& factors, const In<double>& small, const In<double>& large) {
                 require(factors.size() == self.x.width, "one factor a document is needed");
                 require(columns.size() == weights.size(), "one weight a column is needed");
                 const auto f = table<double>(self.x, small, large);
                 std::vector<float> scores;
                 {
                     nb::gil_scoped_release release;
                     scores = scores_of(self.x, {span(columns), span(weights)}, span(factors), f.factors());
                 }
                 return give(std::move(scores));
             },
             "columns"_a.noconvert(), "weights"_a, "factors"_a, "table"_a, "large_values"_a)
        .def("entries", &entries_of, "ids"_a.noconvert())
        .def("select",
             [](const PyCounts& self, const In<std::uint32_t>& ids, const std::optional<In<std::uint32_t>>& numbers) {
                 self.check_rows(span(ids));
                 CountArrays out;
                 {
                     nb::gil_scoped_release release;
                     out = numbers ? select(self.x, span(ids), span(*numbers)) : select(self.x, span(ids));
                 }
                 return give(std::move(out));
             },
             "ids"_a.noconvert(), "numbers"_a.noconvert() = nb::none())
        .def("transpose",
             [](const PyCounts& self, unsigned threads) {
                 CountArrays out;
                 {
                     nb::gil_scoped_release release;
                     out = transpose(self.x, threads);
                 }
                 return give(std::move(out));
             },
             "threads"_a = 1);
}

void bind_values(nb::module_& m) {
    nb::class_<PyValues>(m, "Values")
        .def(nb::init<In<std::uint32_t>, In<std::uint32_t>, In<float>, std::size_t>(), "starts"_a.noconvert(),
             "columns"_a.noconvert(), "values"_a.noconvert(), "width"_a)
        .def_prop_ro("shape", [](const PyValues& self) { return nb::make_tuple(self.x.rows(), self.x.width); })
        .def("dot", [](const PyValues& self, const In<float>& x, unsigned threads) {
                 return dot1<float>(self.x, x, no_table<float>(), threads);
             }, "x"_a.noconvert(), "threads"_a = 1)
        .def("dot", [](const PyValues& self, const In<double>& x, unsigned threads) {
                 return dot1<double>(self.x, x, no_table<double>(), threads);
             }, "x"_a.noconvert(), "threads"_a = 1)
        .def("dot", [](const PyValues& self, const In2<float>& x, unsigned threads) {
                 return dot2<float>(self.x, x, no_table<float>(), threads);
             }, "x"_a.noconvert(), "threads"_a = 1)
        .def("dot", [](const PyValues& self, const In2<double>& x, unsigned threads) {
                 return dot2<double>(self.x, x, no_table<double>(), threads);
             }, "x"_a.noconvert(), "threads"_a = 1)
        .def("weighted_sum", [](const PyValues& self, const In<double>& a, unsigned threads) {
                 return sum1(self.x, a, no_table<double>(), threads);
             }, "a"_a.noconvert(), "threads"_a = 1)
        .def("weighted_sum", [](const PyValues& self, const In2<float>& a, unsigned threads) {
                 return sum2<float>(self.x, a, no_table<float>(), threads);
             }, "a"_a.noconvert(), "threads"_a = 1)
        .def("weighted_sum", [](const PyValues& self, const In2<double>& a, unsigned threads) {
                 return sum2<double>(self.x, a, no_table<double>(), threads);
             }, "a"_a.noconvert(), "threads"_a = 1)
        .def("exact", [](const PyValues& self, const In<std::uint32_t>& ids,
                         const std::optional<In<std::uint32_t>>& columns, const In<double>& weights) {
                 return exact_some(self.x, ids, columns, weights, no_table<double>());
             }, "ids"_a.noconvert(), "columns"_a.noconvert().none(), "weights"_a);
}

template <class T>
Out<T> dense_dot_all(const In2<float>& matrix, const In<T>& x, unsigned threads) {
    const auto view = dense_view(matrix);
    require(x.size() == view.width, "the vector's length is not the matrix's width");
    Buffer<T> y(view.height);
    auto owner = y.owner();
    {
        nb::gil_scoped_release release;
        dense_dot(view, x.data(), y.data, threads);
    }
    return Out<T>(y.data, {view.height}, owner);
}

template <class T>
Out<T> dense_dot_some(const In2<float>& matrix, const In<std::uint32_t>& ids, const In<T>& x, unsigned threads) {
    const auto view = dense_view(matrix);
    require(x.size() == view.width, "the vector's length is not the matrix's width");
    for (const auto id : span(ids)) require(id < view.height, "a row number is out of range");
    Buffer<T> y(ids.size());
    auto owner = y.owner();
    {
        nb::gil_scoped_release release;
        dense_dot_rows(view, span(ids), x.data(), y.data, threads);
    }
    return Out<T>(y.data, {ids.size()}, owner);
}

Out<double> dense_sum(const In2<float>& matrix, const In<double>& a, unsigned threads) {
    const auto view = dense_view(matrix);
    require(a.size() == view.height, "one weight a row is needed");
    Buffer<double> g(view.width);
    auto owner = g.owner();
    {
        nb::gil_scoped_release release;
        dense_weighted_sum(view, a.data(), g.data, threads);
    }
    return Out<double>(g.data, {view.width}, owner);
}

Out<double> dense_lengths(const In2<float>& matrix, const In<double>& factors, unsigned threads) {
    const auto view = dense_view(matrix);
    require(factors.size() == view.width, "one factor a column is needed");
    Buffer<double> y(view.height);
    auto owner = y.owner();
    {
        nb::gil_scoped_release release;
        dense_squares(view, factors.data(), y.data, threads);
    }
    return Out<double>(y.data, {view.height}, owner);
}

void bind_dense(nb::module_& m) {
    m.def("dense_dot", &dense_dot_all<float>, "matrix"_a.noconvert(), "x"_a.noconvert(), "threads"_a = 1);
    m.def("dense_dot", &dense_dot_all<double>, "matrix"_a.noconvert(), "x"_a.noconvert(), "threads"_a = 1);
    m.def("dense_dot_rows", &dense_dot_some<float>, "matrix"_a.noconvert(), "ids"_a.noconvert(), "x"_a.noconvert(),
          "threads"_a = 1);
    m.def("dense_dot_rows", &dense_dot_some<double>, "matrix"_a.noconvert(), "ids"_a.noconvert(), "x"_a.noconvert(),
          "threads"_a = 1);
    m.def("dense_weighted_sum", &dense_sum, "matrix"_a.noconvert(), "a"_a, "threads"_a = 1);
    m.def("dense_squares", &dense_lengths, "matrix"_a.noconvert(), "factors"_a, "threads"_a = 1);
}

}  // namespace

NB_MODULE(_core, m) {
    bind_counter(m);
    bind_counts(m);
    bind_values(m);
    bind_descent(m);
    bind_dense(m);
    bind_judged(m);
    bind_pairs(m);
    m.def("best", &best_of<float>, "scores"_a.noconvert(), "keep"_a.none(), "k"_a, "slack"_a);
    m.def("best", &best_of<double>, "scores"_a.noconvert(), "keep"_a.none(), "k"_a, "slack"_a);
}
