// Strings numbered in order of arrival, found again by hash: forms, and the terms they stand for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "large_pages.h"
#include "load.h"

namespace likewise {

inline std::uint64_t mix(std::uint64_t h) {
    h ^= h >> 32;
    h *= 0x9E3779B97F4A7C15ull;
    return h ^ (h >> 29);
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

// The eight bytes behind these, zeros behind a shorter string.
inline std::uint64_t second(std::string_view s) {
    if (s.size() <= 8) return 0;
    if (s.size() >= 16) return load<std::uint64_t>(s.data() + 8);
    return load<std::uint64_t>(s.data() + s.size() - 8) >> (8 * (16 - s.size()));
}

// The bytes that a string of so many has: of its first eight, and of the eight behind them.
struct OwnBytes {
    std::array<std::uint64_t, 17> head{}, second{};
};
inline constexpr OwnBytes kOwnBytes = [] {
    OwnBytes masks;
    for (std::size_t size = 1; size <= 16; ++size) {
        masks.head[size] = ~std::uint64_t{0} >> (64 - 8 * std::min<std::size_t>(size, 8));
        if (size > 8) masks.second[size] = ~std::uint64_t{0} >> (64 - 8 * (size - 8));
    }
    return masks;
}();

inline std::uint64_t hash(std::string_view s, std::uint64_t first, std::uint64_t next) {
    constexpr std::uint64_t kOther = 0xD6E8FEB86659FD93ull;
    std::uint64_t h = mix(first + 0x632BE59BD9B4E019ull * (s.size() + 1) + next * kOther);
    if (s.size() > 16) {
        for (std::size_t at = 16; at + 8 < s.size(); at += 8) h = mix(h ^ load<std::uint64_t>(s.data() + at) * kOther);
        h = mix(h ^ load<std::uint64_t>(s.data() + s.size() - 8) * kOther);
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
        std::uint64_t head, second, hash;
        explicit Key(std::string_view s) : Key(s, likewise::head(s), likewise::second(s)) {}
        // Of a string that has kReadable bytes in memory, whatever its length: a branch on it would be mispredicted.
        static constexpr std::size_t kReadable = 16;
        static Key padded(std::string_view s) {
            const auto size = std::min(s.size(), kReadable);
            return {s, load<std::uint64_t>(s.data()) & kOwnBytes.head[size],
                    load<std::uint64_t>(s.data() + 8) & kOwnBytes.second[size]};
        }

    private:
        Key(std::string_view s, std::uint64_t first, std::uint64_t next)
            : text(s), head(first), second(next), hash(likewise::hash(s, first, next)) {}
    };

    // Brings the place where the string must be into the cache: a look-up is one miss otherwise.
    void prefetch(const Key& key) const { __builtin_prefetch(&slots_[key.hash & mask_]); }

    // What whoever counts notes beside a string: in which row it was met last, and where there.
    struct Note {
        std::uint32_t row = 0, place = 0;
    };
    struct Met {
        std::uint32_t number;
        bool fresh;
        Note& note;  // until another string is added
    };

    // The string's number, whether it is new, and what was noted beside it.
    Met meet(const Key& key) {
        if ((ends_.size() + 1) * 4 > slots_.size() * 3) rehash(slots_.size() * 2);
        Slot& slot = slots_[place_of(key)];
        if (slot.number != kNone) return {slot.number, false, slot.note};
        slot = {key.head, key.second, tag_of(key), size(), {}};
        text_.append(key.text);
        ends_.push_back(text_.size());
        return {slot.number, true, slot.note};
    }

    // The string's number and whether it is new.
    std::pair<std::uint32_t, bool> add(const Key& key) {
        const auto met = meet(key);
        return {met.number, met.fresh};
    }
    std::pair<std::uint32_t, bool> add(std::string_view s) { return add(Key(s)); }

    // The string's number, or kNone.
    std::uint32_t find(const Key& key) const { return slots_[place_of(key)].number; }

private:
    // The first bytes stand in the slot, so that most look-ups touch one place: half a line of the cache.
    struct alignas(32) Slot {
        std::uint64_t head = 0, second = 0;
        std::uint32_t tag = 0;
        std::uint32_t number = kNone;
        Note note;
    };

    // Part of the hash, and the length where that is short.
    static std::uint32_t tag_of(const Key& key) {
        return static_cast<std::uint32_t>(key.hash >> 32 & 0xFFFFFF00u) |
               static_cast<std::uint32_t>(std::min<std::size_t>(key.text.size(), 255));
    }

    // The slot that has the string, or the one where it belongs.
    std::size_t place_of(const Key& key) const {
        const auto tag = tag_of(key);
        for (auto at = key.hash & mask_;; at = (at + 1) & mask_) {
            const Slot& slot = slots_[at];
            if (slot.number == kNone) return at;
            if (slot.tag == tag && slot.head == key.head && slot.second == key.second && same_rest(slot.number, key.text))
                return at;
        }
    }

    // Whether strings of the same beginning and tag are the same.
    bool same_rest(std::uint32_t number, std::string_view s) const { return s.size() <= 16 || (*this)[number] == s; }

    void rehash(std::size_t size) {
        decltype(slots_) old(size);
        old.swap(slots_);
        mask_ = size - 1;
        for (const Slot& slot : old) {
            if (slot.number == kNone) continue;
            auto at = Key((*this)[slot.number]).hash & mask_;
            while (slots_[at].number != kNone) at = (at + 1) & mask_;
            slots_[at] = slot;
        }
    }

    std::vector<Slot, LargePages<Slot>> slots_;
    std::size_t mask_ = 0;
    std::string text_;
    std::vector<std::uint64_t> ends_;
};

}  // namespace likewise
