// A library that Python has loaded: its functions are looked up by name, so no header is needed to build.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>

namespace likewise {

class Loaded {
public:
    explicit Loaded(const std::string& path)
        : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD)) {  // never closed: Python has it, too
        if (handle_ == nullptr) throw std::runtime_error("the library is not loaded");
    }

    template <class Function>
    void find(const char* name, Function& function) const {
        if (!look_for(name, function)) throw std::runtime_error(std::string("the library lacks ") + name);
    }

    // Whether it is there.
    template <class Function>
    bool look_for(const char* name, Function& function) const {
        function = reinterpret_cast<Function>(dlsym(handle_, name));
        return function != nullptr;
    }

private:
    void* handle_;
};

// An object that a library made, with the function that frees it: kept by value, for a thread may end after what
// knows the library's functions is gone.
using FreeFunction = std::size_t (*)(void*);
using Owned = std::unique_ptr<void, FreeFunction>;

// Where nothing was made, there was no memory.
inline Owned owned(void* object, FreeFunction free) {
    if (object == nullptr) throw std::bad_alloc();
    return {object, free};
}

// The functions of one kind that a library has, looked up once.
template <class Functions>
const Functions& functions_of(const std::string& path) {
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<Functions>> known;
    const std::lock_guard lock(mutex);
    auto& found = known[path];
    if (!found) found = std::make_unique<Functions>(Loaded(path));
    return *found;
}

}  // namespace likewise
