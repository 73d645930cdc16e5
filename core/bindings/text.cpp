// Texts: what they are split into, and their terms counted.
#include <string_view>

#include "count.h"
#include "families.h"
#include "matrices.h"

namespace likewise::bindings {

namespace {

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

private:
    std::vector<nb::object> kept_;
};

nb::str to_python(std::string_view s) { return nb::str(s.data(), s.size()); }

bool is_ascii(std::string_view s) {
    return std::all_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::vector<std::uint8_t> call_classes(const nb::object& classes) {
    const auto table = nb::cast<In<std::uint8_t>>(classes());
    require(table.size() == 0x110000, "classes needs one entry a code point");
    return {table.data(), table.data() + table.size()};
}

struct PyCounter {
    Counter counter;
    nb::object classes;

    PyCounter(nb::object c, unsigned threads, std::size_t max_bytes, bool bigrams)
        : counter(threads, max_bytes, bigrams), classes(std::move(c)) {}

    nb::list count(const nb::sequence& fields) {
        Utf8 utf8;
        Texts texts;
        bool ascii = true;
        for (nb::handle field : fields) {
            auto& column = texts.emplace_back();
            column.reserve(nb::len(field));
            for (nb::handle text : field) {
                column.push_back(utf8(text));
                ascii = ascii && is_ascii(column.back());
            }
        }
        if (!ascii && !counter.has_classes()) counter.set_classes(call_classes(classes));
        const auto first = without_gil([&] { return counter.count(texts); });
        nb::list fresh;
        for (auto form = first; form < counter.forms().size(); ++form) fresh.append(to_python(counter.forms()[form]));
        return fresh;
    }

    void absorb(const nb::sequence& meanings) {
        Utf8 utf8;
        std::vector<std::string_view> terms;
        std::vector<std::size_t> ends;
        for (nb::handle meaning : meanings) {
            if (nb::isinstance<nb::tuple>(meaning))
                for (nb::handle term : meaning) terms.push_back(utf8(term));
            else if (!meaning.is_none())
                terms.push_back(utf8(meaning));
            ends.push_back(terms.size());
        }
        without_gil([&] { counter.absorb(terms, ends); });
    }

    void add_rows(const nb::dict& arrays, const nb::sequence& names) {
        Utf8 utf8;
        std::vector<std::uint32_t> terms;
        for (nb::handle name : names) terms.push_back(counter.know(utf8(name)));
        const BorrowedCounts borrowed(arrays);
        const auto rows = borrowed.view(terms.size());
        without_gil([&] {
            std::visit([](const auto& x) { check(x); }, rows);
            counter.add_rows(rows, terms);
        });
    }

    nb::tuple terms_since(std::uint32_t first) const {
        const auto& terms = counter.terms();
        require(first <= terms.size(), "there are not so many terms");
        const auto skip = first == 0 ? 0 : terms.ends()[first - 1];
        std::vector<std::uint64_t> ends(terms.ends().begin() + first, terms.ends().end());
        for (auto& end : ends) end -= skip;
        return nb::make_tuple(nb::bytes(terms.text().data() + skip, terms.text().size() - skip),
                              give(std::move(ends)));
    }
};

nb::list forms_of(const nb::str& text, const nb::object& classes, std::size_t max_bytes) {
    Utf8 utf8;
    const auto characters = utf8(text);
    std::vector<std::uint8_t> table;
    if (!is_ascii(characters)) table = call_classes(classes);
    nb::list found;
    Tokenizer(table, max_bytes)(characters, [&](std::string_view form) { found.append(to_python(form)); });
    return found;
}

}  // namespace

void bind_text(nb::module_& m) {
    nb::class_<PyCounter>(m, "Counter")
        .def(nb::init<nb::object, unsigned, std::size_t, bool>(), "classes"_a, nb::kw_only(), "threads"_a = 1,
             "max_bytes"_a = 64, "bigrams"_a = false)
        .def("count", &PyCounter::count, "fields"_a)
        .def("absorb", &PyCounter::absorb, "terms"_a)
        .def("add_rows", &PyCounter::add_rows, "arrays"_a, "names"_a)
        .def("drain", [](PyCounter& self) { return give(self.counter.drain()); })
        .def_prop_ro("terms", [](const PyCounter& self) { return self.counter.terms().size(); })
        .def("terms_since", &PyCounter::terms_since, "first"_a)
        .def_prop_ro("rows", [](const PyCounter& self) { return self.counter.rows(); })
        .def_prop_ro("memory", [](const PyCounter& self) { return self.counter.memory(); });
    m.def("forms", &forms_of, "text"_a, "classes"_a, "max_bytes"_a = 64);
}

}  // namespace likewise::bindings
