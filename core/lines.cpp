#include "lines.h"

#include <algorithm>
#include <bit>

#include "dispatch.h"
#include "load.h"

namespace likewise {

namespace {

constexpr std::size_t kMostKeys = 200;
constexpr int kDeepest = 64;
constexpr std::ptrdiff_t kLongestNumber = 18;  // more digits may be beyond what others read
constexpr std::ptrdiff_t kBlock = 32;          // bytes of a string that are looked at together
constexpr std::uint64_t kOnes = 0x0101010101010101ull, kHighs = 0x8080808080808080ull;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex(char c) {
    if (is_digit(c)) return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Four hexadecimal digits, or -1.
int code_unit(const char* at, const char* end) {
    if (end - at < 4) return -1;
    int unit = 0;
    for (int i = 0; i < 4; ++i) {
        const int digit = hex(at[i]);
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

bool is_high(int unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(int unit) { return unit >= 0xDC00 && unit < 0xE000; }

// Of eight bytes, the highest bit of the first that is a quote, a backslash, a control character or not
// ASCII; bits of later ones may be set as well.
std::uint64_t special(std::uint64_t word) {
    const auto quotes = word ^ (kOnes * '"'), slashes = word ^ (kOnes * '\\');
    const auto found = ((quotes - kOnes) & ~quotes) | ((slashes - kOnes) & ~slashes) | (word - kOnes * 0x20) | word;
    return found & kHighs;
}

// Moves `at` behind blocks of bytes of which none is such a one.
LIKEWISE_DISPATCH(skip_plain, (const char*& at, const char* end), {
    for (; end - at >= kBlock; at += kBlock) {
        std::uint8_t any = 0;
        for (std::ptrdiff_t i = 0; i < kBlock; ++i) {
            const auto c = static_cast<std::uint8_t>(at[i]);
            const bool outside = static_cast<std::uint8_t>(c - 0x20) >= 0x60;
            any = static_cast<std::uint8_t>(any | outside | (c == '"') | (c == '\\'));
        }
        if (any != 0) return;
    }
})

// The bytes of a valid character that begins with one that is not ASCII, or 0.
std::size_t wide(const char* at, const char* end) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at[i]); };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    const auto left = static_cast<std::size_t>(end - at);
    const auto lead = byte(0);
    if (lead >= 0xC2 && lead < 0xE0) return left >= 2 && follows(1) ? 2 : 0;
    if (lead >= 0xE0 && lead < 0xF0) {
        if (left < 3 || !follows(1) || !follows(2)) return 0;
        if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) >= 0xA0)) return 0;
        return 3;
    }
    if (lead >= 0xF0 && lead < 0xF5) {
        if (left < 4 || !follows(1) || !follows(2) || !follows(3)) return 0;
        if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) >= 0x90)) return 0;
        return 4;
    }
    return 0;
}

void append_utf8(std::uint32_t code, std::string& out) {
    const auto add = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0 | code >> 6);
        add(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        add(0xE0 | code >> 12);
        add(0x80 | (code >> 6 & 0x3F));
        add(0x80 | (code & 0x3F));
    } else {
        add(0xF0 | code >> 18);
        add(0x80 | (code >> 12 & 0x3F));
        add(0x80 | (code >> 6 & 0x3F));
        add(0x80 | (code & 0x3F));
    }
}

}  // namespace

// Each function moves `at` behind what it reads, and says whether that was there.
class LineScanner {
public:
    explicit LineScanner(std::string_view text) : at_(text.data()), end_(at_ + text.size()), begin_(at_) {
        lines_.text_ = text;
    }

    std::optional<Lines> operator()() {
        while (at_ < end_) {
            if (!line()) return {};
            lines_.ends_.push_back(static_cast<std::uint64_t>(at_ - begin_));
        }
        for (auto& values : lines_.values_) values.resize(lines_.size());
        return std::move(lines_);
    }

private:
    void skip_space() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
    }
    bool take(char wanted) { return at_ < end_ && *at_ == wanted ? (++at_, true) : false; }

    bool line() {
        if (!take('{')) return false;
        skip_space();
        if (take('}')) return take('\n');
        for (std::size_t n = 0;; ++n) {
            std::size_t key = 0;
            if (!read_key(n, key)) return false;
            skip_space();
            if (!take(':')) return false;
            skip_space();
            const auto from = at_;
            if (!value(0)) return false;
            auto& values = lines_.values_[key];
            if (values.size() > lines_.size()) return false;  // the key is there twice
            values.resize(lines_.size());
            values.push_back({static_cast<std::uint32_t>(from - begin_), static_cast<std::uint32_t>(at_ - begin_)});
            skip_space();
            if (take('}')) return take('\n');
            if (!take(',')) return false;
            skip_space();
        }
    }

    // Records of one collection are alike: the n-th key is mostly the n-th of all.
    bool read_key(std::size_t n, std::size_t& key) {
        const auto from = at_;
        if (!string()) return false;
        const std::string_view name(from + 1, static_cast<std::size_t>(at_ - from - 2));
        auto& keys = lines_.keys_;
        if (n < keys.size() && keys[n] == name) {
            key = n;
            return true;
        }
        const auto found = std::find(keys.begin(), keys.end(), name);
        key = static_cast<std::size_t>(found - keys.begin());
        if (found != keys.end()) return true;
        if (keys.size() == kMostKeys || name.find('\\') != name.npos) return false;
        keys.push_back(name);
        lines_.values_.emplace_back();
        return true;
    }

    bool value(int depth) {
        if (at_ == end_) return false;
        switch (*at_) {
        case '"': return string();
        case '{': return depth < kDeepest && object(depth);
        case '[': return depth < kDeepest && list(depth);
        case 't': return word("true");
        case 'f': return word("false");
        case 'n': return word("null");
        default: return number();
        }
    }

    bool word(std::string_view wanted) {
        if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(wanted)) return false;
        at_ += wanted.size();
        return true;
    }

    bool digits() {
        const auto from = at_;
        while (at_ < end_ && is_digit(*at_)) ++at_;
        return at_ > from;
    }

    bool number() {
        const auto from = at_;
        take('-');
        if (!take('0') && !digits()) return false;
        if (take('.') && !digits()) return false;
        if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) return false;  // may be beyond a double's range
        return at_ - from <= kLongestNumber;
    }

    bool list(int depth) {
        ++at_;
        skip_space();
        if (take(']')) return true;
        for (;;) {
            if (!value(depth + 1)) return false;
            skip_space();
            if (take(']')) return true;
            if (!take(',')) return false;
            skip_space();
        }
    }

    bool object(int depth) {
        ++at_;
        skip_space();
        if (take('}')) return true;
        for (;;) {
            if (at_ == end_ || *at_ != '"' || !string()) return false;
            skip_space();
            if (!take(':')) return false;
            skip_space();
            if (!value(depth + 1)) return false;
            skip_space();
            if (take('}')) return true;
            if (!take(',')) return false;
            skip_space();
        }
    }

    bool string() {
        if (!take('"')) return false;
        for (;;) {
            skip_plain(at_, end_);
            std::uint64_t eight = 0;
            for (std::uint64_t found = 0; found == 0 && end_ - at_ >= 8;) {
                eight = load<std::uint64_t>(at_);
                found = special(eight);
                at_ += found == 0 ? 8 : std::countr_zero(found) / 8;
            }
            if (at_ == end_) return false;
            const auto byte = static_cast<unsigned char>(*at_);
            if (byte == '"') {
                ++at_;
                return true;
            }
            if (byte == '\\') {
                if (!escape()) return false;
            } else if (byte < 0x20) {
                return false;
            } else if (byte < 0x80) {
                ++at_;
            } else {
                const auto size = wide(at_, end_);
                if (size == 0) return false;
                lines_.ascii_ = false;
                at_ += size;
            }
        }
    }

    bool escape() {
        ++at_;
        if (at_ == end_) return false;
        const char kind = *at_++;
        if (kind != 'u') return std::strchr("\"\\/bfnrt", kind) != nullptr && kind != '\0';
        const int unit = code_unit(at_, end_);
        if (unit < 0 || is_low(unit)) return false;
        at_ += 4;
        if (!is_high(unit)) return true;
        if (end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u' || !is_low(code_unit(at_ + 2, end_))) return false;
        at_ += 6;
        return true;
    }

    const char *at_, *end_, *begin_;
    Lines lines_;
};

std::optional<Lines> Lines::scanned(std::string_view text) {
    if (text.size() > 0xFFFFFFFFu) return {};
    return LineScanner(text)();
}

std::ptrdiff_t Lines::find(std::string_view key) const {
    const auto found = std::find(keys_.begin(), keys_.end(), key);
    return found == keys_.end() ? -1 : found - keys_.begin();
}

void unescape(std::string_view written, std::string& out) {
    for (std::size_t at = 0; at < written.size();) {
        const auto slash = std::min(written.find('\\', at), written.size());
        out.append(written, at, slash - at);
        at = slash + 2;
        if (at > written.size()) return;
        switch (const char kind = written[slash + 1]) {
        case 'b': out.push_back('\b'); break;
        case 'f': out.push_back('\f'); break;
        case 'n': out.push_back('\n'); break;
        case 'r': out.push_back('\r'); break;
        case 't': out.push_back('\t'); break;
        case 'u': {
            const char* end = written.data() + written.size();
            int code = code_unit(written.data() + at, end);
            at += 4;
            if (is_high(code)) {
                code = 0x10000 + (code - 0xD800) * 0x400 + code_unit(written.data() + at + 2, end) - 0xDC00;
                at += 6;
            }
            append_utf8(static_cast<std::uint32_t>(code), out);
            break;
        }
        default: out.push_back(kind);
        }
    }
}

}  // namespace likewise
