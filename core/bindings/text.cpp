// Texts: what they are split into, and their terms counted.
#include <string_view>

#include "count.h"
#include "families.h"
#include "matrices.h"
#include "texts.h"

namespace likewise::bindings {

namespace {

void make_stems(Stems* self, const std::string& library, const std::string& algorithm, const nb::sequence& words) {
    Utf8 utf8;
    new (self) Stems(library, algorithm, utf8.all(words));
}

struct PyCounter {
    nb::object classes, stems;
    Counter counter;

    PyCounter(nb::object c, unsigned threads, std::size_t max_bytes, bool bigrams, bool digits_stay, nb::object s)
        : classes(std::move(c)),
          stems(std::move(s)),
          counter(threads, max_bytes, bigrams, digits_stay, stems.is_none() ? nullptr : &nb::cast<const Stems&>(stems)) {}

    nb::list count(const nb::sequence& fields) {
        Utf8 utf8;
        Texts texts;
        bool ascii = true;
        for (nb::handle field : fields) {
            texts.push_back(utf8.all(field));
            ascii = ascii && (counter.has_classes() || are_ascii(field, texts.back()));
        }
        if (!ascii && !counter.has_classes()) counter.set_classes(call_classes(classes));
        const auto asked = without_gil([&] { return counter.count(texts); });
        nb::list fresh;
        for (const auto form : asked) fresh.append(to_python(counter.forms()[form]));
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
    nb::class_<Stems>(m, "Stems").def("__init__", &make_stems, "library"_a, "algorithm"_a, "stop_words"_a);
    nb::class_<PyCounter>(m, "Counter")
        .def(nb::init<nb::object, unsigned, std::size_t, bool, bool, nb::object>(), "classes"_a, nb::kw_only(),
             "threads"_a = 1, "max_bytes"_a = 64, "bigrams"_a = false, "digits_stay"_a = false,
             "stems"_a.none() = nb::none())
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
