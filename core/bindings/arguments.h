// What all bindings share: arrays that are borrowed, checks of them, arrays that are given away, and
// the GIL, which is released while the core works.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "csr.h"
#include "require.h"

namespace likewise::bindings {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using Out2 = nb::ndarray<nb::numpy, T, nb::ndim<2>>;
template <class T>
using Into = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;  // bound with noconvert
template <class T>
using Into2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using InOut = Into<double>;
using Keep = std::optional<In<bool>>;
using Numbers = In<std::uint32_t>;  // bound with noconvert: a wider number would be cut off

template <class T>
std::span<const T> span(const In<T>& array) {
    return {array.data(), array.size()};
}

inline std::span<const bool> span(const Keep& keep) { return keep ? span(*keep) : std::span<const bool>(); }

template <class T, class Good>
bool all_of(const In<T>& values, Good&& good) {
    return std::all_of(values.data(), values.data() + values.size(), good);
}

template <class T>
bool all_finite(const In<T>& values) {
    return all_of(values, [](T value) { return std::isfinite(value); });
}

inline bool is_amount(double value) { return value >= 0 && std::isfinite(value); }

inline void check_rows(const Numbers& ids, std::size_t rows) {
    for (const auto id : span(ids)) require(id < rows, "a row number is out of range");
}

template <class Work>
decltype(auto) without_gil(Work&& work) {
    nb::gil_scoped_release release;
    return work();
}

// Hands a vector to NumPy without copying.
template <class T, class Allocator>
Out<T> give(std::vector<T, Allocator> values) {
    using Owned = std::vector<T, Allocator>;
    auto* owned = new Owned(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Owned*>(p); });
    return Out<T>(owned->data(), {owned->size()}, owner);
}

inline nb::dict give(CountArrays a) {
    nb::dict out;
    out["starts"] = give(std::move(a.starts));
    out["more"] = give(std::move(a.more));
    out["columns"] = give(std::move(a.columns));
    out["counts"] = give(std::move(a.counts));
    out["large_at"] = give(std::move(a.large_at));
    out["large"] = give(std::move(a.large));
    return out;
}

// An array of zeros, which `fill` fills while the GIL is released.
template <class Array, class T, std::size_t axes, class Fill>
Array filled(const std::size_t (&shape)[axes], Fill&& fill) {
    std::size_t size = 1;
    for (const auto length : shape) {
        require(length == 0 || size <= std::numeric_limits<std::size_t>::max() / length, "the result is too large");
        size *= length;
    }
    // Large ones are zero already where nobody has touched them: whoever fills a page makes it.
    auto* data = static_cast<T*>(std::calloc(std::max<std::size_t>(size, 1), sizeof(T)));
    if (!data) throw std::bad_alloc();
    nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
    without_gil([&] { fill(data); });
    return Array(data, axes, shape, owner);
}

template <class T, class Fill>
Out<T> filled(std::size_t size, Fill&& fill) {
    return filled<Out<T>, T>({size}, fill);
}

template <class T, class Fill>
Out2<T> filled(std::size_t rows, std::size_t columns, Fill&& fill) {
    return filled<Out2<T>, T>({rows, columns}, fill);
}

}  // namespace likewise::bindings
