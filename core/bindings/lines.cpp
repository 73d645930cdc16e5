// Lines of JSON, the texts and values in them, and parts of titles.
#include <nanobind/stl/string_view.h>

#include <cstring>
#include <memory>

#include "families.h"
#include "lines.h"
#include "numbering.h"
#include "texts.h"
#include "titles.h"

namespace likewise::bindings {

namespace {

constexpr std::string_view kNull = "null";

struct PyLines {
    nb::bytes owner;
    Lines lines;
};

template <class T>
nb::object given(std::unique_ptr<T> made) {
    return nb::cast(made.release(), nb::rv_policy::take_ownership);
}

nb::object scan(const nb::bytes& records) {
    auto found = without_gil([&] { return Lines::scanned({records.c_str(), records.size()}); });
    if (!found) return nb::none();
    return given(std::make_unique<PyLines>(records, std::move(*found)));
}

// The first of several values that is not empty, as text; false where one is neither a string nor null.
bool first_text(const Lines& lines, const std::vector<std::span<const Span>>& columns, std::size_t line,
                std::string_view& found) {
    for (const auto& values : columns) {
        const auto value = lines[values[line]];
        if (value.empty() || value == kNull) continue;
        if (value.front() != '"') return false;
        if (found = value.substr(1, value.size() - 2); !found.empty()) return true;
    }
    return true;
}

// For each line the first of these keys that has a text, or nothing if one has something else.
nb::object texts_of(const PyLines& self, const nb::sequence& names) {
    std::vector<std::span<const Span>> columns;
    for (nb::handle name : names)
        if (const auto key = self.lines.find(nb::cast<std::string_view>(name)); key >= 0)
            columns.push_back(self.lines.values(static_cast<std::size_t>(key)));
    auto texts = std::make_unique<PyTexts>();
    texts->owner = self.owner;
    const bool all = without_gil([&] {
        auto& views = texts->views;
        views.resize(self.lines.size());
        std::vector<std::size_t> escaped;
        std::size_t size = 0;
        for (std::size_t i = 0; i < views.size(); ++i) {
            if (!first_text(self.lines, columns, i, views[i])) return false;
            if (views[i].find('\\') == views[i].npos) continue;
            escaped.push_back(i);
            size += views[i].size();
        }
        texts->unescaped.reserve(size);  // never less than is needed: views point into it
        for (const auto i : escaped) {
            const auto begin = texts->unescaped.size();
            unescape(views[i], texts->unescaped);
            views[i] = std::string_view(texts->unescaped).substr(begin);
        }
        texts->ascii = self.lines.is_ascii() && is_ascii(texts->unescaped);
        return true;
    });
    return all ? given(std::move(texts)) : nb::none();
}

nb::list keys_of(const PyLines& self) {
    nb::list out;
    for (const auto key : self.lines.keys()) out.append(to_python(key));
    return out;
}

// Where each line ends, its newline included.
nb::object line_ends(const nb::bytes& lines) {
    std::vector<std::int64_t> ends;
    without_gil([&] {
        const char *const begin = lines.c_str(), *const end = begin + lines.size();
        for (auto at = begin; at < end;) {
            const auto* found = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
            if (found == nullptr) return;
            at = found + 1;
            ends.push_back(at - begin);
        }
    });
    return nb::cast(give(std::move(ends)));
}

// Strings one after another, and where each ends; nothing where one is not ASCII.
nb::object joined(const nb::list& strings) {
    std::string text;
    std::vector<std::uint64_t> ends;
    ends.reserve(strings.size());
    for (nb::handle string : strings) {
        Py_ssize_t size = 0;
        const char* characters = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
        if (characters == nullptr) PyErr_Clear();  // a lone surrogate
        if (characters == nullptr || size != PyUnicode_GetLength(string.ptr())) return nb::none();
        text.append(characters, static_cast<std::size_t>(size));
        ends.push_back(text.size());
    }
    return nb::make_tuple(nb::bytes(text.data(), text.size()), give(std::move(ends)));
}

// A field's values, each with a code by its first appearance; that of null, and of objects, is 0.
struct PyCodes {
    Strings values;
    std::vector<std::uint32_t> codes;
    std::size_t longest, longest_list;

    PyCodes(std::size_t documents, std::size_t most, std::size_t most_of_list)
        : codes(documents), longest(most), longest_list(most_of_list) {
        values.add(kNull);
    }

    // False where a value is too long.
    bool add(std::string_view value) {
        if (value.empty() || value.front() == '{') {
            codes.push_back(0);
            return true;
        }
        if (value.size() > (value.front() == '[' ? longest_list : longest)) return false;
        codes.push_back(values.add(value).first);
        return true;
    }

    bool add_lines(const PyLines& read, std::string_view name) {
        const auto key = read.lines.find(name);
        if (key < 0) {
            codes.resize(codes.size() + read.lines.size());
            return true;
        }
        return without_gil([&] {
            const auto spans = read.lines.values(static_cast<std::size_t>(key));
            return std::all_of(spans.begin(), spans.end(), [&](const Span& span) { return add(read.lines[span]); });
        });
    }

    bool add_each(const nb::iterable& written) {
        for (nb::handle value : written) {
            const auto bytes = nb::cast<nb::bytes>(value);
            if (!add(std::string_view(bytes.c_str(), bytes.size()))) return false;
        }
        return true;
    }

    nb::tuple arrays() const {
        const auto& text = values.text();
        return nb::make_tuple(give(std::vector<std::uint8_t>(text.begin(), text.end())),
                              give(std::vector<std::uint64_t>(values.ends())), give(std::vector<std::uint32_t>(codes)));
    }
};

struct PyTitleCounter {
    TitleCounter counter;
    nb::object classes;

    PyTitleCounter(nb::object c, std::size_t max_bytes, unsigned threads)
        : counter(max_bytes, threads), classes(std::move(c)) {}

    std::vector<std::string_view> read(Utf8& utf8, const nb::object& titles) {
        auto texts = utf8.all(titles);
        if (!counter.has_classes() && !are_ascii(titles, texts)) counter.set_classes(call_classes(classes));
        return texts;
    }

    nb::list unknown(const nb::object& titles) {
        if (known_as_ascii(titles)) return {};
        Utf8 utf8;
        const auto texts = read(utf8, titles);
        const auto found = without_gil([&] { return counter.unknown(texts); });
        nb::list out;
        for (const auto& form : found) out.append(to_python(form));
        return out;
    }

    void know(const nb::str& form, const nb::sequence& words) {
        Utf8 utf8;
        std::vector<std::string_view> each;
        for (nb::handle word : words) each.push_back(utf8(word));
        counter.know(std::string(utf8(form)), each);
    }

    void add(const nb::object& titles) {
        Utf8 utf8;
        const auto texts = read(utf8, titles);
        without_gil([&] { counter.add(texts); });
    }
};

}  // namespace

void bind_lines(nb::module_& m) {
    nb::class_<PyTexts>(m, "Texts")
        .def("__len__", [](const PyTexts& self) { return self.views.size(); })
        .def("__getitem__",
             [](const PyTexts& self, Py_ssize_t i) {
                 const auto size = static_cast<Py_ssize_t>(self.views.size());
                 if (i < -size || i >= size) throw nb::index_error("there are not so many texts");
                 return to_python(self.views[static_cast<std::size_t>(i < 0 ? i + size : i)]);
             },
             "place"_a)
        .def("strings",
             [](const PyTexts& self) {
                 nb::list out;
                 for (const auto view : self.views) out.append(to_python(view));
                 return out;
             })
        .def("lengths", [](const PyTexts& self) {
            std::vector<std::uint32_t> found;
            for (const auto view : self.views) found.push_back(static_cast<std::uint32_t>(view.size()));
            return give(std::move(found));
        })
        .def("hashes", [](const PyTexts& self) { return hashes_of(self.views); });
    nb::class_<PyLines>(m, "Lines")
        .def("__len__", [](const PyLines& self) { return self.lines.size(); })
        .def_prop_ro("keys", &keys_of)
        .def("ends", [](const PyLines& self) { return give(std::vector<std::uint64_t>(self.lines.ends())); })
        .def("texts", &texts_of, "keys"_a);
    m.def("scan", &scan, "records"_a);
    m.def("line_ends", &line_ends, "lines"_a);
    m.def("joined", &joined, "strings"_a);
    nb::class_<PyCodes>(m, "Codes")
        .def(nb::init<std::size_t, std::size_t, std::size_t>(), "documents"_a, "longest"_a, "longest_list"_a)
        .def("add_lines", &PyCodes::add_lines, "lines"_a, "key"_a)
        .def("add", &PyCodes::add_each, "values"_a)
        .def("__len__", [](const PyCodes& self) { return self.values.size(); })
        .def_prop_ro("memory",
                     [](const PyCodes& self) { return 4 * self.codes.size() + 64 * self.values.size() + self.values.text().size(); })
        .def("arrays", &PyCodes::arrays);
    nb::class_<PyTitleCounter>(m, "TitleCounter")
        .def(nb::init<nb::object, std::size_t, unsigned>(), "classes"_a, "max_bytes"_a = 64, "threads"_a = 1)
        .def("unknown", &PyTitleCounter::unknown, "titles"_a)
        .def("know", &PyTitleCounter::know, "form"_a, "words"_a)
        .def("add", &PyTitleCounter::add, "titles"_a)
        .def("drain", [](PyTitleCounter& self) { return give(self.counter.drain()); })
        .def_prop_ro("memory", [](const PyTitleCounter& self) { return self.counter.memory(); });
}

}  // namespace likewise::bindings
