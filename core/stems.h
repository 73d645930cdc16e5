// Words of ASCII letters reduced to what they are counted as, by the stemmers of Snowball, in the library
// that Python has loaded: https://snowballstem.org
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numbering.h"

namespace likewise {

class Stems {
public:
    // Throws std::runtime_error where the library has no such functions or no such stemmer.
    Stems(const std::string& library, std::string algorithm, std::span<const std::string_view> stop_words);
    ~Stems();
    Stems(const Stems&) = delete;
    Stems& operator=(const Stems&) = delete;

    // The term of a word, or nothing for a stop word; of each of some. Any thread may ask.
    void reduce(std::span<const std::string_view> words, std::span<std::string> terms) const;

private:
    struct Stemmer;
    struct Library {
        Stemmer* (*create)(const char*, const char*);
        void (*free)(Stemmer*);
        const unsigned char* (*stem)(Stemmer*, const unsigned char*, int);
        int (*length)(Stemmer*);
    };
    class Borrowed;

    Library library_;
    std::string algorithm_;
    Strings stop_;
    mutable std::mutex mutex_;
    mutable std::vector<Stemmer*> idle_;  // no two threads may share one
};

}  // namespace likewise
