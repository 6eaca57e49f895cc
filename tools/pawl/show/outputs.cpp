// outputs.cpp -- pairs formats with files.
#include "show/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "closest.hpp"
#include "failure.hpp"

namespace pawl::show {
namespace {

Format known_format(const std::string& name) {
  if (const auto format = format_named(name)) return *format;
  throw Failure(kBadInput, fmt::format("--format {}: no such format{}; there are {}", name,
                                       did_you_mean(name, format_names()), fmt::join(format_names(), ", ")));
}

std::string file_or_stdout(const std::string& file) { return file == "-" ? "" : file; }

// FORMAT= with nothing behind it, as a script's empty variable leaves it, would go to standard output.
std::string named_file(const std::string& format, const std::string& file) {
  if (file.empty())
    throw Failure(kBadInput, fmt::format("{}=: no file is named; {}=- is standard output", format, format));
  return file_or_stdout(file);
}

}  // namespace

std::vector<Output> plan_outputs(const std::vector<std::string>& formats, const std::vector<std::string>& files) {
  struct Planned {
    Output output;
    bool has_file = false;
  };
  std::vector<Planned> plan;
  for (const std::string& list : formats) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t comma = std::min(list.find(',', at), list.size());
      const std::string name = list.substr(at, comma - at);
      const std::size_t equals = std::min(name.find('='), name.size());
      const bool has_file = equals < name.size();
      if (!name.empty()) {
        const std::string format = name.substr(0, equals);
        plan.push_back({{known_format(format), has_file ? named_file(format, name.substr(equals + 1)) : ""}, has_file});
      }
      at = comma + 1;
    }
  }
  const bool formats_given = !plan.empty();
  if (!formats_given) plan.push_back({{Format::table, ""}, false});

  std::vector<std::string> unplaced;
  const auto place = [&](Format format, const std::string& file) {
    const auto free =
        std::ranges::find_if(plan, [&](const Planned& p) { return p.output.format == format && !p.has_file; });
    if (free == plan.end()) return false;
    *free = {{format, file_or_stdout(file)}, true};
    return true;
  };
  for (const std::string& text : files) {
    const std::size_t equals = text.find('=');
    const auto named = equals == std::string::npos ? std::nullopt : format_named(text.substr(0, equals));
    if (named) {
      const std::string file = named_file(std::string(name_of(*named)), text.substr(equals + 1));
      if (!place(*named, file)) plan.push_back({{*named, file}, true});
      continue;
    }
    const auto by_suffix = format_of_file(text);
    if (!formats_given) {
      plan.push_back({{by_suffix.value_or(Format::table), file_or_stdout(text)}, true});
    } else if (!by_suffix || !place(*by_suffix, text)) {
      // With one format there is no doubt; with several, pr.md for a table and annotations is a slip.
      if (by_suffix && plan.size() > 1) {
        throw Failure(kBadInput, fmt::format("--output {}: {} is not among the formats; add --format {}, or write "
                                             "FORMAT={}",
                                             text, name_of(*by_suffix), name_of(*by_suffix), text));
      }
      unplaced.push_back(text);
    }
  }
  for (const std::string& file : unplaced) {
    const auto free = std::ranges::find_if(plan, [](const Planned& p) { return !p.has_file; });
    if (free == plan.end()) {
      throw Failure(kBadInput,
                    fmt::format("--output {}: there is no --format left for it; write FORMAT={}", file, file));
    }
    *free = {{free->output.format, file_or_stdout(file)}, true};
  }
  std::vector<Output> outputs;
  for (const Planned& planned : plan) {
    const std::string& file = planned.output.file;
    if (!file.empty() && std::ranges::find(outputs, file, &Output::file) != outputs.end())
      throw Failure(kBadInput, fmt::format("--output {}: two formats can't go to one file", file));
    outputs.push_back(planned.output);
  }
  return outputs;
}

}  // namespace pawl::show
