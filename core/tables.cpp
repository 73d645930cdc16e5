#include "tables.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

namespace likewise {

std::size_t StringTable::size() const {
    return live ? live->size() : std::visit([](const auto& e) { return e.size(); }, ends);
}

std::string_view StringTable::stored(std::size_t place) const {
    return std::visit(
        [&](const auto& stops) -> std::string_view {
            if (place >= stops.size()) throw std::out_of_range("there is no such string");
            const std::size_t begin = place == 0 ? 0 : stops[place - 1], end = stops[place];
            if (begin > end || end > text.size()) throw std::out_of_range("a string lies outside of its text");
            return {text.data() + begin, end - begin};
        },
        ends);
}

std::string_view StringTable::at(std::size_t local, std::string& space) const {
    if (live && local >= live->size()) throw std::out_of_range("there is no such string");
    const auto found = stored(live ? (*live)[local] : local);
    if (!symbols) return found;
    space.clear();
    symbols->unpack(found, space);
    return space;
}

std::optional<std::uint32_t> StringTable::find(std::string_view string, std::uint64_t hash) const {
    return std::visit(
        [&](const auto& sorted) -> std::optional<std::uint32_t> {
            using Word = typename std::decay_t<decltype(sorted)>::value_type;
            const auto wanted = static_cast<Word>(sizeof(Word) == 4 ? hash >> 32 : hash);
            // Different strings may share a hash, and a string may be there twice: the last counts.
            auto after = std::upper_bound(sorted.begin(), sorted.end(), wanted);
            while (after != sorted.begin() && *(after - 1) == wanted) {
                --after;
                const auto place = order[static_cast<std::size_t>(after - sorted.begin())];
                if (stored(place) == string) return place;
            }
            return {};
        },
        hashes);
}

}  // namespace likewise
