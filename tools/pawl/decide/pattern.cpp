// pattern.cpp -- see pattern.hpp.
#include "decide/pattern.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <utility>

namespace pawl::decide {
namespace {

constexpr std::size_t kSearched = 1000;  // characters of a name; std::regex recurses about 100 bytes of stack for each
constexpr std::string_view kMeta = "\\^$.|?*+()[]{}", kClasses = "dDwWsSbB";

// How often what stands before `at` may come: {3} three times, {2,}, + and * any number of times.
struct Times {
  bool varies = false;
  std::size_t fixed = 1;
};

Times times_at(std::string_view expression, std::size_t at) {
  if (at >= expression.size()) return {};
  const char c = expression[at];
  if (c == '*' || c == '+') return {.varies = true};
  if (c != '{') return {};
  const std::string_view bounds = expression.substr(at + 1, expression.find('}', at) - at - 1);
  if (bounds.find(',') != std::string_view::npos) return {.varies = true};
  constexpr std::size_t kMany = 1'000'000;  // beyond it std::regex gives up, and so may counting
  std::size_t fixed = 0;
  for (const char digit : bounds) {
    if (digit >= '0' && digit <= '9') fixed = std::min(kMany, fixed * 10 + static_cast<std::size_t>(digit - '0'));
  }
  return {.fixed = fixed};
}

// \c takes the character behind its letter along, a bracket too.
std::size_t escape_length(std::string_view expression, std::size_t at) {
  return at + 1 < expression.size() && expression[at + 1] == 'c' ? 3 : 2;
}

// Past the end of the bracket expression that begins at `at`. In ECMAScript [] and [^] are complete.
std::size_t skip_brackets(std::string_view expression, std::size_t at) {
  std::size_t i = at + 1;
  if (i < expression.size() && expression[i] == '^') ++i;
  while (i < expression.size() && expression[i] != ']') {
    const char c = expression[i], next = i + 1 < expression.size() ? expression[i + 1] : ' ';
    if (c == '[' && (next == ':' || next == '.' || next == '=')) {  // [:lower:], whose ] ends nothing
      const char end[] = {next, ']'};
      i = std::min(expression.find(std::string_view(end, 2), i + 2), expression.size() - 2) + 2;
    } else {
      i += c == '\\' ? escape_length(expression, i) : 1;
    }
  }
  return std::min(i + 1, expression.size());
}

// A repeated group that holds a repetition or alternatives can match one text in exponentially many ways. {n} stands
// for n copies, and a few of them are as harmless as they are written out: ([^/]+/){3}.
bool explosive(std::string_view expression) {
  constexpr std::size_t kCopies = 10;  // 2^10 ways to match (a?){10}
  struct Group {
    bool risky = false;
    std::size_t copies = 0;  // of risky groups inside it
  };
  std::vector<Group> open(1);  // the whole expression first
  bool quantified = false;     // what came last is a quantifier
  for (std::size_t i = 0; i < expression.size();) {
    const char c = expression[i];
    const bool again = std::exchange(quantified, c == '*' || c == '+' || c == '?' || c == '{');
    if (c == '\\') {
      i += escape_length(expression, i);
    } else if (c == '[') {
      i = skip_brackets(expression, i);
    } else if (c == '(') {
      open.emplace_back();
      ++i;
      if (i < expression.size() && expression[i] == '?') i += 2;  // (?: (?= (?!
    } else if (c == ')') {
      const Group inside = open.back();
      if (open.size() > 1) open.pop_back();
      ++i;
      const Times times = times_at(expression, i);
      if (inside.risky && times.varies) return true;
      if (inside.risky && (times.fixed > 1 || inside.copies > 0))
        open.back().copies += times.fixed * std::max<std::size_t>(inside.copies, 1);
      if (open.back().copies > kCopies) return true;
      open.back().risky = open.back().risky || inside.risky || times.varies;
    } else {
      if (again && quantified && c != '?') return true;  // a*+, which std::regex takes for (a*)+
      if (c == '|' || c == '?' || times_at(expression, i).varies) open.back().risky = true;
      i = c == '{' ? std::min(expression.find('}', i), expression.size()) + 1 : i + 1;
    }
  }
  return false;
}

// The longest run of plain characters in each top-level alternative; empty if one of them has none, or is not known.
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
    if (c == '\\') {  // \/ or \. is that character, \d one of many; \x2f and \12 are not known here
      const char next = i + 1 < expression.size() ? expression[i + 1] : ' ';
      const bool itself = kMeta.find(next) != std::string_view::npos || next == '/' || next == '-';
      if (!itself && kClasses.find(next) == std::string_view::npos) return {};
      if (depth == 0 && itself)
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
    } else if (c == '?' || c == '*' || c == '+' || c == '{') {  // what stands before it may be absent, in b+?? too
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
    // Typed as for a shell; the library speaks of parentheses.
    if (expression.find_first_of("*+?") == 0)
      throw std::invalid_argument(std::string("nothing stands before the ") + expression[0] + "; any text is .*");
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
