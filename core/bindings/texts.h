// Texts as Python hands them over: a sequence of str, or texts that the core itself has read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "ascii_words.h"
#include "hashes.h"

namespace likewise::bindings {

// Texts of a chunk of lines, most of them where they stand in it; a sequence of str to Python.
struct PyTexts {
    nb::object owner;  // of the bytes
    std::string unescaped;
    std::vector<std::string_view> views;
    bool ascii = false;  // known to be all of it

    PyTexts() = default;
    PyTexts(PyTexts&&) = delete;  // views point into it
    PyTexts& operator=(PyTexts&&) = delete;
};

inline nb::str to_python(std::string_view s) { return nb::str(s.data(), s.size()); }

// The UTF-8 of Python strings, borrowed from strings that are kept; a lone surrogate, which has none,
// becomes "?".
class Utf8 {
public:
    std::string_view operator()(nb::handle object) {
        Py_ssize_t size = 0;
        if (!PyUnicode_Check(object.ptr())) throw nb::type_error("a text must be a str");
        if (const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size)) {
            kept_.push_back(nb::borrow(object));
            return {text, static_cast<std::size_t>(size)};
        }
        PyErr_Clear();
        nb::object bytes = nb::steal(PyUnicode_AsEncodedString(object.ptr(), "utf-8", "replace"));
        if (!bytes.is_valid()) throw nb::python_error();
        kept_.push_back(bytes);
        return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
    }

    // All texts of a sequence.
    std::vector<std::string_view> all(nb::handle texts) {
        if (nb::isinstance<PyTexts>(texts)) {
            kept_.push_back(nb::borrow(texts));
            return nb::cast<const PyTexts&>(texts).views;
        }
        std::vector<std::string_view> found;
        found.reserve(nb::len(texts));
        for (nb::handle text : texts) found.push_back((*this)(text));
        return found;
    }

private:
    std::vector<nb::object> kept_;
};

// Hashes of strings, and which of them are too long for it: theirs are 0.
template <class Strings>
nb::tuple hashes_of(const Strings& strings) {
    std::vector<std::uint64_t> hashes(strings.size());
    std::vector<std::uint32_t> longer;
    without_gil([&] {
        for (std::size_t i = 0; i < strings.size(); ++i) {
            const std::string_view string = strings[i];
            if (string.size() <= kLongestHashed)
                hashes[i] = xxh3(string);
            else
                longer.push_back(static_cast<std::uint32_t>(i));
        }
    });
    return nb::make_tuple(give(std::move(hashes)), give(std::move(longer)));
}

inline bool known_as_ascii(nb::handle texts) {
    return nb::isinstance<PyTexts>(texts) && nb::cast<const PyTexts&>(texts).ascii;
}

// Whether texts, which are these views, are ASCII: nothing is read of those that were looked through before.
inline bool are_ascii(nb::handle texts, const std::vector<std::string_view>& views) {
    return known_as_ascii(texts) || std::all_of(views.begin(), views.end(), is_ascii);
}

inline std::vector<std::uint8_t> call_classes(const nb::object& classes) {
    const auto table = nb::cast<In<std::uint8_t>>(classes());
    require(table.size() == 0x110000, "classes needs one entry a code point");
    return {table.data(), table.data() + table.size()};
}

}  // namespace likewise::bindings
