// oddities.cpp -- see oddities.hpp.
#include "read/oddities.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace pawl::read {
namespace {

// Moves `at` on from `from` to `to`.
void advance(Position& at, std::string_view text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    if (text[i] == '\n') {
      ++at.line;
      at.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {  // not the middle of a UTF-8 sequence
      ++at.column;
    }
  }
}

}  // namespace

Position position(std::string_view text, std::size_t offset) {
  Position at;
  advance(at, text, 0, std::min(offset, text.size()));
  return at;
}

void Oddities::add(Severity severity, std::size_t offset, std::string_view row, std::string_view what) {
  auto found = kinds_.find(what);
  if (found == kinds_.end()) {
    if (kinds_.size() == kKinds) {
      ++beyond_kinds_;
      return;
    }
    found = kinds_.emplace(what, Kind{}).first;
  }
  Kind& kind = found->second;
  if (kind.shown > 0 && entries_[kind.last_entry].row == row) {
    ++entries_[kind.last_entry].times;
  } else if (kind.shown < kShownRows) {
    kind.last_entry = entries_.size();
    ++kind.shown;
    entries_.push_back({severity, offset, std::string(row), std::string(what)});
  } else if (kind.more_rows == 0 || kind.last_row != row) {
    if (kind.more_rows++ == 0) kind.more_offset = offset;
    kind.last_row = row;
  }
}

std::vector<model::Oddity> Oddities::take(std::string_view text, const std::string& file) {
  for (const auto& [what, kind] : kinds_)
    if (kind.more_rows > 0)
      entries_.push_back({entries_[kind.last_entry].severity, kind.more_offset, "",
                          fmt::format("{} more benchmarks like the {} above: {}", kind.more_rows, kShownRows, what)});
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.offset < b.offset; });

  std::vector<model::Oddity> oddities;
  oddities.reserve(entries_.size() + 1);
  Position at;
  std::size_t done = 0;
  for (Entry& entry : entries_) {
    const std::size_t offset = std::min(entry.offset, text.size());
    advance(at, text, done, offset);
    done = offset;
    if (entry.times > 1) entry.what += fmt::format(" ({} times)", entry.times);
    oddities.push_back({entry.severity, file, at.line, at.column, std::move(entry.row), std::move(entry.what)});
  }
  if (beyond_kinds_ > 0)
    oddities.push_back({Severity::warning, file, 0, 0, "",
                        fmt::format("{} more oddities of other kinds than the {} above", beyond_kinds_, kKinds)});
  entries_.clear();
  kinds_.clear();
  beyond_kinds_ = 0;
  return oddities;
}

}  // namespace pawl::read
