// whole_file.cpp -- reads a file in one go where its size is known, in pieces where it is not.
#include "baseline/whole_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "failure.hpp"

namespace pawl::baseline {

std::string read_whole(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    throw Failure(kBadInput,
                  fmt::format("{}: cannot be opened: {}", path.string(), std::generic_category().message(errno)));
  }
  std::string text;
  std::error_code unknown_size;
  const auto size = std::filesystem::file_size(path, unknown_size);
  std::size_t got = 0;
  do {
    text.resize(std::max<std::size_t>(unknown_size ? 0 : size + 1, got + (std::size_t{1} << 16)));
    const std::size_t more = std::fread(text.data() + got, 1, text.size() - got, file.get());
    if (more == 0) break;
    got += more;
  } while (true);
  if (std::ferror(file.get()) != 0) {
    throw Failure(kBadInput,
                  fmt::format("{}: cannot be read: {}", path.string(), std::generic_category().message(errno)));
  }
  text.resize(got);
  return text;
}

}  // namespace pawl::baseline
