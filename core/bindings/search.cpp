// What a search by words takes: postings of several segments, and tables of strings.
#include <algorithm>
#include <string>

#include "families.h"
#include "hash_set.h"
#include "matrices.h"
#include "postings.h"
#include "pruned.h"
#include "tables.h"
#include "texts.h"

namespace likewise::bindings {

namespace {

constexpr double kUnit = 0x1p-24;  // relative rounding error of single precision

struct PyPostings {
    In<double> columns;  // factors
    double longest;
    std::vector<nb::object> kept;
    std::vector<SegmentLists> segments;
    std::vector<std::vector<double>> tables;
    std::size_t entries = 0, documents = 0;
    std::span<const bool> common;  // by column
    double usual = 0;

    PyPostings(In<double> factors, double length) : columns(std::move(factors)), longest(length) {}

    void add(const nb::object& inverted, const nb::object& rows, const In<double>& small, const In<double>& large,
             const In<double>& large_inverted, const In<double>& factors, const In<float>& factors32,
             const std::optional<Numbers>& listed, const std::optional<Numbers>& live) {
        const auto &by_term = nb::cast<const PyCounts&>(inverted), &by_document = nb::cast<const PyCounts&>(rows);
        require(small.size() == 256, "table must hold f(0) … f(255)");
        require(large.size() == by_document.large() && large_inverted.size() == by_term.large(),
                "one large value a large count is needed");
        const auto height = by_document.rows();
        require(factors.size() == height && factors32.size() == height && by_term.width() == height,
                "one factor a document is needed");
        require(by_document.width() <= columns.size(), "the rows are wider than there are columns");
        require(!listed || listed->size() == by_term.rows(), "one term a row of the inverted file is needed");
        tables.emplace_back(small.data(), small.data() + 256).back() = 0;  // f(255) is of no use
        SegmentLists segment{by_term.any, by_document.any, {}, {}, {tables.back().data(), large_inverted.data()},
                             {tables.back().data(), large.data()}, span(factors32), span(factors), documents};
        if (listed) segment.listed = span(*listed);
        if (live) segment.live = span(*live);
        segments.push_back(segment);
        for (const auto& array : {nb::cast(small), nb::cast(large), nb::cast(large_inverted), nb::cast(factors),
                                  nb::cast(factors32), nb::cast(listed), nb::cast(live), inverted, rows})
            kept.push_back(array);
        documents += live ? live->size() : height;
        entries += by_document.visit([](const auto& x) { return x.entries(); });
    }

    // A query's columns, and its weights times their factors.
    struct Scaled {
        std::vector<std::uint32_t> columns;
        std::vector<double> weights;
        double length = 0;
    };
    Scaled scaled(const In<std::int32_t>& numbers, const In<double>& weights, const Keep& keep) const {
        require(numbers.size() == weights.size(), "one weight a column is needed");
        require(!keep || keep->size() == documents, "keep needs one entry a document");
        Scaled query;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const auto column = numbers.data()[i];
            auto& known = query.columns;
            require(column >= 0 && static_cast<std::size_t>(column) < columns.size(), "there is no such column");
            require(known.empty() || static_cast<std::uint32_t>(column) > known.back(), "columns must ascend");
            known.push_back(static_cast<std::uint32_t>(column));
            query.weights.push_back(weights.data()[i] * columns.data()[column]);
            query.length += weights.data()[i] * weights.data()[i];
        }
        query.length = std::sqrt(query.length);
        return query;
    }

    // The best, or None where there are more postings than `most`: then reading all rows is cheaper.
    nb::object best(const In<std::int32_t>& numbers, const In<double>& weights, std::size_t k, const Keep& keep,
                    double most) const {
        const auto query = scaled(numbers, weights, keep);
        if (static_cast<double>(postings(segments, query.columns)) >= most * static_cast<double>(entries))
            return nb::none();
        const double slack = static_cast<double>(query.columns.size() + 8) * kUnit * longest * query.length;
        return listed(without_gil(
            [&] { return top(segments, {query.columns, query.weights, k, slack, span(keep)}); }));
    }

    // Which columns are common, and the length of each document by these alone, of all segments.
    void know(const In<bool>& chosen, const In<float>& lengths) {
        require(chosen.size() == columns.size(), "one entry a column is needed");
        std::size_t all = 0;
        for (const auto& segment : segments) all += segment.factors.size();
        require(lengths.size() == all, "one length a document is needed");
        auto left = span(lengths);
        double squares = 0;
        for (const auto length : left) squares += static_cast<double>(length) * static_cast<double>(length);
        for (auto& segment : segments) {
            segment.common = left.first(segment.factors.size());
            left = left.subspan(segment.factors.size());
        }
        kept.push_back(nb::cast(chosen));
        kept.push_back(nb::cast(lengths));
        common = span(chosen);
        usual = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(all, 1)));
    }

    // The best by many terms, of which not all postings are read; None where reading all rows is cheaper.
    nb::object pruned(const In<std::int32_t>& numbers, const In<double>& weights, std::size_t k, const Keep& keep,
                      bool positive, unsigned threads) const {
        const auto query = scaled(numbers, weights, keep);
        const Asked asked{query.columns, query.weights, k, kUnit * longest * query.length, span(keep)};
        const auto found = without_gil([&] {
            return likewise::pruned(segments, {asked, span(weights), columns.size(), longest, common, usual, positive},
                                    threads);
        });
        return found ? listed(*found) : nb::none();
    }

    static nb::object listed(const std::vector<Found>& found) {
        nb::list out;
        for (const auto& one : found) out.append(nb::make_tuple(one.document, one.score));
        return out;
    }
};

// Borrowed bytes and numbers; whoever made the array is kept.
struct PyTables {
    std::vector<nb::object> kept;
    std::vector<StringTable> tables;
    std::size_t strings = 0;

    void add(const In<std::uint8_t>& text, const nb::object& ends, const nb::object& hashes,
             const std::optional<Numbers>& order, const std::optional<Numbers>& live,
             const std::optional<In<std::uint8_t>>& symbols) {
        StringTable table{chars(text), offsets(ends), {}, strings, Offsets(), {}, {}};
        if (!hashes.is_none()) {
            require(order.has_value(), "hashes need an order");
            table.hashes = offsets(hashes);
            table.order = span(*order);
            require(std::visit([](const auto& h) { return h.size(); }, table.hashes) == table.order.size(),
                    "one place a hash is needed");
        }
        if (live) table.live = span(*live);
        if (symbols) table.symbols = Symbols(span(*symbols));
        for (const auto& array : {nb::cast(text), ends, hashes, nb::cast(order), nb::cast(live)}) kept.push_back(array);
        strings += table.size();
        tables.push_back(std::move(table));
    }

    nb::list at(const nb::iterable& numbers) const {
        nb::list out;
        std::string space;
        for (nb::handle wanted : numbers) {
            const auto given = PyNumber_AsSsize_t(wanted.ptr(), PyExc_IndexError);
            if (given == -1 && PyErr_Occurred()) throw nb::python_error();
            const auto number = static_cast<std::size_t>(given);
            if (given < 0 || number >= strings) throw nb::index_error(std::to_string(given).c_str());
            const auto after = std::upper_bound(tables.begin(), tables.end(), number,
                                                [](std::size_t n, const StringTable& t) { return n < t.first; });
            const auto& table = *(after - 1);
            out.append(decoded(table.at(number - table.first, space)));
        }
        return out;
    }

    nb::list find(const nb::list& wanted, const nb::list& hashes) const {
        require(wanted.size() == hashes.size(), "one hash a string is needed");
        nb::list out;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto string = nb::cast<nb::bytes>(wanted[i]);
            const auto hash = nb::cast<std::uint64_t>(hashes[i]);
            std::int64_t number = -1;
            for (const auto& table : tables)
                if (const auto place = table.find({string.c_str(), string.size()}, hash))
                    number = static_cast<std::int64_t>(table.first + *place);
            out.append(number);
        }
        return out;
    }

private:
    static std::span<const char> chars(const In<std::uint8_t>& text) {
        return {reinterpret_cast<const char*>(text.data()), text.size()};
    }
    static Offsets offsets(const nb::object& array) {
        Numbers narrow;
        if (nb::try_cast(array, narrow, false)) return span(narrow);
        return span(nb::cast<In<std::uint64_t>>(array, false));
    }
    static nb::object decoded(std::string_view text) {
        auto* found = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
        if (!found) throw nb::python_error();
        return nb::steal(found);
    }
};

// The places of hashes whose upper half is among these, which ascend. Short work of the thread that adds:
// another that got the interpreter meanwhile would keep it for longer.
nb::object likely(const In<std::uint32_t>& sorted, const In<std::uint64_t>& hashes) {
    const auto table = span(sorted);
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < hashes.size(); ++i)
        if (std::binary_search(table.begin(), table.end(), static_cast<std::uint32_t>(hashes.data()[i] >> 32)))
            places.push_back(static_cast<std::int64_t>(i));
    return nb::cast(give(std::move(places)));
}

// Titles as they come; packed at the end.
struct PyTitles {
    static constexpr std::size_t kSample = 1 << 15;  // bytes that the symbols are learned from
    std::string text;
    std::vector<std::uint32_t> ends;

    void add(const nb::object& titles) {
        if (nb::isinstance<PyTexts>(titles)) {
            const auto& views = nb::cast<const PyTexts&>(titles).views;
            without_gil([&] {
                for (const auto title : views) append(title);
            });
            return;
        }
        for (nb::handle title : titles) {
            const nb::object encoded =
                nb::steal(PyUnicode_AsEncodedString(title.ptr(), "utf-8", "surrogatepass"));
            if (!encoded.is_valid()) throw nb::python_error();
            append({PyBytes_AsString(encoded.ptr()), static_cast<std::size_t>(PyBytes_Size(encoded.ptr()))});
        }
    }

    void append(std::string_view title) {
        require(text.size() + title.size() <= 0xFFFFFFFFu, "the titles are too long");
        text.append(title);
        ends.push_back(static_cast<std::uint32_t>(text.size()));
    }

    nb::tuple pack(unsigned threads) const {
        Packed packed;
        const auto packer = without_gil([&] {
            std::vector<std::string_view> all;
            std::size_t begin = 0;
            for (const auto end : ends) {
                all.emplace_back(text.data() + begin, end - begin);
                begin = end;
            }
            std::vector<std::string_view> sample;
            const auto step = std::max<std::size_t>(1, text.size() / kSample);
            for (std::size_t i = 0; i < all.size(); i += step) sample.push_back(all[i]);
            auto learned = Packer::learned(sample);
            packed = learned.pack(all, threads);
            return learned;
        });
        return nb::make_tuple(give(packer.symbols().stored()), give(std::move(packed.text)), give(std::move(packed.ends)));
    }
};

// Strings one after another, as a table has them.
struct Joined {
    In<std::uint8_t> text;
    In<std::uint64_t> ends;

    std::size_t size() const { return ends.size(); }
    std::string_view operator[](std::size_t i) const {
        const auto begin = i == 0 ? 0 : ends.data()[i - 1], end = ends.data()[i];
        require(begin <= end && end <= text.size(), "a string lies outside of its text");
        return {reinterpret_cast<const char*>(text.data()) + begin, end - begin};
    }
};

}  // namespace

void bind_search(nb::module_& m) {
    using Real = In<double>;
    nb::class_<PyPostings>(m, "Postings")
        .def(nb::init<Real, double>(), "factors"_a.noconvert(), "longest"_a)
        .def("add", &PyPostings::add, "inverted"_a, "rows"_a, "table"_a.noconvert(), "large"_a.noconvert(),
             "large_inverted"_a.noconvert(), "factors"_a.noconvert(), "factors32"_a.noconvert(),
             "listed"_a.noconvert().none(), "live"_a.noconvert().none())
        .def("best", &PyPostings::best, "columns"_a.noconvert(), "weights"_a.noconvert(), "k"_a, "keep"_a.none(),
             "most"_a)
        .def("know", &PyPostings::know, "common"_a.noconvert(), "lengths"_a.noconvert())
        .def("pruned", &PyPostings::pruned, "columns"_a.noconvert(), "weights"_a.noconvert(), "k"_a,
             "keep"_a.none(), "positive"_a, "threads"_a);
    nb::class_<PyTables>(m, "StringTables")
        .def(nb::init<>())
        .def("add", &PyTables::add, "text"_a.noconvert(), "ends"_a, "hashes"_a.none(), "order"_a.noconvert().none(),
             "live"_a.noconvert().none(), "symbols"_a.noconvert().none())
        .def("at", &PyTables::at, "numbers"_a)
        .def("find", &PyTables::find, "strings"_a, "hashes"_a)
        .def("__len__", [](const PyTables& self) { return self.strings; });
    nb::class_<PyTitles>(m, "TitleText")
        .def(nb::init<>())
        .def("add", &PyTitles::add, "titles"_a)
        .def_prop_ro("memory", [](const PyTitles& self) { return self.text.size() + 4 * self.ends.size(); })
        .def_prop_ro("any", [](const PyTitles& self) { return !self.text.empty(); })
        .def("pack", &PyTitles::pack, "threads"_a = 1);
    nb::class_<HashSet>(m, "HashSet")
        .def(nb::init<>())
        .def("add",
             // Some microseconds: another thread that got the interpreter meanwhile would keep it for longer.
             [](HashSet& self, const In<std::uint64_t>& hashes) { return self.add(span(hashes)); },
             "hashes"_a.noconvert())
        .def("__len__", &HashSet::size);
    m.def("likely", &likely, "sorted"_a.noconvert(), "hashes"_a.noconvert());
    m.def(
        "hashes",
        [](const In<std::uint8_t>& text, const In<std::uint64_t>& ends) { return hashes_of(Joined{text, ends}); },
        "text"_a, "ends"_a.noconvert());
}

}  // namespace likewise::bindings
