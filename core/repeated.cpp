#include "repeated.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "numbering.h"

namespace likewise {

namespace {

constexpr std::size_t kRun = 8;        // bytes, a word
constexpr std::size_t kStretch = 200;  // bytes
constexpr std::size_t kRuns = kStretch - kRun + 1;
constexpr unsigned kBits = 18;          // of the hash of a run

// The hash of the run that begins here.
std::size_t run(const char* at) {
    return static_cast<std::size_t>((load<std::uint64_t>(at) * 0xCF1BBCDCB7A56463ull) >> (64 - kBits));
}

struct Stretch {
    std::size_t begin = 0;
    std::uint64_t worth = 0;
};

// The best stretch of those that begin in [first, last).
Stretch best_of(const char* text, std::size_t first, std::size_t last, const std::vector<std::uint32_t>& frequency,
                std::vector<std::uint16_t>& inside) {
    Stretch best, now;
    for (auto at = first; at < last + kRuns - 1; ++at) {
        if (const auto entering = run(text + at); inside[entering]++ == 0) now.worth += frequency[entering];
        if (at < first + kRuns - 1) continue;
        now.begin = at + 1 - kRuns;
        if (now.worth > best.worth) best = now;
        if (const auto leaving = run(text + now.begin); --inside[leaving] == 0) now.worth -= frequency[leaving];
    }
    for (auto at = last; at < last + kRuns - 1; ++at) inside[run(text + at)] = 0;
    return best;
}

}  // namespace

std::string most_repeated(std::string_view text, std::size_t size) {
    if (text.size() < size + kStretch) return std::string(text.substr(text.size() - std::min(size, text.size())));
    const std::size_t places = text.size() - kStretch;  // at which a stretch may begin
    std::vector<std::uint32_t> frequency(std::size_t{1} << kBits);
    std::vector<std::uint16_t> inside(frequency.size());
    for (std::size_t at = 0; at < places + kRuns; ++at) ++frequency[run(text.data() + at)];
    const std::size_t parts = size / kStretch;
    std::vector<Stretch> chosen;
    for (std::size_t part = 0; part < parts; ++part) {
        const auto best = best_of(text.data(), places * part / parts, places * (part + 1) / parts, frequency, inside);
        for (std::size_t at = 0; at < kRuns; ++at) frequency[run(text.data() + best.begin + at)] = 0;
        chosen.push_back(best);
    }
    std::stable_sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.worth < b.worth; });
    std::string out;
    for (const auto& stretch : chosen) out.append(text.substr(stretch.begin, kStretch));
    return out;
}

}  // namespace likewise
