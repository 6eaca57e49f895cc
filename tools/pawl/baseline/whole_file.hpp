// whole_file.hpp -- a path -> all bytes of the file.
#pragma once
#include <filesystem>
#include <string>

namespace pawl::baseline {

/// Errors: Failure(kBadInput) with the system's reason.
std::string read_whole(const std::filesystem::path& path);

}  // namespace pawl::baseline
