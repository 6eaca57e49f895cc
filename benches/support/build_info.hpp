// build_info.hpp -- what was true when the bench was built; the definitions are generated afresh by every build.
#pragma once

namespace pawl::bench {

extern const char* const kGitCommit;  ///< of the checkout that was built, or "unknown"
extern const char* const kGitDirty;   ///< "yes", "no" or "unknown": tracked files differed from the commit
extern const char* const kBuildType;  ///< Release, Debug, ...
extern const char* const kCompiler;   ///< "GNU 12.2.0"
extern const char* const kCompileFlags;

}  // namespace pawl::bench
