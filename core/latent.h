// Documents' places in a latent space, z(d) = unit(f(tf)·F) − centre, as views/latent.py says; and rows in a byte a
// number, as views/precision.py says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "csr.h"
#include "dense.h"

namespace likewise {

// F has a row for each term of a model: column c of a matrix is its row numbers[c], or none if that is kLeftOut or
// if there are fewer numbers. Rows of bytes have a factor each.
template <class Stored>
struct Space {
    std::span<const std::uint32_t> numbers;
    DenseView<Stored> basis;
    const float* factors;
    const float* centre;
};

// Where places go, one a row: as they are or, if there are `bytes`, in these, with a factor each.
struct Places {
    float* values;
    std::int8_t* bytes;
    float* factors;
};

// The places of some rows of a matrix; 0, which is the centre, for one without a term of the model.
template <class View, class Stored>
void fold(const View& x, std::span<const std::uint32_t> ids, const Space<Stored>& space, const Factors<float>& f,
          const Places& out, unsigned threads);

// Rows in bytes.
void pack(const FloatRows& x, const Places& out, unsigned threads);

// The mean of the rows, each divided by its length; rows of zeros count as such.
std::vector<double> mean_direction(const FloatRows& x, unsigned threads);

}  // namespace likewise
