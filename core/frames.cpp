#include "frames.h"

#include <memory>
#include <stdexcept>

#include "loaded.h"
#include "require.h"

namespace likewise {

namespace {

constexpr std::size_t kRoom = 64 << 10;  // for a piece behind the dictionary
constexpr int kAttach = 1001, kCopy = 2;  // ZSTD_c_forceAttachDict, ZSTD_dictForceCopy

}  // namespace

// Of the library's interface, https://facebook.github.io/zstd/zstd_manual.html; `refer` is of the part that
// may change, and what is done with it a mere matter of time.
struct Frames::Library {
    void* (*create)();
    FreeFunction free;
    std::size_t (*set)(void*, int, int);
    std::size_t (*load)(void*, const void*, std::size_t);
    std::size_t (*refer)(void*, const void*, std::size_t) = nullptr;
    std::size_t (*compress)(void*, void*, std::size_t, const void*, std::size_t);
    std::size_t (*bound)(std::size_t);
    unsigned (*is_error)(std::size_t);
    const char* (*name_of)(std::size_t);

    explicit Library(const Loaded& found) {
        found.find("ZSTD_createCCtx", create);
        found.find("ZSTD_freeCCtx", free);
        found.find("ZSTD_CCtx_setParameter", set);
        found.find("ZSTD_CCtx_loadDictionary", load);
        found.look_for("ZSTD_CCtx_loadDictionary_byReference", refer);
        found.find("ZSTD_compress2", compress);
        found.find("ZSTD_compressBound", bound);
        found.find("ZSTD_isError", is_error);
        found.find("ZSTD_getErrorName", name_of);
    }
};

// What one thread compresses with. A piece that lies right behind the dictionary is to the library a text
// that goes on: it looks for what is repeated in one table, a copy of the dictionary's, instead of in two.
struct Frames::Context {
    const Library& library;
    std::string dictionary;  // and the room behind it; empty where pieces stay where they are
    std::size_t begin = 0;   // of the room
    Owned compressor;        // refers to the dictionary

    explicit Context(const Library& l) : library(l), compressor(owned(l.create(), l.free)) {}

    // False where the library cannot do it.
    bool make_room(const std::string& wanted) {
        if (library.refer == nullptr || library.is_error(library.set(compressor.get(), kAttach, kCopy)) != 0) return false;
        dictionary = wanted;
        begin = wanted.size();
        dictionary.resize(begin + kRoom);
        return true;
    }

    std::string_view placed(std::string_view piece) {
        if (dictionary.empty() || piece.size() > kRoom) return piece;
        piece.copy(dictionary.data() + begin, piece.size());
        return std::string_view(dictionary).substr(begin, piece.size());
    }
};

// A context for one thread, which goes back when it is not needed any more.
class Frames::Borrowed {
public:
    explicit Borrowed(Frames& frames) : frames_(frames) {
        {
            const std::lock_guard lock(frames_.mutex_);
            if (!frames_.idle_.empty()) {
                context = std::move(frames_.idle_.back());
                frames_.idle_.pop_back();
            }
        }
        if (!context) context = frames_.new_context();
    }
    ~Borrowed() {
        const std::lock_guard lock(frames_.mutex_);
        frames_.idle_.push_back(std::move(context));
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;

    std::unique_ptr<Context> context;

private:
    Frames& frames_;
};

Frames::Frames(const std::string& library, std::vector<Option> options, std::string dictionary)
    : library_(functions_of<Library>(library)), options_(std::move(options)), dictionary_(std::move(dictionary)) {
    const Borrowed first(*this);  // refuses options that the library does not know
}

Frames::~Frames() = default;

std::size_t Frames::checked(std::size_t result) const {
    if (library_.is_error(result) != 0) throw std::runtime_error(library_.name_of(result));
    return result;
}

std::unique_ptr<Frames::Context> Frames::new_context() const {
    auto context = std::make_unique<Context>(library_);
    auto* const compressor = context->compressor.get();
    for (const auto& [option, value] : options_) checked(library_.set(compressor, option, value));
    if (dictionary_.empty()) return context;
    if (context->make_room(dictionary_))
        checked(library_.refer(compressor, context->dictionary.data(), context->begin));
    else
        checked(library_.load(compressor, dictionary_.data(), dictionary_.size()));
    return context;
}

std::vector<std::uint32_t> Frames::compress(std::string_view text, std::span<const std::int64_t> stops, std::string& out) {
    std::vector<std::uint32_t> sizes;
    if (stops.empty()) return sizes;
    std::int64_t before = stops.front();
    require(before >= 0 && stops.back() <= static_cast<std::int64_t>(text.size()), "a stop is beyond the text");
    const Borrowed borrowed(*this);
    auto& context = *borrowed.context;
    out.reserve(out.size() + text.size() / 2);
    for (const auto stop : stops.subspan(1)) {
        require(stop >= before && stop <= static_cast<std::int64_t>(text.size()), "stops must ascend");
        const auto piece = context.placed(
            text.substr(static_cast<std::size_t>(before), static_cast<std::size_t>(stop - before)));
        const auto begin = out.size(), room = library_.bound(piece.size());
        out.resize(begin + room);
        auto* const to = out.data() + begin;
        const auto size = checked(library_.compress(context.compressor.get(), to, room, piece.data(), piece.size()));
        out.resize(begin + size);
        sizes.push_back(static_cast<std::uint32_t>(size));
        before = stop;
    }
    return sizes;
}

}  // namespace likewise
