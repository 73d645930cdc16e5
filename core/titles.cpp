#include "titles.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "ascii_words.h"
#include "hashes.h"
#include "parallel.h"
#include "row_maker.h"

namespace likewise {

namespace {

constexpr std::size_t kLetters = 4;  // of a part

std::size_t letter(std::string_view s, std::size_t at) {
    const auto lead = static_cast<unsigned char>(s[at]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return std::min(size, s.size() - at);
}

// A row of few columns, which are hashes: one that is there already is found in the nearest cache. Otherwise
// as RowMaker.
class ShortRow {
public:
    static constexpr std::size_t kMost = 512;  // columns

    void add(std::uint32_t column, std::uint32_t count) {
        auto slot = column % kSlots;
        for (; slots_[slot] != 0; slot = (slot + 1) % kSlots) {
            auto& entry = row_[slots_[slot] - 1u];
            if (entry.first != column) continue;
            entry.second += count;
            return;
        }
        used_[size_] = static_cast<std::uint16_t>(slot);
        row_[size_] = {column, count};
        slots_[slot] = static_cast<std::uint16_t>(++size_);
    }

    void end_row(CountArrays& rows) {
        if (rows.columns.size() + size_ > 0xFFFFFFFFu)
            throw std::length_error("more than 4 billion entries in one segment");
        appender_.append(rows, std::span(row_.data(), size_));
        for (std::size_t i = 0; i < size_; ++i) slots_[used_[i]] = 0;
        size_ = 0;
    }

private:
    static constexpr std::size_t kSlots = 2 * kMost;
    RowAppender appender_;
    std::array<std::uint16_t, kSlots> slots_{};  // one more than an entry's place in row_, or 0
    std::array<std::pair<std::uint32_t, std::uint32_t>, kMost> row_;
    std::array<std::uint16_t, kMost> used_;
    std::size_t size_ = 0;
};

// The same as parts() of a word in which each letter is a byte, most words by far. The last four are in a
// register: what was just written byte by byte is not read as a whole without waiting.
template <class Maker>
void add_ascii(Maker& maker, std::string_view word) {
    constexpr std::size_t kWidth = TitleCounter::kWidth;
    static_assert(kLetters == sizeof(std::uint32_t));
    if (word.size() + 2 < kLetters) {
        const char edged[] = {' ', word[0], ' '};
        maker.add(static_cast<std::uint32_t>(xxh3({edged, sizeof edged}) % kWidth), 1);
        return;
    }
    std::uint32_t part = 0;
    const auto next = [&](char letter) { part = part >> 8 | std::uint32_t{static_cast<unsigned char>(letter)} << 24; };
    const auto add = [&] {
        const auto hash = xxh3_of_both(std::uint64_t{part} << 32 | part, kLetters);
        maker.add(static_cast<std::uint32_t>(hash % kWidth), 1);
    };
    next(' ');
    next(word[0]);
    next(word[1]);
    for (const char letter : word.substr(2)) {
        next(letter);
        add();
    }
    next(' ');
    add();
}

constexpr std::size_t kBlock = 256;  // titles that a thread takes at a time
constexpr std::size_t kSoon = 4;     // how many titles ahead one is fetched

// Brings a title into the cache: in their records they stand far apart, and each would be waited for. The CPU sees
// by itself what follows in a long one.
void fetch(std::string_view title) {
    constexpr std::size_t kLine = 64, kMost = 8 * kLine;  // bytes
    for (std::size_t at = 0; at < std::min(title.size(), kMost); at += kLine) __builtin_prefetch(title.data() + at);
}

}  // namespace

struct TitleCounter::Worker {
    AsciiWords words;
    ShortRow short_row;  // for words that have together at most as many letters as it has columns
    RowMaker maker;
};

TitleCounter::TitleCounter(std::size_t max_bytes, unsigned threads)
    : max_bytes_(max_bytes), threads_(std::max(threads, 1u)) {
    for (unsigned i = 0; i < threads_; ++i) workers_.push_back(std::make_unique<Worker>());
}

TitleCounter::~TitleCounter() = default;

void TitleCounter::parts(std::string_view word, Columns& columns) {
    std::string edged;
    edged.reserve(word.size() + 2);
    edged.append(1, ' ').append(word).append(1, ' ');
    std::size_t starts[kLetters + 1] = {};  // of the last letters
    std::size_t letters = 0, at = 0;
    while (at < edged.size()) {
        at += letter(edged, at);
        ++letters;
        std::rotate(starts, starts + 1, starts + kLetters + 1);
        starts[kLetters] = at;
        if (letters >= kLetters)
            columns.push_back(static_cast<std::uint16_t>(
                xxh3(std::string_view(edged).substr(starts[0], at - starts[0])) % kWidth));
    }
    if (letters < kLetters) columns.push_back(static_cast<std::uint16_t>(xxh3(edged) % kWidth));
}

std::vector<std::string> TitleCounter::unknown(std::span<const std::string_view> titles) const {
    std::vector<std::string> found;
    std::unordered_map<std::string, bool> met;
    const Tokenizer tokenize(classes_, max_bytes_);
    for (const auto title : titles) {
        if (is_ascii(title)) continue;
        tokenize(title, [&](std::string_view form) {
            if (is_ascii(form)) return;
            std::string own(form);
            if (known_.contains(own) || !met.try_emplace(own, true).second) return;
            found.push_back(std::move(own));
        });
    }
    return found;
}

void TitleCounter::know(std::string form, std::span<const std::string_view> words) {
    Columns columns;
    for (const auto word : words) parts(word, columns);
    known_.insert_or_assign(std::move(form), std::move(columns));
}

void TitleCounter::add_title(Worker& worker, std::string_view title, CountArrays& rows) const {
    if (worker.words.read(title)) {
        const auto add_all = [&](auto& maker) {
            worker.words.each(max_bytes_, [&](std::string_view form) { add_ascii(maker, form); });
            maker.end_row(rows);
        };
        if (title.size() <= ShortRow::kMost) return add_all(worker.short_row);
        worker.maker.set_width(kWidth);
        return add_all(worker.maker);
    }
    worker.maker.set_width(kWidth);
    Tokenizer(classes_, max_bytes_)(title, [&](std::string_view form) {
        if (is_ascii(form)) {
            add_ascii(worker.maker, form);
            return;
        }
        const auto found = known_.find(std::string(form));
        if (found == known_.end()) throw std::logic_error("a word of a title is not known");
        for (const auto column : found->second) worker.maker.add(column, 1);
    });
    worker.maker.end_row(rows);
}

void TitleCounter::add_some(Worker& worker, std::span<const std::string_view> titles, CountArrays& rows) const {
    for (std::size_t i = 0; i < titles.size(); ++i) {
        if (i + kSoon < titles.size()) fetch(titles[i + kSoon]);
        add_title(worker, titles[i], rows);
    }
}

void TitleCounter::add(std::span<const std::string_view> titles) {
    const auto blocks = (titles.size() + kBlock - 1) / kBlock;
    if (threads_ == 1 || blocks <= 1) return add_some(*workers_.front(), titles, rows_);
    std::vector<CountArrays> made(blocks);
    std::atomic<std::size_t> next{0};
    parallel(std::min(workers_.size(), blocks), threads_, [&](std::size_t w) {
        for (auto b = next++; b < blocks; b = next++)
            add_some(*workers_[w], titles.subspan(b * kBlock, std::min(kBlock, titles.size() - b * kBlock)), made[b]);
    });
    for (const auto& rows : made) append_rows(rows_, rows);
}

CountArrays TitleCounter::drain() { return std::exchange(rows_, CountArrays{}); }

std::size_t TitleCounter::memory() const {
    return (rows_.starts.size() + rows_.more.size() + rows_.columns.size()) * 4 + rows_.counts.size();
}

}  // namespace likewise
