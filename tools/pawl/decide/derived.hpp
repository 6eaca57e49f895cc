// derived.hpp -- a rate of a benchmark -> whether it is work over time, and so says what the time says.
#pragma once
#include "decide/match.hpp"
#include "model/interned.hpp"

namespace pawl::decide {

/// Whether rate times time (real or CPU) is one constant over all process runs of both sides, to half a percent: the
/// rate of a whole run and the median of its repetitions are rounded apart. With one run a side two values that happen
/// to agree count as such a constant.
bool is_work_over_time(const Match& match, const model::Interned& rate);

}  // namespace pawl::decide
