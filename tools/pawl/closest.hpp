// closest.hpp -- a word nobody knows and the known words -> the one that was probably meant.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

/// The candidate with the fewest insertions, deletions, replacements and swaps of neighbours from `word` (optimal
/// string alignment; case counts half); empty if even the nearest differs in more than a third of its letters. Cost:
/// word.size() * candidate.size() per candidate.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

/// " (did you mean X?)", or nothing if no candidate is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace pawl
