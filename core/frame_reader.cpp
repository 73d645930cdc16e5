#include "frame_reader.h"

#include <algorithm>
#include <stdexcept>

namespace likewise {

// Of the library's interface, https://facebook.github.io/zstd/zstd_manual.html.
struct FrameReader::Library {
    void* (*create)();
    FreeFunction free;
    void* (*make_dictionary)(const void*, std::size_t);
    FreeFunction free_dictionary;
    unsigned long long (*size_of)(const void*, std::size_t);
    std::size_t (*length_of)(const void*, std::size_t);
    std::size_t (*decompress)(void*, void*, std::size_t, const void*, std::size_t, const void*);

    explicit Library(const Loaded& found) {
        found.find("ZSTD_createDCtx", create);
        found.find("ZSTD_freeDCtx", free);
        found.find("ZSTD_createDDict", make_dictionary);
        found.find("ZSTD_freeDDict", free_dictionary);
        found.find("ZSTD_getFrameContentSize", size_of);
        found.find("ZSTD_findFrameCompressedSize", length_of);
        found.find("ZSTD_decompress_usingDDict", decompress);
    }
};

FrameReader::FrameReader(const std::string& library, const std::string& dictionary)
    : library_(functions_of<Library>(library)), dictionary_(nullptr, library_.free_dictionary) {
    if (dictionary.empty()) return;
    dictionary_.reset(library_.make_dictionary(dictionary.data(), dictionary.size()));
    if (!dictionary_) throw std::runtime_error("this is no dictionary of zstd");
}

// Errors are numbers beyond all sizes.
bool FrameReader::has(std::string_view frame, std::size_t size) const {
    return library_.size_of(frame.data(), frame.size()) == size &&
           library_.length_of(frame.data(), frame.size()) == frame.size();
}

bool FrameReader::read(std::string_view frame, char* to, std::size_t size, std::size_t lines) const {
    // To make one takes as long as to read a short frame.
    thread_local Owned context(nullptr, nullptr);
    if (context.get_deleter() != library_.free) context = owned(library_.create(), library_.free);
    const auto found =
        library_.decompress(context.get(), to, size, frame.data(), frame.size(), dictionary_.get());
    if (found != size) return false;
    return size > 0 && to[size - 1] == '\n' && static_cast<std::size_t>(std::count(to, to + size, '\n')) == lines;
}

}  // namespace likewise
