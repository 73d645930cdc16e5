#include "stems.h"

#include <new>
#include <stdexcept>
#include <utility>

#include "loaded.h"

namespace likewise {

// A stemmer for one thread, which goes back when it is not needed any more.
class Stems::Borrowed {
public:
    explicit Borrowed(const Stems& stems) : stems_(stems) {
        {
            const std::lock_guard lock(stems.mutex_);
            if (!stems.idle_.empty()) {
                own = stems.idle_.back();
                stems.idle_.pop_back();
            }
        }
        if (own == nullptr) own = stems.library_.create(stems.algorithm_.c_str(), "UTF_8");
        if (own == nullptr) throw std::runtime_error("the library has no such stemmer");
    }
    ~Borrowed() {
        const std::lock_guard lock(stems_.mutex_);
        stems_.idle_.push_back(own);
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    Stemmer* own = nullptr;

private:
    const Stems& stems_;
};

Stems::Stems(const std::string& library, std::string algorithm, std::span<const std::string_view> stop_words)
    : algorithm_(std::move(algorithm)) {
    const Loaded found(library);
    found.find("sb_stemmer_new", library_.create);
    found.find("sb_stemmer_delete", library_.free);
    found.find("sb_stemmer_stem", library_.stem);
    found.find("sb_stemmer_length", library_.length);
    const Borrowed first(*this);  // refuses an algorithm that there is not
    for (const auto word : stop_words) stop_.add(word);
}

Stems::~Stems() {
    for (auto* stemmer : idle_) library_.free(stemmer);
}

// Some stemmers leave nothing of a word that is all ending: it stays as it is.
void Stems::reduce(std::span<const std::string_view> words, std::span<std::string> terms) const {
    const Borrowed borrowed(*this);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto word = words[i];
        if (stop_.find(Strings::Key(word)) != Strings::kNone) {
            terms[i].clear();
            continue;
        }
        const auto* stem = library_.stem(borrowed.own, reinterpret_cast<const unsigned char*>(word.data()),
                                         static_cast<int>(word.size()));
        if (stem == nullptr) throw std::bad_alloc();
        const auto length = static_cast<std::size_t>(library_.length(borrowed.own));
        terms[i] = length == 0 ? word : std::string_view(reinterpret_cast<const char*>(stem), length);
    }
}

}  // namespace likewise
