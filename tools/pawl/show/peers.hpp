// peers.hpp -- results -> each of our rows beside its peers and the limit of the machine.
//
// Pure. Rows follow op/type/impl/key:value/...; those that differ only in `impl` belong together, and `pawl` is ours.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "model/results.hpp"

namespace pawl::show {

struct PeerTime {
  std::string impl;
  double seconds = 0;
  double speed_up = 0;  ///< the peer's time / ours: above 1, ours is faster
};

struct PeerRow {
  std::string op, type, parameters;  ///< "matmul", "f32", "m:16/n:16/k:16/threads:1"
  std::string name;                  ///< of our row
  double seconds = 0;
  std::optional<double> flops, bytes;  ///< per second
  std::optional<double> of_limit;      ///< share of the limit that binds, by the yardsticks of the same processes
  std::string bound;                   ///< "compute", "L1", "L2", "L3", "memory"; empty without yardsticks
  std::optional<double> over_scalar;   ///< the scalar variant's time / ours
  std::vector<PeerTime> peers;         ///< in the order of first appearance; other ways of calling ours among them
  const PeerTime* best_peer() const;   ///< the fastest of the others'; null if there is none
};

struct PeerTable {
  std::vector<PeerRow> rows;                   ///< in the order of the results
  std::vector<std::string> without_time;       ///< names of ours that failed, were skipped, or took 0
  std::vector<std::string> peers;              ///< all that occur
  std::size_t compared = 0;                    ///< rows with at least one peer
  std::vector<const PeerRow*> behind() const;  ///< rows where a peer is faster by more than 1 %, the worst first
};

/// Times are geometric means over process runs of decide::centre_of() each; so are the shares of the limit (limit.hpp),
/// each by the yardsticks of its own process. Rows without a time
/// are left out, and ours among them are named.
PeerTable peer_table(const model::ResultSet& set);

/// As text for a terminal, rows we lose first; as markdown; as JSON (docs/formats.md).
std::string format_peers_text(const PeerTable& table);
std::string format_peers_markdown(const PeerTable& table);
std::string format_peers_json(const PeerTable& table);

}  // namespace pawl::show
