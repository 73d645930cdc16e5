// What a text repeats most, for a dictionary that such texts are compressed with: in each of some parts the
// stretch whose short runs of bytes are most frequent in all of it, each run counting once.
// As in Liao, Petri, Moffat & Wirth, WWW 2016, whose way Zstandard's own trainer goes as well.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace likewise {

// So many bytes of the text, or fewer where it is short; the best ones last, where they are nearest to what
// follows a dictionary.
std::string most_repeated(std::string_view text, std::size_t size);

}  // namespace likewise
