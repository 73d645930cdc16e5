// Files mapped for reading, and what is to be written compressed.
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include "arguments.h"
#include "families.h"
#include "frame_reader.h"
#include "frames.h"
#include "mapping.h"
#include "repeated.h"
#include "sections.h"

namespace likewise::bindings {

namespace {

constexpr const char* NAME = "likewise.mapping";

// A refusal of the system, as Python's OSError.
[[noreturn]] void raise(const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
}

std::unique_ptr<Mapping> mapped(int descriptor) {
    try {
        return std::make_unique<Mapping>(descriptor);
    } catch (const std::system_error& error) {
        raise(error);
    }
}

// The map, and its bytes as an array that cannot be written to and that keeps it. A capsule rather than a
// class: one that is left when Python ends is nothing to warn about.
nb::tuple map_file(int descriptor) {
    static const std::uint8_t nothing = 0;
    auto mapping = mapped(descriptor);
    const auto bytes = mapping->bytes();
    nb::capsule owner(mapping.get(), NAME, [](void* p) noexcept { delete static_cast<Mapping*>(p); });
    mapping.release();
    nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>> array(bytes.empty() ? &nothing : bytes.data(),
                                                                  {bytes.size()}, owner);
    return nb::make_tuple(owner, array);
}

void release_pages(const nb::capsule& owner) { static_cast<const Mapping*>(owner.data(NAME))->release(); }

// For each (array of bytes, bytes of a number): its checksum, the highest number, and how neighbours compare.
nb::list read_all(const nb::list& sections, unsigned threads) {
    std::vector<In<std::uint8_t>> kept;
    std::vector<Section> each;
    for (const auto& one : sections) {
        kept.push_back(nb::cast<In<std::uint8_t>>(one[0], false));
        each.push_back({span(kept.back()), nb::cast<std::size_t>(one[1])});
    }
    const auto found = without_gil([&] { return read_through(each, threads); });
    nb::list out;
    for (const auto& told : found)
        out.append(nb::make_tuple(told.checksum, told.highest, told.ascends, told.neighbours_differ));
    return out;
}

bool is_permutation(const Numbers& numbers) {
    return without_gil([&] {
        std::vector<bool> seen(numbers.size());
        for (const auto number : span(numbers)) {
            if (number >= seen.size() || seen[number]) return false;
            seen[number] = true;
        }
        return true;
    });
}

void make_frames(Frames* self, const std::string& library, const nb::dict& options, const nb::bytes& dictionary) {
    std::vector<Frames::Option> each;
    for (const auto& [option, value] : options) each.emplace_back(nb::cast<int>(option), nb::cast<int>(value));
    new (self) Frames(library, std::move(each), std::string(dictionary.c_str(), dictionary.size()));
}

nb::tuple compress(Frames& self, const nb::bytes& text, const In<std::int64_t>& stops) {
    std::string out;
    auto sizes = without_gil([&] { return self.compress({text.c_str(), text.size()}, span(stops), out); });
    return nb::make_tuple(nb::bytes(out.data(), out.size()), give(std::move(sizes)));
}

void make_frame_reader(FrameReader* self, const std::string& library, const nb::bytes& dictionary) {
    new (self) FrameReader(library, std::string(dictionary.c_str(), dictionary.size()));
}

// The GIL is kept: to get it back takes longer than to read a short frame.
nb::object read_frame(const FrameReader& self, const In<std::uint8_t>& frame, std::size_t size, std::size_t lines) {
    constexpr std::size_t kLongest = 1 << 20;  // what a frame says of itself may be wrong
    const std::string_view packed(reinterpret_cast<const char*>(frame.data()), frame.size());
    require(size <= kLongest, "a short frame has at most a megabyte");
    if (!self.has(packed, size)) return nb::none();
    auto text = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!text.is_valid()) throw nb::python_error();
    return self.read(packed, PyBytes_AsString(text.ptr()), size, lines) ? text : nb::none();
}

nb::bytes repeated(const nb::bytes& text, std::size_t size) {
    const auto found = without_gil([&] { return most_repeated({text.c_str(), text.size()}, size); });
    return nb::bytes(found.data(), found.size());
}

nb::object in_three_bytes(const In<std::uint32_t>& columns) {
    std::vector<std::uint8_t> packed(3 * columns.size() + 1);  // a whole number is written each time
    without_gil([&] {
        auto* to = packed.data();
        for (const auto column : span(columns)) {
            std::memcpy(to, &column, sizeof column);
            to += 3;
        }
        packed.pop_back();
    });
    return nb::cast(give(std::move(packed)));
}

}  // namespace

void bind_files(nb::module_& m) {
    nb::class_<Frames>(m, "Frames")
        .def("__init__", &make_frames, "library"_a, "options"_a, "dictionary"_a)
        .def("compress", &compress, "text"_a, "stops"_a.noconvert());
    nb::class_<FrameReader>(m, "FrameReader")
        .def("__init__", &make_frame_reader, "library"_a, "dictionary"_a)
        .def("read", &read_frame, "frame"_a.noconvert(), "size"_a, "lines"_a);
    m.def("in_three_bytes", &in_three_bytes, "columns"_a.noconvert());
    m.def("most_repeated", &repeated, "text"_a, "size"_a);
    m.def("read_through", &read_all, "sections"_a, "threads"_a = 1);
    m.def("is_permutation", &is_permutation, "numbers"_a.noconvert());
    m.def("map_file", &map_file, "descriptor"_a);
    m.def("release_pages", &release_pages, "mapping"_a);
}

}  // namespace likewise::bindings
