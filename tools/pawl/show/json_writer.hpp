// json_writer.hpp -- values, one after another -> JSON text.
//
// Why not nlohmann-json's dump: results of a million rows are written piece by piece, without a tree of them in memory,
// and laid out so that a line-based diff of two baselines shows which benchmark changed.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::show {

enum class Layout { lines, one_line };

/// Appends to `out`, which the caller may empty between calls. Members and elements of a container begun with
/// Layout::lines stand on a line each; whatever is in a one-line container stays on its line.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object(Layout layout = Layout::lines) { begin('{', layout); }
  void end_object() { end('}'); }
  void begin_array(Layout layout = Layout::lines) { begin('[', layout); }
  void end_array() { end(']'); }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool truth) { token(truth ? "true" : "false"); }
  void value(double number);  ///< the shortest text that reads back as the same bits; null if it is not finite
  void value(std::integral auto number) { token(std::to_string(number)); }
  void null() { token("null"); }

  template <class T>
  void member(std::string_view name, const T& what) {
    key(name);
    value(what);
  }

 private:
  struct Level {
    Layout layout;
    bool empty;
  };
  void begin(char bracket, Layout layout);
  void end(char bracket);
  void token(std::string_view text);
  void separate();

  std::string& out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

/// Appends `text` quoted and escaped: control characters and DEL as \u00XX, bytes that are no UTF-8 as U+FFFD.
void append_json_string(std::string& out, std::string_view text);

}  // namespace pawl::show
