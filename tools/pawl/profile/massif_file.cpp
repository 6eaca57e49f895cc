// massif_file.cpp -- see massif_file.hpp.
#include "profile/massif_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace pawl::profile {
namespace {

constexpr std::string_view kRule = "#-----------";

class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }

  std::string_view next(std::string_view wanted) {
    if (done()) throw MassifError(fmt::format("it ends after line {}, where {} was to come", number_, wanted));
    ++number_;
    const std::size_t end = text_.find('\n');
    if (end == text_.npos)
      throw MassifError(fmt::format("line {} is cut off: the file was not written whole", number_));
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return line;
  }

  [[noreturn]] void refuse(std::string_view wanted, std::string_view line) const {
    throw MassifError(fmt::format("line {}: {} was to come, not '{}'", number_, wanted, line.substr(0, 60)));
  }

  /// What stands behind "key" in the next line.
  std::string_view value(std::string_view key) {
    const std::string_view line = next(key);
    if (!line.starts_with(key)) refuse(key, line);
    return line.substr(key.size());
  }

  double number(std::string_view key) {
    const std::string_view text = value(key);
    double out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size() || !(out >= 0)) refuse("a number", text);
    return out;
  }

 private:
  std::string_view text_;
  std::size_t number_ = 0;
};

// One line of a tree: "  n3: 1234 0x4005: name (place)", with the number of its children.
struct Node {
  std::size_t children = 0;
  double bytes = 0;
  std::string_view what;
};

Node node(Lines& lines) {
  const std::string_view line = lines.next("a line of the tree");
  std::string_view rest = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  Node out;
  const auto take = [&](auto& value, std::string_view before, std::string_view behind) {
    if (!rest.starts_with(before)) lines.refuse("a line of the tree", line);
    rest.remove_prefix(before.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (error != std::errc() || !rest.starts_with(behind)) lines.refuse("a line of the tree", line);
    rest.remove_prefix(behind.size());
  };
  take(out.children, "n", ": ");
  take(out.bytes, "", " ");
  out.what = rest;
  return out;
}

// "0x4005: name (place)". Names have parentheses too: a place is "file:line", or begins with "in ".
Frame frame(std::string_view what) {
  if (what.starts_with("0x"))
    if (const std::size_t colon = what.find(": "); colon != what.npos) what.remove_prefix(colon + 2);
  Frame out{std::string(what), ""};
  const std::size_t open = what.rfind(" (");
  if (open == what.npos || !what.ends_with(')')) return out;
  const std::string_view inside = what.substr(open + 2, what.size() - open - 3);
  const std::size_t colon = inside.rfind(':');
  const bool has_line = colon != inside.npos && colon + 1 < inside.size() &&
                        inside.find_first_not_of("0123456789", colon + 1) == inside.npos;
  if (!has_line && !inside.starts_with("in ")) return out;
  out.function = what.substr(0, open);
  out.place = inside;
  return out;
}

struct Tree {
  std::vector<Site> sites;
  double small_bytes = 0;
};

Tree tree(Lines& lines) {
  Tree out;
  std::vector<std::size_t> left{node(lines).children};  // children to come, of the root and each open node
  std::vector<Frame> open;                              // the open nodes but the root
  while (!left.empty()) {
    if (left.back() == 0) {
      left.pop_back();
      if (!open.empty()) open.pop_back();
      continue;
    }
    --left.back();
    const Node next = node(lines);
    if (next.children > 0) {
      open.push_back(frame(next.what));
      left.push_back(next.children);
    } else if (const bool small = next.what.starts_with("in "); small && open.empty()) {
      out.small_bytes += next.bytes;  // "in 5 places, all below massif's threshold (1.00%)"
    } else {
      out.sites.push_back({next.bytes, open});
      if (!small) out.sites.back().frames.push_back(frame(next.what));
    }
  }
  std::stable_sort(out.sites.begin(), out.sites.end(), [](const Site& a, const Site& b) { return a.bytes > b.bytes; });
  return out;
}

}  // namespace

MassifFile parse_massif(std::string_view text) {
  Lines lines(text);
  MassifFile out;
  lines.value("desc:");
  out.command = lines.value("cmd:");
  out.time_unit = lines.value("time_unit:");
  for (std::string* const field : {&out.command, &out.time_unit})
    field->erase(0, std::min(field->find_first_not_of(' '), field->size()));
  std::optional<double> detailed;  // bytes of the snapshot whose tree is kept
  bool is_peak = false;
  while (!lines.done()) {
    lines.value(kRule);
    lines.number("snapshot=");
    lines.value(kRule);
    Snapshot snapshot;
    snapshot.time = lines.number("time=");
    snapshot.heap_bytes = lines.number("mem_heap_B=");
    snapshot.extra_bytes = lines.number("mem_heap_extra_B=");
    lines.number("mem_stacks_B=");
    if (!out.snapshots.empty() && snapshot.time < out.snapshots.back().time)
      throw MassifError(fmt::format("snapshot {} is earlier than the one before it", out.snapshots.size()));
    const std::string_view kind = lines.value("heap_tree=");
    if (kind != "empty") {
      if (kind != "detailed" && kind != "peak") lines.refuse("empty, detailed or peak", kind);
      Tree found = tree(lines);
      if (kind == "peak" || (!is_peak && snapshot.heap_bytes >= detailed.value_or(0))) {
        is_peak = kind == "peak";
        detailed = snapshot.heap_bytes;
        out.sites = std::move(found.sites);
        out.small_bytes = found.small_bytes;
      }
    }
    out.snapshots.push_back(snapshot);
    if (snapshot.heap_bytes > out.snapshots[out.peak].heap_bytes) out.peak = out.snapshots.size() - 1;
  }
  if (out.snapshots.empty()) throw MassifError("it has no snapshot");
  return out;
}

}  // namespace pawl::profile
