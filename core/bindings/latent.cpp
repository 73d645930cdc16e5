// Documents' places in a latent space, and rows in bytes.
#include "latent.h"

#include "families.h"
#include "matrices.h"

namespace likewise::bindings {

namespace {

using Reals = std::optional<In<float>>;

// Rows of bytes and their factors, which `fill` fills while the GIL is released.
template <class Fill>
nb::tuple in_bytes(std::size_t rows, std::size_t width, Fill&& fill) {
    const auto factors = filled<float>(rows, [](float*) {});
    const auto bytes = filled<std::int8_t>(rows, width, [&](std::int8_t* into) {
        fill({.values = nullptr, .bytes = into, .factors = factors.data()});
    });
    return nb::make_tuple(bytes, factors);
}

template <class Stored>
Space<Stored> space_of(const Numbers& numbers, const In2<Stored>& basis, const Reals& factors, const In<float>& centre) {
    const auto view = dense_view(basis);
    require(factors.has_value() == std::is_same_v<Stored, std::int8_t>, "rows of bytes have factors, others have none");
    require(!factors || factors->size() == view.height, "one factor a row is needed");
    require(centre.size() == view.width, "the centre has other dimensions");
    require(all_of(numbers, [&](std::uint32_t n) { return n < view.height || n == kLeftOut; }),
            "a number is out of range");
    return {span(numbers), view, factors ? factors->data() : nullptr, centre.data()};
}

template <class Stored>
nb::tuple folded(const PyCounts& self, const Numbers& ids, const Numbers& numbers, const In2<Stored>& basis,
                 const Reals& factors, const In<float>& centre, const In<double>& small, const In<double>& large,
                 bool bytes, unsigned threads) {
    check_rows(ids, self.rows());
    const auto space = space_of(numbers, basis, factors, centre);
    const auto f = table<float>(self, small, large);
    const auto fill = [&](const Places& places) {
        self.visit([&](const auto& x) { fold(x, span(ids), space, f.factors(), places, threads); });
    };
    if (bytes) return in_bytes(ids.size(), centre.size(), fill);
    const auto values = filled<float>(ids.size(), centre.size(), [&](float* into) { fill({into, nullptr, nullptr}); });
    return nb::make_tuple(values, nb::none());
}

template <class Stored>
void bind_fold(nb::module_& m) {
    m.def("fold", &folded<Stored>, "matrix"_a, "ids"_a.noconvert(), "numbers"_a.noconvert(), "basis"_a.noconvert(),
          "factors"_a.noconvert().none(), "centre"_a.noconvert(), "table"_a, "large_values"_a, "bytes"_a,
          "threads"_a = 1);
}

}  // namespace

void bind_latent(nb::module_& m) {
    bind_fold<float>(m);
    bind_fold<std::int8_t>(m);
    m.def("pack",
          [](const In2<float>& rows, unsigned threads) {
              const auto view = dense_view(rows);
              return in_bytes(view.height, view.width, [&](const Places& places) { pack(view, places, threads); });
          },
          "rows"_a.noconvert(), "threads"_a = 1);
    m.def("mean_direction",
          [](const In2<float>& rows, unsigned threads) {
              return give(without_gil([&] { return mean_direction(dense_view(rows), threads); }));
          },
          "rows"_a.noconvert(), "threads"_a = 1);
}

}  // namespace likewise::bindings
