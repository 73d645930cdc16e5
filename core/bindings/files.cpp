// Files mapped for reading.
#include <cerrno>
#include <system_error>

#include "arguments.h"
#include "families.h"
#include "mapping.h"

namespace likewise::bindings {

namespace {

// A refusal of the system, as Python's OSError.
[[noreturn]] void raise(const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
}

void map_file(Mapping* self, int descriptor) {
    try {
        new (self) Mapping(descriptor);
    } catch (const std::system_error& error) {
        raise(error);
    }
}

// An array that cannot be written to and that keeps the map.
nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>> bytes_of(nb::handle_t<Mapping> self) {
    static const std::uint8_t nothing = 0;
    const auto bytes = nb::inst_ptr<Mapping>(self)->bytes();
    return {bytes.empty() ? &nothing : bytes.data(), {bytes.size()}, self};
}

}  // namespace

void bind_files(nb::module_& m) {
    nb::class_<Mapping>(m, "Mapping")
        .def("__init__", &map_file, "descriptor"_a)
        .def_prop_ro("bytes", &bytes_of)
        .def("release", &Mapping::release);
}

}  // namespace likewise::bindings
