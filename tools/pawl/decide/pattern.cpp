// pattern.cpp -- see pattern.hpp.
#include "decide/pattern.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>

namespace pawl::decide {
namespace {

constexpr std::size_t kSearched = 1000;  // characters of a name; std::regex recurses about 100 bytes of stack for each
constexpr std::string_view kMeta = "\\^$.|?*+()[]{}";

bool repeats(std::string_view expression, std::size_t at) {
  if (at >= expression.size()) return false;
  const char c = expression[at];
  if (c == '*' || c == '+') return true;
  if (c != '{') return false;
  // {2} repeats a fixed number of times, {2,} and {2,9} do not.
  return expression.substr(at, expression.find('}', at) - at).find(',') != std::string_view::npos;
}

// Past the end of the bracket expression that begins at `at`.
std::size_t skip_brackets(std::string_view expression, std::size_t at) {
  std::size_t i = at + 1;
  if (i < expression.size() && expression[i] == '^') ++i;
  if (i < expression.size() && expression[i] == ']') ++i;
  while (i < expression.size() && expression[i] != ']') i += expression[i] == '\\' ? 2 : 1;
  return std::min(i + 1, expression.size());
}

// A repeated group that holds a repetition or alternatives can match one text in exponentially many ways.
bool explosive(std::string_view expression) {
  std::vector<bool> risky;  // for each open group
  for (std::size_t i = 0; i < expression.size();) {
    const char c = expression[i];
    if (c == '\\') {
      i += 2;
    } else if (c == '[') {
      i = skip_brackets(expression, i);
    } else if (c == '(') {
      risky.push_back(false);
      ++i;
      if (i < expression.size() && expression[i] == '?') i += 2;  // (?: (?= (?!
    } else if (c == ')') {
      const bool inside = !risky.empty() && risky.back();
      if (!risky.empty()) risky.pop_back();
      ++i;
      const bool repeated = repeats(expression, i);
      if (repeated && inside) return true;
      if (!risky.empty() && (inside || repeated)) risky.back() = true;
    } else {
      if (!risky.empty() && (c == '|' || c == '?' || repeats(expression, i))) risky.back() = true;
      ++i;
    }
  }
  return false;
}

// The longest run of plain characters in each top-level alternative; empty if one of them has none.
std::vector<std::string> required_texts(std::string_view expression) {
  std::vector<std::string> out;
  std::string run, best;
  const auto close_run = [&] {
    if (run.size() > best.size()) best = run;
    run.clear();
  };
  std::size_t depth = 0;
  for (std::size_t i = 0; i < expression.size();) {
    const char c = expression[i];
    if (c == '[') {
      close_run();
      i = skip_brackets(expression, i);
      continue;
    }
    if (c == '\\') {  // \/ or \. is that character, \d or \1 is not known here
      const char next = i + 1 < expression.size() ? expression[i + 1] : 'd';
      if (depth == 0 && (kMeta.find(next) != std::string_view::npos || next == '/' || next == '-'))
        run.push_back(next);
      else
        close_run();
      i += 2;
      continue;
    }
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
    if (c == '|' && depth == 0) {
      close_run();
      if (best.empty()) return {};
      out.push_back(std::move(best));
      best.clear();
    } else if (c == '?' || c == '*' || c == '{') {  // what stands before it may be absent
      if (!run.empty()) run.pop_back();
      close_run();
      if (c == '{') i = std::min(expression.find('}', i), expression.size() - 1);
    } else if (depth > 0 || kMeta.find(c) != std::string_view::npos) {
      close_run();
    } else {
      run.push_back(c);
    }
    ++i;
  }
  close_run();
  if (best.empty()) return {};
  out.push_back(std::move(best));
  return out;
}

}  // namespace

struct Pattern::Compiled {
  std::regex regex;
};

Pattern::Pattern(const std::string& expression)
    : plain_(expression.find_first_of(kMeta) == std::string::npos), text_(expression) {
  if (plain_) return;
  if (explosive(expression))
    throw std::invalid_argument(
        "it repeats a group that itself holds a repetition or alternatives, so that a search could take for ever");
  try {
    compiled_ =
        std::make_shared<Compiled>(Compiled{std::regex(expression, std::regex::ECMAScript | std::regex::optimize)});
  } catch (const std::regex_error& error) {
    throw std::invalid_argument(error.what());
  }
  required_ = required_texts(expression);
}

std::optional<std::size_t> Pattern::match_length(std::string_view name) const {
  name = name.substr(0, kSearched);
  if (plain_) return name.find(text_) == std::string_view::npos ? std::nullopt : std::optional(text_.size());
  if (!required_.empty() && std::none_of(required_.begin(), required_.end(), [&](const std::string& text) {
        return name.find(text) != std::string_view::npos;
      }))
    return std::nullopt;
  std::cmatch match;
  if (!std::regex_search(name.data(), name.data() + name.size(), match, compiled_->regex)) return std::nullopt;
  return static_cast<std::size_t>(match.length());
}

std::string Pattern::replaced(const std::string& name, const std::string& text) const {
  if (name.size() > kSearched) return name;
  if (!plain_) {
    std::string literal;  // a $ in the text is meant as it is
    for (const char c : text) literal += c == '$' ? "$$" : std::string(1, c);
    return std::regex_replace(name, compiled_->regex, literal);
  }
  if (text_.empty()) return name;
  std::string out;
  std::size_t from = 0;
  for (std::size_t at; (at = name.find(text_, from)) != std::string::npos; from = at + text_.size())
    out.append(name, from, at - from).append(text);
  return out.append(name, from);
}

}  // namespace pawl::decide
