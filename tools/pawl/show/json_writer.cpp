// json_writer.cpp -- separators, indentation, escapes and numbers of JSON.
#include "show/json_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "show/text.hpp"

namespace pawl::show {

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t clean = 0;  // start of what needs no change
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
      ++i;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(i));
    if (c >= 0x80 && length > 0) {
      i += length;
      continue;
    }
    out.append(text.substr(clean, i - clean));
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (c >= 0x80) {
          out += "\xef\xbf\xbd";
        } else {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", c);
        }
    }
    clean = ++i;
  }
  out.append(text.substr(clean));
  out += '"';
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.layout == Layout::lines ? "," : ", ";
  level.empty = false;
  if (level.layout == Layout::lines) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  }
}

void JsonWriter::begin(char bracket, Layout layout) {
  separate();
  out_ += bracket;
  if (!levels_.empty() && levels_.back().layout == Layout::one_line) layout = Layout::one_line;
  levels_.push_back({layout, true});
}

void JsonWriter::end(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.layout == Layout::lines && !level.empty) {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
  }
  out_ += bracket;
  if (levels_.empty()) out_ += '\n';
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ": ";
  after_key_ = true;
}

void JsonWriter::token(std::string_view text) {
  separate();
  out_.append(text);
}

void JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
}

}  // namespace pawl::show
