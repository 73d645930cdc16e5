// What a caller must keep to, said in one sentence where it does not.
#pragma once

#include <stdexcept>

namespace likewise {

inline void require(bool good, const char* what) {
    if (!good) throw std::invalid_argument(what);
}

}  // namespace likewise
