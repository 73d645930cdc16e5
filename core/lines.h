// JSON objects, one a line: where each key's value is. Whatever is unusual is left to others: a scan
// that succeeds has read valid JSON, in which no key is there twice or written with escapes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace likewise {

// A value as it is written, within the text; none where it is empty.
struct Span {
    std::uint32_t begin = 0, end = 0;
    bool empty() const { return begin == end; }
};

class Lines {
public:
    // Nothing if the text is not lines of {…}, each ended by a newline, that are valid and usual.
    static std::optional<Lines> scanned(std::string_view text);

    std::size_t size() const { return ends_.size(); }
    const std::vector<std::uint64_t>& ends() const { return ends_; }
    const std::vector<std::string_view>& keys() const { return keys_; }
    // The place of a key among keys(), or -1.
    std::ptrdiff_t find(std::string_view key) const;
    std::span<const Span> values(std::size_t key) const { return values_[key]; }
    std::string_view text() const { return text_; }
    // Whether no string has a character beyond ASCII, unless it is written with an escape.
    bool is_ascii() const { return ascii_; }
    std::string_view operator[](const Span& span) const { return text_.substr(span.begin, span.end - span.begin); }

private:
    friend class LineScanner;
    std::string_view text_;
    std::vector<std::uint64_t> ends_;
    std::vector<std::string_view> keys_;
    std::vector<std::vector<Span>> values_;  // by key and line
    bool ascii_ = true;
};

// Appends what a string of JSON stands for; `written` is what a scan has read, without its quotes.
void unescape(std::string_view written, std::string& out);

}  // namespace likewise
