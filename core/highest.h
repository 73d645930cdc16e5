// The highest of many numbers.
#pragma once

#include <cstdint>
#include <span>

#include "columns.h"

namespace likewise {

// 0 where there are none.
std::uint32_t highest(std::span<const std::uint8_t> numbers);
std::uint32_t highest(Columns16 numbers);
std::uint32_t highest(const Columns24& numbers);
std::uint32_t highest(Columns32 numbers);
std::uint64_t highest(std::span<const std::uint64_t> numbers);

}  // namespace likewise
