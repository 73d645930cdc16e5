// Strings numbered in order of arrival, found again by hash: forms, and the terms they stand for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace likewise {

inline std::uint64_t mix(std::uint64_t h) {
    h ^= h >> 32;
    h *= 0x9E3779B97F4A7C15ull;
    return h ^ (h >> 29);
}

template <class Word>
Word load(const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

// The first eight bytes as a number, zeros behind a shorter string; reads nothing beyond it.
inline std::uint64_t head(std::string_view s) {
    const auto size = s.size();
    const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(s[i])} << (8 * i); };
    if (size >= 8) return load<std::uint64_t>(s.data());
    if (size >= 4)
        return load<std::uint32_t>(s.data()) |
               std::uint64_t{load<std::uint32_t>(s.data() + size - 4)} << (8 * (size - 4));
    return size == 0 ? 0 : byte(0) | byte(size / 2) | byte(size - 1);
}

inline std::uint64_t hash(std::string_view s, std::uint64_t first) {
    std::uint64_t h = mix(first + 0x632BE59BD9B4E019ull * (s.size() + 1));
    if (s.size() > 8) {
        for (std::size_t at = 8; at + 8 < s.size(); at += 8)
            h = mix(h ^ (load<std::uint64_t>(s.data() + at) * 0xD6E8FEB86659FD93ull));
        h = mix(h ^ (load<std::uint64_t>(s.data() + s.size() - 8) * 0xD6E8FEB86659FD93ull));
    }
    return h;
}

class Strings {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

    Strings() { rehash(1024); }

    std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size()); }
    std::string_view operator[](std::uint32_t number) const {
        const auto begin = number == 0 ? 0 : ends_[number - 1];
        return {text_.data() + begin, static_cast<std::size_t>(ends_[number] - begin)};
    }
    const std::string& text() const { return text_; }
    const std::vector<std::uint64_t>& ends() const { return ends_; }

    // A string with what finding it takes.
    struct Key {
        std::string_view text;
        std::uint64_t head, hash;
        explicit Key(std::string_view s) : text(s), head(likewise::head(s)), hash(likewise::hash(s, head)) {}
    };

    // Brings the place where the string must be into the cache: a look-up is one miss otherwise.
    void prefetch(const Key& key) const { __builtin_prefetch(&slots_[key.hash & mask_]); }

    // The string's number and whether it is new.
    std::pair<std::uint32_t, bool> add(const Key& key) {
        if ((ends_.size() + 1) * 2 > slots_.size()) rehash(slots_.size() * 2);
        const auto tag = tag_of(key);
        for (auto at = key.hash & mask_;; at = (at + 1) & mask_) {
            Slot& slot = slots_[at];
            if (slot.number == kNone) {
                slot = {key.head, tag, size()};
                text_.append(key.text);
                ends_.push_back(text_.size());
                return {slot.number, true};
            }
            if (slot.tag == tag && slot.head == key.head && same_rest(slot.number, key.text))
                return {slot.number, false};
        }
    }
    std::pair<std::uint32_t, bool> add(std::string_view s) { return add(Key(s)); }

private:
    // The first bytes stand in the slot, so that most look-ups touch one cache line.
    struct Slot {
        std::uint64_t head = 0;
        std::uint32_t tag = 0;
        std::uint32_t number = kNone;
    };

    // Part of the hash, and the length where that is short.
    static std::uint32_t tag_of(const Key& key) {
        return static_cast<std::uint32_t>(key.hash >> 32 & 0xFFFFFF00u) |
               static_cast<std::uint32_t>(std::min<std::size_t>(key.text.size(), 255));
    }

    // Whether strings of the same head and tag are the same.
    bool same_rest(std::uint32_t number, std::string_view s) const { return s.size() <= 8 || (*this)[number] == s; }

    void rehash(std::size_t size) {
        std::vector<Slot> old(size);
        old.swap(slots_);
        mask_ = size - 1;
        for (const Slot& slot : old) {
            if (slot.number == kNone) continue;
            auto at = Key((*this)[slot.number]).hash & mask_;
            while (slots_[at].number != kNone) at = (at + 1) & mask_;
            slots_[at] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::string text_;
    std::vector<std::uint64_t> ends_;
};

}  // namespace likewise
