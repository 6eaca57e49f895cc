// google_file.hpp -- names and times -> a file as Google Benchmark writes it.
#pragma once
#include <fmt/format.h>

#include <string>

namespace pawl {

class GoogleFile {
 public:
  explicit GoogleFile(std::string executable = "./bench") : executable_(std::move(executable)) {}

  GoogleFile& add(const std::string& name, double nanoseconds) { return add_row(name, nanoseconds, ""); }
  GoogleFile& add_error(const std::string& name, const std::string& message) {
    return add_row(name, 0, fmt::format(",\n      \"error_occurred\": true, \"error_message\": \"{}\"", message));
  }
  std::string text() const {
    return fmt::format(
        "{{\n  \"context\": {{\n    \"date\": \"2026-01-02T03:04:05+00:00\",\n    \"host_name\": \"test\",\n"
        "    \"executable\": \"{}\",\n    \"num_cpus\": 2,\n    \"library_build_type\": \"release\"\n  }},\n"
        "  \"benchmarks\": [\n{}\n  ]\n}}\n",
        executable_, rows_);
  }

 private:
  GoogleFile& add_row(const std::string& name, double nanoseconds, const std::string& more) {
    if (!rows_.empty()) rows_ += ",\n";
    rows_ += fmt::format(
        "    {{\n      \"name\": \"{}\", \"run_name\": \"{}\", \"run_type\": \"iteration\", \"repetitions\": 1,\n"
        "      \"repetition_index\": 0, \"threads\": 1, \"iterations\": 1000, \"real_time\": {},\n"
        "      \"cpu_time\": {}, \"time_unit\": \"ns\"{}\n    }}",
        name, name, nanoseconds, nanoseconds, more);
    return *this;
  }

  std::string executable_, rows_;
};

}  // namespace pawl
