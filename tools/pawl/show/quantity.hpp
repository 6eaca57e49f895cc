// quantity.hpp -- numbers -> the way people read them: units, signs, as many digits as mean something.
#pragma once
#include <string>
#include <string_view>

namespace pawl::show {

/// A relative change as "+21.4 %"; "+0.05 %" where a tenth would hide it; "x 3.2" from +200 % on; "?" if it is NaN.
std::string change_text(double change);

/// "[+20.1, +22.9]" in percent; "?" where an end is not known.
std::string interval_text(double low, double high);

/// A threshold or smallest change: "5 %", "0.5 %".
std::string percent_text(double share);

/// Two values of one metric in one unit: "18.71 -> 22.72 ms". Times in `time_unit`, the one that their author chose,
/// unless that takes more than five digits; rates and sizes with SI and binary prefixes. A side that is NaN is "-".
std::string pair_text(std::string_view metric, std::string_view time_unit, double base, double now);

/// One value with its unit: "18.71 ms", "114.6 G/s", "3 MiB".
std::string value_text(std::string_view metric, std::string_view time_unit, double value);

std::string seconds_text(double seconds);  ///< with the unit that suits its size: "0.31 us"

/// `count` and the word, with an s unless it is 1: "1 run", "2 runs".
std::string counted(std::size_t count, std::string_view word);

}  // namespace pawl::show
