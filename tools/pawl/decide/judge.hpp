// judge.hpp -- two result sets and a policy -> a Judgement.
//
// Pure: no file, clock, randomness or output, so every verdict can be recomputed from the results it came from.
// Method, rules and evidence: docs/verdicts.md.
#pragma once
#include "decide/policy.hpp"
#include "decide/verdict.hpp"
#include "model/results.hpp"

namespace pawl::decide {

/// Errors: RuleError (thresholds.hpp) if a pattern of the policy is no regular expression.
Judgement judge(const model::ResultSet& base, const model::ResultSet& now, const Policy& policy);

/// What makes a command fail.
enum class FailOn { never, critical, warning, inconclusive };

/// 0 passed, 1 a regression at or above `fail_on` (a benchmark that fails or is gone counts as critical), 3 nothing was
/// compared, 4 inconclusive with FailOn::inconclusive and nothing worse.
int exit_code(const Judgement& judgement, FailOn fail_on);

/// What one comparison alone would make of the exit code: 0, 1 or 4.
int exit_code(const Comparison& comparison, FailOn fail_on);

}  // namespace pawl::decide
