// encoding.hpp -- bytes of any of the encodings that results come in -> UTF-8.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::read {

enum class Encoding { utf8, utf8_bom, utf16_le, utf16_be };

/// By the byte order mark, else by where the zero bytes of the first character are.
Encoding detect_encoding(std::string_view bytes);

/// UTF-16 without its mark -> UTF-8. Lone surrogates and a last odd byte become U+FFFD. At most 1.5 times the size.
std::string utf16_to_utf8(std::string_view bytes, bool big_endian);

void append_utf8(std::string& out, char32_t code_point);

/// The length of the valid UTF-8 sequence that starts at `at` (no overlong form, surrogate or code point beyond
/// U+10FFFF); 0 if there is none.
std::size_t utf8_sequence(const char* at, const char* end);

/// What a byte that is no UTF-8 means in Windows-1252, which holds Latin-1; U+FFFD for its five holes.
char32_t windows_1252(unsigned char byte);

/// The visible picture of a control character (U+2400 + code, U+2421 for DEL): a terminal does not obey it, and XML and
/// JSON can hold it.
char32_t control_picture(unsigned char control);

/// The start of `text` for a message: valid UTF-8 in one line, control characters as pictures, about `longest` bytes.
std::string excerpt(std::string_view text, std::size_t longest);

}  // namespace pawl::read
