// Passes over several matrices, and the vectors that they begin and end with.
#include "pass.h"

#include <memory>

#include "families.h"
#include "lengths.h"
#include "matrices.h"
#include "products.h"

namespace likewise::bindings {

namespace {

// What a pass reads and writes lives as long as its work is not done.
class PyPass {
public:
    explicit PyPass(unsigned threads) : threads_(threads) {}

    unsigned threads() const { return threads_; }

    // Cleared by all threads: on many cores what one does alone is a good part of a pass.
    Out<double> zeros(std::size_t size) {
        auto* owned = new Scratch;
        nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Scratch*>(p); });
        auto* const sums = owned->lines<double>(size);
        pass_.merge(size, [=](std::size_t first, std::size_t last) {
            std::fill(sums + first, sums + std::max(first, std::min(last, size)), 0.0);
        });
        kept_.push_back(std::make_shared<nb::object>(owner));
        return Out<double>(sums, {size}, owner);
    }

    template <class T>
    void scores(const PyCounts& matrix, const In<T>& v, const In<double>& small, const In<double>& large,
                const In<double>& factors, const Into<T>& y) {
        require(v.size() == matrix.width(), "the vector's length is not the matrix's width");
        require(factors.size() == matrix.rows() && y.size() == matrix.rows(),
                "one factor and one score a row are needed");
        const auto f = kept_table<T>(matrix, small, large);
        keep(matrix, v, large, factors, y);
        matrix.visit([&](const auto& x) { add_scores(pass_, x, matrix.cuts(), v.data(), f, span(factors), y.data()); });
    }

    void add_row_factors(const PyCounts& matrix, const In<double>& squared, const In<double>& small, const In<double>& large,
                     double damping, double mean, const InOut& squares, const InOut& row) {
        require(squared.size() == matrix.width(), "the vector's length is not the matrix's width");
        require(squares.size() == matrix.rows() && row.size() == matrix.rows(),
                "one square and one factor a row are needed");
        const auto f = kept_table<double>(matrix, small, large);
        keep(matrix, squared, large, squares, row);
        matrix.visit([&](const auto& x) {
            likewise::add_row_factors(pass_, x, matrix.cuts(), squared.data(), f, {damping, mean}, squares.data(), row.data());
        });
    }

    template <class T>
    void products(const PyCounts& matrix, const In<T>& v, const In<double>& scales, const In<double>& small,
                  const In<double>& large, const std::optional<Numbers>& places, const InOut& sums) {
        require(v.size() == matrix.width() && scales.size() == matrix.width(),
                "one number and one scale a column are needed");
        check_places(places, matrix.rows(), sums.size());
        const auto f = kept_table<T>(matrix, small, large);
        keep(matrix, v, scales, large, places, sums);
        const auto at = places ? span(*places) : std::span<const std::uint32_t>();
        matrix.visit([&](const auto& x) {
            add_products(pass_, x, matrix.cuts(), v.data(), scales.data(), f, at, sums.data());
        });
    }

    void add_sums(const PyCounts& matrix, const In<double>& a, const In<double>& scales, const In<double>& small,
                  const In<double>& large, const InOut& sums) {
        require(a.size() == matrix.rows() && scales.size() == matrix.rows(), "one weight and one scale a row are needed");
        require(sums.size() == matrix.width(), "one sum a column is needed");
        const auto f = kept_table<double>(matrix, small, large);
        keep(matrix, a, scales, large, sums);
        pass_.add_weighted_rows({sums.data(), sums.size()}, {matrix.any, matrix.cuts(), span(a), span(scales), f});
    }

    void run() {
        const auto kept = std::exchange(kept_, {});
        without_gil([&] { pass_.run(threads_); });
    }

private:
    template <class T>
    Factors<T> kept_table(const PyCounts& matrix, const In<double>& small, const In<double>& large) {
        auto made = std::make_shared<Table<T>>(table<T>(matrix, small, large));
        const auto f = made->factors();
        kept_.push_back(std::move(made));
        return f;
    }
    template <class... Objects>
    void keep(const PyCounts& matrix, const Objects&... objects) {
        kept_.push_back(std::make_shared<nb::object>(nb::find(matrix)));
        (kept_.push_back(std::make_shared<Objects>(objects)), ...);
    }

    unsigned threads_;
    Pass pass_;
    std::vector<std::shared_ptr<void>> kept_;
};

template <class From, class To>
void scale_into(const In<From>& vector, const In<double>& factors, const Into<To>& out, unsigned threads) {
    require(factors.size() == vector.size() && out.size() == vector.size(), "one factor and one place a number are needed");
    without_gil([&] { scale(vector.data(), factors.data(), out.data(), vector.size(), threads); });
}

template <class T>
void bind_for(nb::class_<PyPass>& pass) {
    pass.def("scores", &PyPass::scores<T>, "matrix"_a, "x"_a.noconvert(), "table"_a, "large_values"_a,
             "factors"_a.noconvert(), "y"_a.noconvert())
        .def("add_products", &PyPass::products<T>, "matrix"_a, "x"_a.noconvert(), "scales"_a.noconvert(), "table"_a,
             "large_values"_a, "places"_a.noconvert().none(), "sums"_a.noconvert());
}

void add_row_sizes(const Numbers& starts, const std::optional<Numbers>& places, const Into<std::int64_t>& sums) {
    require(starts.size() > 0, "starts must begin with 0");
    check_places(places, starts.size() - 1, sums.size());
    without_gil([&] { add_sizes(span(starts), places ? span(*places) : std::span<const std::uint32_t>(), sums.data()); });
}

template <class From, class To>
void bind_scale(nb::module_& m) {
    m.def("scale", &scale_into<From, To>, "vector"_a.noconvert(), "factors"_a.noconvert(), "out"_a.noconvert(),
          "threads"_a = 1);
}

}  // namespace

void bind_passes(nb::module_& m) {
    nb::class_<PyPass> pass(m, "Pass");
    pass.def(nb::init<unsigned>(), "threads"_a)
        .def_prop_ro("threads", &PyPass::threads)
        .def("zeros", &PyPass::zeros, "size"_a)
        .def("add_row_factors", &PyPass::add_row_factors, "matrix"_a, "squared"_a.noconvert(), "table"_a, "large_values"_a,
             "damping"_a, "mean"_a, "squares"_a.noconvert(), "row"_a.noconvert())
        .def("add_sums", &PyPass::add_sums, "matrix"_a, "a"_a.noconvert(), "scales"_a.noconvert(), "table"_a,
             "large_values"_a, "sums"_a.noconvert())
        .def("run", &PyPass::run);
    bind_for<float>(pass);
    bind_for<double>(pass);
    m.def("add_row_sizes", &add_row_sizes, "starts"_a.noconvert(), "places"_a.noconvert().none(), "sums"_a.noconvert());
    bind_scale<float, float>(m);
    bind_scale<double, double>(m);
    bind_scale<double, float>(m);
}

}  // namespace likewise::bindings
