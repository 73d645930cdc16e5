// Learning from pairs of rows: which to draw, and descent over those drawn.
#include "pairs.h"

#include "combined.h"
#include "draws.h"
#include "families.h"
#include "rows.h"

namespace likewise::bindings {

namespace {

template <class Enum>
Enum named(const std::string& name, std::initializer_list<std::pair<const char*, Enum>> known) {
    for (const auto& [one, value] : known)
        if (name == one) return value;
    throw std::invalid_argument("no such name: " + name);
}

Strategy strategy_of(const std::string& name) {
    return named<Strategy>(name, {{"random", Strategy::random}, {"close", Strategy::close},
                                  {"correct", Strategy::correct}});
}

PairLoss loss_of(const std::string& name) {
    return named<PairLoss>(name, {{"hinge", PairLoss::hinge}, {"squared_hinge", PairLoss::squared},
                                  {"logistic", PairLoss::logistic}});
}

struct PyPairs {
    PairDescent descent;

    PyPairs(const PyRows& rows, const std::string& loss, bool threshold, std::uint64_t seed)
        : descent(checked(rows), loss_of(loss), threshold, seed) {}

    static const Rows& checked(const PyRows& source) {
        require(source.complete(), "some rows were not given");
        return source.rows;
    }
    void add(const Numbers& upper, const Numbers& lower) {
        require(upper.size() == lower.size(), "a pair needs an upper and a lower row");
        std::vector<Pair> pairs;
        for (std::size_t k = 0; k < upper.size(); ++k) {
            const Pair pair{upper(k), lower(k)};
            for (const auto row : {pair.upper, pair.lower})
                require(row == kNobody || row < descent.row_count(), "a row number is out of range");
            require(pair.upper != kNobody || pair.lower != kNobody, "a pair of nobody");
            pairs.push_back(pair);
        }
        without_gil([&] { descent.add(pairs); });
    }
    void set_costs(const In<double>& costs) {
        require(costs.size() == descent.pairs().size(), "one cost a pair is needed");
        for (const auto cost : span(costs)) require(is_amount(cost), "costs must be finite and not below 0");
        without_gil([&] { descent.set_costs(span(costs)); });
    }
    template <DescentState (PairDescent::*step)()>
    nb::tuple run() {
        return tell(without_gil([&] { return (descent.*step)(); }));
    }
};

struct PyDraws {
    Draws draws;
    std::size_t rows;

    PyDraws(std::size_t upper, std::size_t lower, const In<double>& upper_sums, const In<double>& lower_sums,
            double gamma, std::uint64_t seed, unsigned threads)
        : draws(checked({upper, lower, copy(upper_sums), copy(lower_sums), gamma}), seed, threads),
          rows(upper + lower) {}

    static std::vector<double> copy(const In<double>& values) {
        return {values.data(), values.data() + values.size()};
    }
    static Population checked(Population population) {
        const auto& p = population;
        require(p.upper > 0 && p.lower > 0, "both sides need rows");
        require(p.upper < kNobody && p.lower < kNobody && p.rows() < kNobody, "there are too many rows");
        require(p.upper_sums.empty() || p.upper_sums.size() == p.upper, "one sum an upper row is needed");
        require(p.lower_sums.empty() || p.lower_sums.size() == p.lower, "one sum a lower row is needed");
        require(are_sums(p.upper_sums) && are_sums(p.lower_sums), "running sums must ascend from 0 to above 0");
        require(p.gamma >= 0 && p.gamma <= 1, "gamma must be from 0 to 1");
        return population;
    }
    static bool are_sums(const std::vector<double>& sums) {
        if (sums.empty()) return true;
        return std::all_of(sums.begin(), sums.end(), is_amount) && std::is_sorted(sums.begin(), sums.end()) &&
               sums.back() > 0;
    }
    template <class Find>
    nb::tuple find(const PyPairs& model, Find&& how) {
        require(model.descent.row_count() == rows, "the model has other rows");
        Batch batch = without_gil(how);
        std::vector<std::uint32_t> upper, lower;
        for (const auto& pair : batch.pairs) {
            upper.push_back(pair.upper);
            lower.push_back(pair.lower);
        }
        return nb::make_tuple(give(std::move(upper)), give(std::move(lower)), give(std::move(batch.chances)),
                              batch.rejected);
    }
};

Out<double> combined_of(const PyRows& rows, const In<double>& squares, const PyDraws& draws, const std::string& loss,
                        bool regression, double total, std::uint64_t steps) {
    require(rows.complete(), "some rows were not given");
    require(rows.rows.size() == draws.rows, "the draws are of other rows");
    require(squares.size() == draws.rows, "one square a row is needed");
    require(all_of(squares, is_amount), "squares must be finite and not below 0");
    require(is_amount(total), "total must be finite and not below 0");
    const CombinedProblem problem{span(squares), loss_of(loss), regression, total, steps};
    return give(without_gil([&] { return combined(rows.rows, draws.draws, problem); }));
}

}  // namespace

void bind_pairs(nb::module_& m) {
    m.attr("NOBODY") = kNobody;
    m.def("chance", [](const std::string& strategy, double t) { return chance(strategy_of(strategy), t); },
          "strategy"_a, "margin"_a);
    nb::class_<PyPairs>(m, "Pairs")
        .def(nb::init<const PyRows&, const std::string&, bool, std::uint64_t>(), "rows"_a, nb::kw_only(),
             "loss"_a = "hinge", "threshold"_a = false, "seed"_a = 0, nb::keep_alive<1, 2>())
        .def("add", &PyPairs::add, "upper"_a.noconvert(), "lower"_a.noconvert())
        .def("set_costs", &PyPairs::set_costs, "costs"_a)
        .def("epoch", &PyPairs::run<&PairDescent::epoch>)
        .def("check", &PyPairs::run<&PairDescent::check>)
        .def_prop_ro("alpha", [](const PyPairs& self) { return give(std::vector<double>(self.descent.alpha())); },
                     nb::rv_policy::move)
        .def_prop_ro("theta", [](const PyPairs& self) { return self.descent.theta(); })
        .def("__len__", [](const PyPairs& self) { return self.descent.pairs().size(); });
    nb::class_<PyDraws>(m, "Draws")
        .def(nb::init<std::size_t, std::size_t, const In<double>&, const In<double>&, double, std::uint64_t, unsigned>(),
             "upper"_a, "lower"_a, "upper_sums"_a, "lower_sums"_a, nb::kw_only(), "gamma"_a = 1.0, "seed"_a = 0,
             "threads"_a = 1)
        .def("soft",
             [](PyDraws& self, const PyPairs& model, const std::string& strategy, std::size_t count,
                std::uint64_t most) {
                 const auto kind = strategy_of(strategy);
                 return self.find(model, [&] { return self.draws.soft(model.descent, kind, count, most); });
             },
             "model"_a, "strategy"_a, "count"_a, "most"_a)
        .def("hard",
             [](PyDraws& self, const PyPairs& model, const std::string& strategy, std::size_t count) {
                 const auto kind = strategy_of(strategy);
                 return self.find(model, [&] { return self.draws.hard(model.descent, kind, count); });
             },
             "model"_a, "strategy"_a, "count"_a);
    m.def("combined", &combined_of, "rows"_a, "squares"_a, "draws"_a, "loss"_a, "regression"_a, "total"_a, "steps"_a);
}

}  // namespace likewise::bindings
