// The rows of judged documents, by term: what a new one's products with all of them need. Most terms of
// a document are in few others, so that it takes a few microseconds, where reading the rows of all
// judged documents took a millisecond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace likewise {

class JudgedRows {
public:
    // The products with those added before, in their order, and last with itself.
    std::vector<float> add(std::uint32_t document, std::span<const std::int32_t> columns, std::span<const double> values);
    void remove(std::uint32_t document);

private:
    struct Entry {
        std::uint32_t place;
        double value;
    };
    std::vector<std::uint32_t> ids_;
    std::unordered_map<std::int32_t, std::vector<Entry>> by_term_;
};

}  // namespace likewise
