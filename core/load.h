// Numbers read from wherever they stand, aligned or not.
#pragma once

#include <cstring>

#include "dispatch.h"

namespace likewise {

template <class Number>
LIKEWISE_INLINE Number load(const void* from) {
    Number number;
    std::memcpy(&number, from, sizeof number);
    return number;
}

}  // namespace likewise
