#include "frame_reader.h"

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>

#include "loaded.h"

namespace likewise {

// Of the library's interface, https://facebook.github.io/zstd/zstd_manual.html.
struct FrameReader::Library {
    void* (*create)();
    std::size_t (*free)(void*);
    void* (*make_dictionary)(const void*, std::size_t);
    std::size_t (*free_dictionary)(void*);
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

// What a thread decompresses with: to make one takes as long as to read a short frame.
struct FrameReader::Context {
    const Library& library;
    void* own;

    explicit Context(const Library& l) : library(l), own(l.create()) {
        if (own == nullptr) throw std::bad_alloc();
    }
    ~Context() { library.free(own); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
};

FrameReader::FrameReader(const std::string& library, const std::string& dictionary)
    : library_(functions_of<Library>(library)) {
    if (dictionary.empty()) return;
    dictionary_ = library_.make_dictionary(dictionary.data(), dictionary.size());
    if (dictionary_ == nullptr) throw std::runtime_error("this is no dictionary of zstd");
}

FrameReader::~FrameReader() {
    if (dictionary_ != nullptr) library_.free_dictionary(dictionary_);
}

// Errors are numbers beyond all sizes.
bool FrameReader::has(std::string_view frame, std::size_t size) const {
    return library_.size_of(frame.data(), frame.size()) == size &&
           library_.length_of(frame.data(), frame.size()) == frame.size();
}

bool FrameReader::read(std::string_view frame, char* to, std::size_t size, std::size_t lines) const {
    thread_local std::unique_ptr<const Context> context;
    if (!context || &context->library != &library_) context = std::make_unique<const Context>(library_);
    if (library_.decompress(context->own, to, size, frame.data(), frame.size(), dictionary_) != size) return false;
    return size > 0 && to[size - 1] == '\n' && static_cast<std::size_t>(std::count(to, to + size, '\n')) == lines;
}

}  // namespace likewise
