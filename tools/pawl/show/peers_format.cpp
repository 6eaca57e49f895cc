// peers_format.cpp -- a PeerTable -> text, markdown and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "show/json_writer.hpp"
#include "show/peers.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"

namespace pawl::show {
namespace {

constexpr const char* kMeaning = "xN: the peer's time / ours; above 1, ours is faster";

std::string rate(const PeerRow& row) {
  if (row.bound == "compute" && row.flops) return fmt::format("{:.4g} GFLOP/s", *row.flops * 1e-9);
  if (row.bytes) return fmt::format("{:.4g} GB/s", *row.bytes * 1e-9);
  if (row.flops) return fmt::format("{:.4g} GFLOP/s", *row.flops * 1e-9);
  return seconds_text(row.seconds);
}

std::string limit(const PeerRow& row) {
  return row.of_limit ? fmt::format("{:.0f} % {}", 100 * *row.of_limit, row.bound) : "-";
}

std::string speed_up(const PeerRow& row, const std::string& impl) {
  for (const PeerTime& p : row.peers)
    if (p.impl == impl) return fmt::format("x{:.2f}", p.speed_up);
  return "-";
}

std::string losses(const PeerTable& table, std::size_t most) {
  const auto behind = table.behind();
  std::string text = fmt::format("{} of {} rows behind a peer", behind.size(), table.compared);
  for (std::size_t i = 0; i < behind.size() && i < most; ++i)
    text += fmt::format("{}{} {} {} ({} x{:.2f})", i == 0 ? ": " : ", ", behind[i]->op, behind[i]->type,
                        behind[i]->parameters, behind[i]->best_peer()->impl, behind[i]->best_peer()->speed_up);
  if (behind.size() > most) text += fmt::format(" and {} more", behind.size() - most);
  return text;
}

// Rows of ours that are there and can be set beside nothing; empty if there are none.
std::string without_time(const PeerTable& table) {
  constexpr std::size_t kMost = 5;
  const std::size_t count = table.without_time.size();
  if (count == 0) return "";
  std::string text = fmt::format("{} of ours without a time (failed, skipped, or 0): ", counted(count, "row"));
  for (std::size_t i = 0; i < count && i < kMost; ++i) text += (i == 0 ? "" : ", ") + table.without_time[i];
  if (count > kMost) text += fmt::format(" and {} more", count - kMost);
  return text;
}

// What is said where there is no table.
std::string nothing(const PeerTable& table) {
  return (table.without_time.empty() ? "no rows named op/type/pawl/..." : without_time(table)) +
         "; nothing to set beside peers";
}

// Peers that some row of this operation and type has: the columns of its block.
std::vector<std::string> columns_of(const PeerTable& table, const std::string& op, const std::string& type) {
  std::vector<std::string> columns;
  for (const std::string& peer : table.peers)
    for (const PeerRow& row : table.rows)
      if (row.op == op && row.type == type && speed_up(row, peer) != "-") {
        columns.push_back(peer);
        break;
      }
  return columns;
}

template <class Visit>
void for_each_block(const PeerTable& table, Visit visit) {
  std::vector<std::pair<std::string, std::string>> seen;
  for (const PeerRow& row : table.rows) {
    const std::pair<std::string, std::string> block{row.op, row.type};
    if (std::ranges::find(seen, block) != seen.end()) continue;
    seen.push_back(block);
    visit(row.op, row.type, columns_of(table, row.op, row.type));
  }
}

}  // namespace

std::string format_peers_text(const PeerTable& table) {
  if (table.rows.empty()) return terminal_text(nothing(table)) + "\n";
  std::string text = terminal_text(losses(table, 5)) + "\n";
  if (!table.without_time.empty()) text += terminal_text(without_time(table)) + "\n";
  text.append(kMeaning).append("\n");
  for_each_block(table, [&](const std::string& op, const std::string& type, const std::vector<std::string>& columns) {
    text += fmt::format("\n{:<38} {:>15} {:>13} {:>9}", terminal_text(op + " " + type), "", "of limit", "scalar");
    for (const std::string& c : columns) text += fmt::format(" {:>14}", terminal_text(c));
    text += '\n';
    for (const PeerRow& row : table.rows) {
      if (row.op != op || row.type != type) continue;
      text += fmt::format("  {:<36} {:>15} {:>13} {:>9}", terminal_text(row.parameters), rate(row), limit(row),
                          row.over_scalar ? fmt::format("x{:.1f}", *row.over_scalar) : "-");
      for (const std::string& c : columns) text += fmt::format(" {:>14}", speed_up(row, c));
      text += '\n';
    }
  });
  return text;
}

std::string format_peers_markdown(const PeerTable& table) {
  // Names come from files that anybody wrote: a pipe would add a column.
  if (table.rows.empty()) return markdown_text(nothing(table)) + ".\n";
  std::string text = markdown_text(losses(table, 20)) + ".\n\n";
  if (!table.without_time.empty()) text += markdown_text(without_time(table)) + ".\n\n";
  text.append(kMeaning).append(".\n");
  for_each_block(table, [&](const std::string& op, const std::string& type, const std::vector<std::string>& columns) {
    text += fmt::format("\n| {} {} | ours | of limit | over scalar |", markdown_text(op), markdown_text(type));
    for (const std::string& c : columns) text += " " + markdown_text(c) + " |";
    text += "\n|---|---|---|---|";
    for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
    text += '\n';
    for (const PeerRow& row : table.rows) {
      if (row.op != op || row.type != type) continue;
      text += fmt::format("| {} | {} | {} | {} |", markdown_text(row.parameters), rate(row), limit(row),
                          row.over_scalar ? fmt::format("x{:.1f}", *row.over_scalar) : "-");
      for (const std::string& c : columns) text += " " + speed_up(row, c) + " |";
      text += '\n';
    }
  });
  return text;
}

std::string format_peers_json(const PeerTable& table) {
  std::string text;
  JsonWriter json(text);
  const auto number = [&](std::string_view name, std::optional<double> v) {
    json.member(name, v.value_or(std::nan("")));  // written as null
  };
  json.begin_object();
  json.member("schema_version", 1);
  json.member("meaning", kMeaning);
  json.member("compared", table.compared);
  json.key("behind");
  json.begin_array();
  for (const PeerRow* row : table.behind()) {
    json.begin_object(Layout::one_line);
    json.member("name", row->name);
    json.member("peer", row->best_peer()->impl);
    json.member("speed_up", row->best_peer()->speed_up);
    json.end_object();
  }
  json.end_array();
  json.key("without_time");
  json.begin_array();
  for (const std::string& name : table.without_time) json.value(name);
  json.end_array();
  json.key("rows");
  json.begin_array();
  for (const PeerRow& row : table.rows) {
    json.begin_object();
    json.member("name", row.name);
    json.member("seconds", row.seconds);
    number("flops", row.flops);
    number("bytes", row.bytes);
    number("of_limit", row.of_limit);
    json.member("bound", row.bound);
    number("over_scalar", row.over_scalar);
    json.key("peers");
    json.begin_array();
    for (const PeerTime& p : row.peers) {
      json.begin_object(Layout::one_line);
      json.member("impl", p.impl);
      json.member("seconds", p.seconds);
      json.member("speed_up", p.speed_up);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return text + "\n";
}

}  // namespace pawl::show
