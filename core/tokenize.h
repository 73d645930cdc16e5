// Splitting text into forms: runs of word characters, ASCII letters in lower case; runs of CJK
// characters as overlapping pairs. What depends on language happens later, once per distinct form.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace likewise {

enum Class : std::uint8_t { kSeparator = 0, kWord = 1, kCjk = 2 };

constexpr std::size_t kMaxForm = 255;  // bytes; the buffer below is this long and a word more

class Tokenizer {
public:
    // `classes` has one entry a code point; until given, only ASCII text may come.
    Tokenizer(std::span<const std::uint8_t> classes, std::size_t max_bytes);

    // Calls emit(std::string_view) for each form in order. The text is valid UTF-8.
    template <class Emit>
    void operator()(std::string_view text, Emit&& emit) const;

private:
    static constexpr std::uint8_t kBeyondAscii = 0xFF;

    // Reads the code point at text[at] and moves `at` behind it.
    static std::uint32_t decode(std::string_view text, std::size_t& at);

    std::span<const std::uint8_t> classes_;
    std::size_t max_bytes_;
    std::array<std::uint8_t, 256> fold_{};  // a word byte in lower case, 0, or kBeyondAscii
};

inline std::uint32_t Tokenizer::decode(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i])); };
    const std::uint32_t lead = byte(0);
    std::uint32_t code;
    if (lead < 0xE0) {
        code = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
        at += 2;
    } else if (lead < 0xF0) {
        code = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
        at += 3;
    } else {
        code = (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
        at += 4;
    }
    return code;
}

template <class Emit>
void Tokenizer::operator()(std::string_view text, Emit&& emit) const {
    char form[kMaxForm + 1];
    std::size_t size = 0;          // of the form so far; beyond max_bytes_ it is dropped
    std::string_view last_cjk;     // the CJK character just before, if any
    bool lone = false;             // and whether it stands in no pair yet
    const auto end_word = [&] {
        if (size > 0 && size <= max_bytes_) emit(std::string_view(form, size));
        size = 0;
    };
    const auto end_cjk = [&] {
        if (lone) emit(last_cjk);
        last_cjk = {};
        lone = false;
    };
    const auto take = [&](char c) {
        if (size < max_bytes_) form[size] = c;
        ++size;
    };
    std::size_t at = 0;
    while (at < text.size()) {
        const auto folded = fold_[static_cast<unsigned char>(text[at])];
        if (folded != 0 && folded != kBeyondAscii) [[likely]] {
            if (!last_cjk.empty()) end_cjk();
            auto word = folded;
            do {
                take(static_cast<char>(word));
                if (++at == text.size()) break;
                word = fold_[static_cast<unsigned char>(text[at])];
            } while (word != 0 && word != kBeyondAscii);
        } else if (folded == 0) {
            if (size > 0) end_word();
            if (!last_cjk.empty()) end_cjk();
            ++at;
        } else {
            const auto begin = at;
            const auto kind = classes_[decode(text, at)];
            const auto character = text.substr(begin, at - begin);
            if (kind == kCjk) {
                end_word();
                if (last_cjk.empty()) {
                    lone = true;
                } else {
                    emit(std::string_view(last_cjk.data(), last_cjk.size() + character.size()));
                    lone = false;
                }
                last_cjk = character;
            } else {
                if (!last_cjk.empty()) end_cjk();
                if (kind == kWord)
                    for (const char c : character) take(c);
                else
                    end_word();
            }
        }
    }
    end_word();
    end_cjk();
}

}  // namespace likewise
