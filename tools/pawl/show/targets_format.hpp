// targets_format.hpp -- judged targets -> text, markdown and JSON.
#pragma once
#include <string>
#include <vector>

#include "decide/targets.hpp"

namespace pawl::show {

struct JudgedTarget {
  decide::Target target;
  decide::Reached reached;
};

/// The worst first: missed, unclear, not applicable, met; then a line that counts them.
std::string format_targets_text(const std::vector<JudgedTarget>& targets);
std::string format_targets_markdown(const std::vector<JudgedTarget>& targets);
std::string format_targets_json(const std::vector<JudgedTarget>& targets, int exit_code);

/// "targets: 5 met, 1 unclear, 2 missed, 1 not applicable"
std::string count_targets(const std::vector<JudgedTarget>& targets);

}  // namespace pawl::show
