#include "stored_rows.h"

#include <algorithm>
#include <type_traits>

#include "rowdot.h"

namespace likewise {

namespace {

template <class View>
double dot_entries(const View& x, std::uint32_t row, const Factors<double>& f, const double* z) {
    double sum = row_dot(x, row, z, f);
    each_large(x, row, row + 1, z, f, [&](std::size_t, double amount) { sum += amount; });
    return sum;
}

template <class Add>
void each_value(const ArrayView& x, std::size_t row, const Factors<double>&, Add&& add) {
    const double* values = x.row(row);
    for (std::uint32_t column = 0; column < x.width; ++column) add(column, values[column]);
}

double dot_entries(const ArrayView& x, std::uint32_t row, const Factors<double>&, const double* z) {
    const double* values = x.row(row);
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    std::size_t j = 0;
    for (; j + 4 <= x.width; j += 4) {
        s0 += values[j] * z[j];
        s1 += values[j + 1] * z[j + 1];
        s2 += values[j + 2] * z[j + 2];
        s3 += values[j + 3] * z[j + 3];
    }
    for (; j < x.width; ++j) s0 += values[j] * z[j];
    return (s0 + s1) + (s2 + s3);
}

const std::vector<double> kIdentity{0, 1};

template <class View>
constexpr bool kDense = std::is_same_v<View, FloatRows> || std::is_same_v<View, ByteRows>;
template <class View>
constexpr bool kWhole = kDense<View> || std::is_same_v<View, ArrayView>;  // rows have every column

}  // namespace

Rows::Rows(std::span<const double> col, std::size_t size, std::size_t layers)
    : col_(col), size_(size), layers_(layers, Layer{std::vector<Row>(size)}) {
    unit_ = std::all_of(col.begin(), col.end(), [](double factor) { return factor == 1; });
}

void Rows::add(Part part, const Chosen& chosen) {
    const auto number = static_cast<std::uint32_t>(parts_.size());
    part.first = chosen.first;
    auto& layer = layers_[chosen.layer];
    std::visit(
        [&]<class View>(const View& x) {
            if constexpr (kWhole<View>) {
                layer.first = chosen.first;
                layer.width = x.width;
            }
        },
        part.matrix);
    parts_.push_back(std::move(part));
    for (std::size_t i = 0; i < chosen.ids.size(); ++i)
        layer.rows[chosen.places[i]] = {number, chosen.ids[i], chosen.scale[i]};
}

void Rows::add(const AnyCounts& any, std::span<const double> table, std::span<const double> large,
               const Chosen& chosen) {
    std::vector<double> own(table.begin(), table.end());
    own[kLarge] = 0;  // as Factors are
    std::visit([&](const auto& x) { add(Part{x, own, large}, chosen); }, any);
}

void Rows::add(const ValueView& x, const Chosen& chosen) { add(Part{x, kIdentity, {}}, chosen); }
void Rows::add(const DoubleView& x, const Chosen& chosen) { add(Part{x, kIdentity, {}}, chosen); }
void Rows::add(const ArrayView& x, const Chosen& chosen) { add(Part{x, kIdentity, {}}, chosen); }

void Rows::add(const FloatRows& x, const Chosen& chosen) { add(Part{x, {}, {}}, chosen); }
void Rows::add(const ByteRows& x, const Chosen& chosen) { add(Part{x, {}, {}}, chosen); }

template <class Use>
decltype(auto) Rows::at(const Row& row, Use&& use) const {
    const Part& part = parts_[row.part];
    return std::visit([&](const auto& x) { return use(x, part, row); }, part.matrix);
}

double Rows::dot(std::size_t i, const double* z) const {
    double sum = 0;
    for (const auto& layer : layers_)
        sum += at(layer.rows[i], [&]<class View>(const View& x, const Part& part, const Row& row) {
            if constexpr (kDense<View>)
                return row.scale * dense_row_dot(x.row(row.row), z + part.first, x.width);
            else
                return row.scale * dot_entries(x, row.row, part.factors(), z + part.first);
        });
    return sum;
}

void Rows::add_to(std::size_t i, double amount, double* z) const {
    for (const auto& layer : layers_)
        at(layer.rows[i], [&]<class View>(const View& x, const Part& part, const Row& row) {
            double* into = z + part.first;
            if constexpr (kDense<View>) {
                dense_row_add(x.row(row.row), amount * row.scale, into, x.width);
            } else {
                const double* col = col_.data() + part.first;
                const double step = amount * row.scale;
                if (unit_) {
                    each_value(x, row.row, part.factors(), [&](std::uint32_t column, double value)
                                                               LIKEWISE_ALWAYS_INLINE { into[column] += step * value; });
                    return;
                }
                each_value(x, row.row, part.factors(), [&](std::uint32_t column, double value) LIKEWISE_ALWAYS_INLINE {
                    into[column] += step * value * (col[column] * col[column]);
                });
            }
        });
}

const DoubleView* Rows::plain() const {
    return unit_ && parts_.size() == 1 ? std::get_if<DoubleView>(&parts_.front().matrix) : nullptr;
}

void Rows::append(std::size_t i, std::vector<Entry>& entries) const {
    for (const auto& layer : layers_)
        at(layer.rows[i], [&]<class View>(const View& x, const Part& part, const Row& row) {
            const auto add = [&](std::size_t column, double value) LIKEWISE_ALWAYS_INLINE {
                column += part.first;
                value *= col_[column];
                entries.push_back({static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(i), value * row.scale});
            };
            if constexpr (kDense<View>) {
                const auto* values = x.row(row.row);
                for (std::size_t c = 0; c < x.width; ++c)
                    if (values[c] != 0) add(c, static_cast<double>(values[c]));
            } else {
                each_value(x, row.row, part.factors(), add);
            }
        });
}

std::size_t Rows::sparse_length(std::size_t i) const {
    std::size_t sum = 0;
    for (const auto& layer : layers_) {
        if (layer.dense()) continue;
        sum += at(layer.rows[i], []<class View>(const View& x, const Part&, const Row& row) -> std::size_t {
            if constexpr (kWhole<View>)
                return 0;
            else
                return x.end(row.row) - x.begin(row.row);
        });
    }
    return sum;
}

void Rows::copy_sparse(std::size_t i, std::uint32_t* columns, double* values) const {
    for (const auto& layer : layers_) {
        if (layer.dense()) continue;
        at(layer.rows[i], [&]<class View>(const View& x, const Part& part, const Row& row) {
            if constexpr (!kWhole<View>) {
                const auto first = static_cast<std::uint32_t>(part.first);
                each_value(x, row.row, part.factors(), [&](std::uint32_t column, double value) LIKEWISE_ALWAYS_INLINE {
                    *columns++ = first + column;
                    *values++ = row.scale * value;
                });
            }
        });
    }
}

std::size_t Rows::dense_layers() const {
    const auto dense = [](const Layer& layer) { return layer.dense(); };
    return static_cast<std::size_t>(std::count_if(layers_.begin(), layers_.end(), dense));
}

std::vector<std::uint32_t> Rows::dense_columns() const {
    std::vector<std::uint32_t> found;
    for (const auto& layer : layers_)
        for (std::size_t c = 0; c < layer.width; ++c) found.push_back(static_cast<std::uint32_t>(layer.first + c));
    return found;
}

void Rows::add_dense_from(const Rows& other, std::size_t first) {
    std::size_t number = 1;
    for (const auto& layer : other.layers_) {
        if (!layer.dense()) continue;
        auto& own = layers_[number++];
        own = layer;
        own.first = first;
        for (auto& row : own.rows) row.part += static_cast<std::uint32_t>(parts_.size());
        for (auto part : other.parts_) {
            part.first = first;
            parts_.push_back(std::move(part));
        }
        first += layer.width;
    }
}

void Rows::scale(double* w) const {
    for (std::size_t column = 0; column < col_.size(); ++column) w[column] *= col_[column];
}

void Rows::unscale(double* z) const {
    if (unit_) return;
    for (std::size_t column = 0; column < col_.size(); ++column)
        if (z[column] != 0) z[column] /= col_[column];
}

std::vector<double> Rows::weighted_sum(std::span<const double> weights) const {
    std::vector<double> z(col_.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] != 0) add_to(i, weights[i], z.data());
    unscale(z.data());
    return z;
}

}  // namespace likewise
