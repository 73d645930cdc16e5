// Matrices over arrays that live in Python, mapped files most of the time, read where they lie.
#pragma once

#include <string>

#include "arguments.h"
#include "dense.h"

namespace likewise::bindings {

// Only what can be read as it is will do: a converted copy would be freed before the view is used.
struct BorrowedCounts {
    Numbers starts, more, columns;
    In<std::uint8_t> counts;
    Numbers large_at, large;

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
        if (!trusted) without_gil([&] { check(x); });
    }
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

template <class Stored>
DenseView<Stored> dense_view(const In2<Stored>& matrix) {
    return {matrix.data(), matrix.shape(0), matrix.shape(1)};
}

}  // namespace likewise::bindings
