// Matrices over arrays that live in Python, mapped files most of the time, read where they lie.
#pragma once

#include <string>
#include <tuple>
#include <variant>

#include "arguments.h"
#include "dense.h"
#include "pass.h"
#include "doubles.h"

namespace likewise::bindings {

// Only what can be read as it is will do: a converted copy would be freed before the view is used.
struct BorrowedCounts {
    Numbers starts, more;
    std::variant<In<std::uint16_t>, In<std::uint8_t>, Numbers> columns;
    In<std::uint8_t> counts;
    Numbers large_at, large;

    explicit BorrowedCounts(const nb::dict& arrays)
        : starts(borrow<std::uint32_t>(arrays, "starts")), more(borrow<std::uint32_t>(arrays, "more")),
          columns(borrow_columns(arrays)), counts(borrow<std::uint8_t>(arrays, "counts")),
          large_at(borrow<std::uint32_t>(arrays, "large_at")), large(borrow<std::uint32_t>(arrays, "large")) {}

    AnyCounts view(std::size_t width) const {
        return std::visit([&](const auto& found) -> AnyCounts { return over(columns_of(found), width); }, columns);
    }

private:
    template <class Columns>
    CountsView<Columns> over(const Columns& found, std::size_t width) const {
        return {span(starts), span(more), found, span(counts), span(large_at), span(large), width};
    }
    template <class T>
    static std::span<const T> columns_of(const In<T>& numbers) {
        return span(numbers);
    }
    static Columns24 columns_of(const In<std::uint8_t>& bytes) {
        require(Columns24::fits(bytes.size()), "columns of three bytes need one byte more behind them");
        return Columns24(span(bytes));
    }
    static std::variant<In<std::uint16_t>, In<std::uint8_t>, Numbers> borrow_columns(const nb::dict& arrays) {
        const nb::object given = arrays["columns"];
        In<std::uint16_t> two;
        if (nb::try_cast(given, two, false)) return two;
        In<std::uint8_t> three;
        if (nb::try_cast(given, three, false)) return three;
        return borrow<std::uint32_t>(arrays, "columns");
    }

    template <class T>
    static In<T> borrow(const nb::dict& arrays, const char* name) {
        const nb::object given = arrays[name];  // a missing key is an error here, where it can be raised
        In<T> found;
        if (nb::try_cast(given, found, false)) return found;
        const auto bits = std::to_string(8 * sizeof(T));
        throw nb::type_error((std::string(name) + " must be a contiguous array of uint" + bits).c_str());
    }
};

struct PyCounts {
    BorrowedCounts arrays;
    AnyCounts any;

    PyCounts(const nb::dict& a, std::size_t width, bool trusted, std::optional<std::uint64_t> highest)
        : arrays(a), any(arrays.view(width)) {
        if (!trusted) without_gil([&] { std::visit([&](const auto& x) { check(x, highest); }, any); });
    }

    // What `use` makes of the matrix, whatever its columns take.
    template <class Use>
    decltype(auto) visit(Use&& use) const {
        return std::visit(use, any);
    }
    std::size_t rows() const { return arrays.starts.size() - 1; }
    std::size_t width() const {
        return visit([](const auto& x) { return x.width; });
    }
    std::size_t large() const { return arrays.large.size(); }
    // The rows' shares in a pass, found when they are first asked for, with the GIL.
    Cuts cuts() const {
        if (cuts_.empty()) cuts_ = visit([](const auto& x) { return shares(x, kPassShare); });
        return cuts_;
    }

private:
    mutable std::vector<std::size_t> cuts_;
};

struct PyValues {
    Numbers starts, columns;
    In<float> values;
    ValueView x;

    PyValues(Numbers s, Numbers c, In<float> v, std::size_t width)
        : starts(s), columns(c), values(v), x{span(starts), span(columns), span(values), width} {
        check(x);
    }
};

struct PyDoubles {
    Numbers starts, columns;
    In<double> values;
    DoubleView x;
    std::vector<double> squares;
    bool repeated = false;

    PyDoubles(Numbers s, Numbers c, In<double> v, std::size_t width, unsigned threads)
        : starts(s), columns(c), values(v), x{span(starts), span(columns), span(values), width} {
        without_gil([&] { std::tie(squares, repeated) = likewise::squares(x, threads); });
    }
};

// f as the kernels take it.
template <class T>
struct Table {
    std::vector<T> small;
    const double* large;
    Factors<T> factors() const { return {small.data(), large}; }
};

template <class T>
Table<T> table(const PyCounts& matrix, const In<double>& small, const In<double>& large) {
    require(small.size() == 256, "table must hold f(0) … f(255)");
    require(large.size() == matrix.large(), "one large value a large count is needed");
    Table<T> out{std::vector<T>(small.data(), small.data() + 256), large.data()};
    out.small[kLarge] = 0;
    return out;
}

// Where rows' sums go, one place a row if not in their order. Two rows with one place would be added by two
// threads at a time.
inline void check_places(const std::optional<Numbers>& places, std::size_t rows, std::size_t sums) {
    if (!places) return require(sums >= rows, "one sum a row is needed");
    require(places->size() == rows, "one place a row is needed");
    const auto all = span(*places);
    for (std::size_t i = 1; i < all.size(); ++i) require(all[i - 1] < all[i], "places must ascend");
    require(all.empty() || all.back() < sums, "a place is out of range");
}

template <class Stored>
DenseView<Stored> dense_view(const In2<Stored>& matrix) {
    return {matrix.data(), matrix.shape(0), matrix.shape(1)};
}

}  // namespace likewise::bindings
