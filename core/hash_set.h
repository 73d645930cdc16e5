// Hashes met so far, to tell whether one comes again; 16 to 32 bytes each.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace likewise {

class HashSet {
public:
    // Takes all of them; false where one was there already or comes twice.
    bool add(std::span<const std::uint64_t> hashes) {
        grow(size_ + hashes.size());
        bool fresh = true;
        for (const auto hash : hashes) {
            const bool taken = insert(hash);
            size_ += taken;
            fresh = fresh && taken;
        }
        return fresh;
    }

    std::size_t size() const { return size_; }

private:
    static std::uint64_t stored(std::uint64_t hash) { return hash == 0 ? 1 : hash; }  // 0 is an empty slot

    bool insert(std::uint64_t hash) {
        const auto wanted = stored(hash);
        for (auto at = wanted & mask_;; at = (at + 1) & mask_) {
            if (slots_[at] == wanted) return false;
            if (slots_[at] != 0) continue;
            slots_[at] = wanted;
            return true;
        }
    }

    void grow(std::size_t size) {
        if (2 * size <= slots_.size()) return;
        std::vector<std::uint64_t> old(std::bit_ceil(2 * size));
        old.swap(slots_);
        mask_ = slots_.size() - 1;
        for (const auto hash : old)
            if (hash != 0) insert(hash);
    }

    std::vector<std::uint64_t> slots_;
    std::size_t mask_ = 0, size_ = 0;
};

}  // namespace likewise
