// judge.hpp -- two result sets and a policy -> a Judgement.
//
// Pure: no file, clock, randomness or output, so every verdict can be recomputed from the results it came from.
#pragma once
#include "decide/policy.hpp"
#include "decide/verdict.hpp"
#include "model/results.hpp"

namespace pawl::decide {

Judgement judge(const model::ResultSet& base, const model::ResultSet& now, const Policy& policy);

}  // namespace pawl::decide
