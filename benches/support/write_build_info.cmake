# Run at every build: commit and dirtiness of SOURCE_DIR -> OUTPUT, touched only if they changed.
find_package(Git QUIET)
set(commit unknown)
set(dirty unknown)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse HEAD WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit unknown)
  else()
    execute_process(COMMAND ${GIT_EXECUTABLE} status --porcelain --untracked-files=no WORKING_DIRECTORY ${SOURCE_DIR}
      OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes STREQUAL "")
      set(dirty no)
    else()
      set(dirty yes)
    endif()
  endif()
endif()
# Flags may hold what ends a string.
foreach(value IN ITEMS BUILD_TYPE COMPILER FLAGS)
  string(REPLACE "\\" "\\\\" ${value} "${${value}}")
  string(REPLACE "\"" "\\\"" ${value} "${${value}}")
endforeach()
set(text "// Written by write_build_info.cmake at every build.
#include \"build_info.hpp\"
namespace pawl::bench {
const char* const kGitCommit = \"${commit}\";
const char* const kGitDirty = \"${dirty}\";
const char* const kBuildType = \"${BUILD_TYPE}\";
const char* const kCompiler = \"${COMPILER}\";
const char* const kCompileFlags = \"${FLAGS}\";
}  // namespace pawl::bench
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
