// Products with dense rows, of each type that they are stored in.
#include "dense.h"

#include "families.h"
#include "matrices.h"

namespace likewise::bindings {

namespace {

template <class Stored, class T>
Out<T> dot_all(const In2<Stored>& matrix, const In<T>& x, unsigned threads) {
    const auto view = dense_view(matrix);
    require(x.size() == view.width, "the vector's length is not the matrix's width");
    return filled<T>(view.height, [&](T* y) { dense_dot(view, x.data(), y, threads); });
}

template <class Stored, class T>
Out<T> dot_some(const In2<Stored>& matrix, const Numbers& ids, const In<T>& x, unsigned threads) {
    const auto view = dense_view(matrix);
    require(x.size() == view.width, "the vector's length is not the matrix's width");
    check_rows(ids, view.height);
    return filled<T>(ids.size(), [&](T* y) { dense_dot_rows(view, span(ids), x.data(), y, threads); });
}

template <class Stored>
Out<double> sum_all(const In2<Stored>& matrix, const In<double>& a, unsigned threads) {
    const auto view = dense_view(matrix);
    require(a.size() == view.height, "one weight a row is needed");
    return filled<double>(view.width, [&](double* g) { dense_weighted_sum(view, a.data(), g, threads); });
}

template <class Stored>
void add_some(const In2<Stored>& matrix, const Numbers& ids, const In<double>& a, const InOut& sums) {
    const auto view = dense_view(matrix);
    check_rows(ids, view.height);
    require(a.size() == ids.size(), "one weight a row is needed");
    require(sums.size() == view.width, "one sum a column is needed");
    without_gil([&] { dense_add_rows(view, span(ids), a.data(), sums.data()); });
}

template <class Stored>
Out<double> squares(const In2<Stored>& matrix, const In<double>& factors, unsigned threads) {
    const auto view = dense_view(matrix);
    require(factors.size() == view.width, "one factor a column is needed");
    return filled<double>(view.height, [&](double* y) { dense_squares(view, factors.data(), y, threads); });
}

template <class T>
Out2<T> scaled(const In2<T>& matrix, const In<double>& factors, unsigned threads) {
    const DenseView<T> view{matrix.data(), matrix.shape(0), matrix.shape(1)};
    require(factors.size() == view.height, "one factor a row is needed");
    return filled<T>(view.height, view.width, [&](T* out) { scale_rows(view, factors.data(), out, threads); });
}

template <class T>
void scale_in_place(const Into2<T>& matrix, const In<double>& factors, unsigned threads) {
    const DenseView<T> view{matrix.data(), matrix.shape(0), matrix.shape(1)};
    require(factors.size() == view.height, "one factor a row is needed");
    without_gil([&] { scale_rows(view, factors.data(), matrix.data(), threads); });
}

template <class T>
void bind_scales(nb::module_& m) {
    m.def("scale_rows", &scaled<T>, "matrix"_a.noconvert(), "factors"_a, "threads"_a = 1);
    m.def("scale_own_rows", &scale_in_place<T>, "matrix"_a.noconvert(), "factors"_a.noconvert(), "threads"_a = 1);
}

template <class Stored, class T>
void bind_dots(nb::module_& m) {
    m.def("dense_dot", &dot_all<Stored, T>, "matrix"_a.noconvert(), "x"_a.noconvert(), "threads"_a = 1);
    m.def("dense_dot_rows", &dot_some<Stored, T>, "matrix"_a.noconvert(), "ids"_a.noconvert(), "x"_a.noconvert(),
          "threads"_a = 1);
}

template <class Stored>
void bind_stored(nb::module_& m) {
    bind_dots<Stored, float>(m);
    bind_dots<Stored, double>(m);
    m.def("dense_weighted_sum", &sum_all<Stored>, "matrix"_a.noconvert(), "a"_a, "threads"_a = 1);
    m.def("dense_add_rows", &add_some<Stored>, "matrix"_a.noconvert(), "ids"_a.noconvert(), "a"_a.noconvert(),
          "sums"_a.noconvert());
    m.def("dense_squares", &squares<Stored>, "matrix"_a.noconvert(), "factors"_a, "threads"_a = 1);
}

}  // namespace

void bind_dense(nb::module_& m) {
    bind_scales<float>(m);
    bind_scales<double>(m);
    bind_stored<float>(m);
    bind_stored<std::int8_t>(m);
}

}  // namespace likewise::bindings
