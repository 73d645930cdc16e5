// Titles in, rows of their parts out: each four letters in a row of each word, its edges included, have a
// column by their hash. Words of ASCII letters are taken as they are; what others stand for is asked for.
// Threads share the titles of a call; rows stand in the titles' order.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "csr.h"
#include "tokenize.h"

namespace likewise {

class TitleCounter {
public:
    static constexpr std::size_t kWidth = 1 << 16;  // columns

    explicit TitleCounter(std::size_t max_bytes, unsigned threads = 1);
    ~TitleCounter();
    TitleCounter(const TitleCounter&) = delete;
    TitleCounter& operator=(const TitleCounter&) = delete;

    void set_classes(std::vector<std::uint8_t> classes) { classes_ = std::move(classes); }
    bool has_classes() const { return !classes_.empty(); }

    // The forms of these titles that are not ASCII and not known yet, each once.
    std::vector<std::string> unknown(std::span<const std::string_view> titles) const;
    // A form stands for these words.
    void know(std::string form, std::span<const std::string_view> words);
    // A row for each title; all its forms must be known.
    void add(std::span<const std::string_view> titles);

    CountArrays drain();
    std::size_t memory() const;

private:
    using Columns = std::vector<std::uint16_t>;

    struct Worker;

    static void parts(std::string_view word, Columns& columns);
    void add_title(Worker& worker, std::string_view title, CountArrays& rows) const;
    void add_some(Worker& worker, std::span<const std::string_view> titles, CountArrays& rows) const;

    std::size_t max_bytes_;
    unsigned threads_;
    std::vector<std::uint8_t> classes_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::unordered_map<std::string, Columns> known_;
    CountArrays rows_;
};

}  // namespace likewise
