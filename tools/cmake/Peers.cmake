# pawl_add_peer(<bench> <name> SOURCES <files> [TARGETS <targets>] [LIBRARY <file>]):
# another library's rows in a bench of ours.
#
# TARGETS are linked, LIBRARY is a shared library that the source opens at run time.
# PAWL_PEERS=AUTO takes the peers that are installed, ON demands all of them, OFF takes none. Peers are compiled as their
# users compile: -O3 for this machine's CPU, while our kernels choose their variant when they run.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-march=native PAWL_HAS_MARCH_NATIVE)

function(pawl_add_peer bench name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "LIBRARY" "SOURCES;TARGETS")
  if(PAWL_PEERS STREQUAL "OFF")
    return()
  endif()
  set(missing "")
  foreach(target IN LISTS arg_TARGETS)
    if(NOT TARGET ${target})
      set(missing ${target})
    endif()
  endforeach()
  if(arg_LIBRARY)
    find_library(PAWL_PEER_${name} NAMES ${arg_LIBRARY} NO_CACHE)
    if(NOT PAWL_PEER_${name})
      set(missing ${arg_LIBRARY})
    endif()
  endif()
  if(missing)
    if(PAWL_PEERS STREQUAL "ON")
      message(FATAL_ERROR "peer ${name} of ${bench} is missing (${missing}); tools/setup.sh --peers installs it, "
        "PAWL_PEERS=AUTO goes without")
    endif()
    message(STATUS "${bench}: without ${name} (tools/setup.sh --peers installs it)")
    return()
  endif()
  set(objects ${bench}_${name})
  add_library(${objects} OBJECT ${arg_SOURCES})
  target_link_libraries(${objects} PRIVATE pawl_bench_main ${arg_TARGETS})
  target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
    ${PROJECT_SOURCE_DIR}/benches)
  target_compile_options(${objects} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>
    $<$<BOOL:${PAWL_HAS_MARCH_NATIVE}>:-march=native> -Wall -Wextra
    # g++ 12 reports false uninitialised values inside immintrin.h.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
  target_link_libraries(${bench} PRIVATE ${arg_TARGETS})
  target_sources(${bench} PRIVATE $<TARGET_OBJECTS:${objects}>)
endfunction()

# pawl_add_library_peer(<bench> <name> SOURCES <files> HEADER <header> LIBRARIES <names> [TARGETS <targets>]): a peer that
# is found by its header and linked against its libraries. So is oneDNN: Debian's CMake package of it demands OpenCL,
# which is only recommended with it, and stops the configuration of a machine that goes without.
function(pawl_add_library_peer bench name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "HEADER" "SOURCES;LIBRARIES;TARGETS")
  if(NOT TARGET pawl_peer_${name})
    find_path(PAWL_PEER_${name}_INCLUDE ${arg_HEADER} NO_CACHE)
    set(files "")
    foreach(library IN LISTS arg_LIBRARIES)
      find_library(PAWL_PEER_${name}_${library} NAMES ${library} NO_CACHE)
      if(NOT PAWL_PEER_${name}_${library})
        set(PAWL_PEER_${name}_INCLUDE NOTFOUND)
      endif()
      list(APPEND files ${PAWL_PEER_${name}_${library}})
    endforeach()
    if(PAWL_PEER_${name}_INCLUDE)
      add_library(pawl_peer_${name} INTERFACE)
      target_include_directories(pawl_peer_${name} SYSTEM INTERFACE ${PAWL_PEER_${name}_INCLUDE})
      target_link_libraries(pawl_peer_${name} INTERFACE ${files})
    endif()
  endif()
  pawl_add_peer(${bench} ${name} SOURCES ${arg_SOURCES} TARGETS pawl_peer_${name} ${arg_TARGETS})
endfunction()

# pawl_add_torch_peer(<bench> SOURCES <files> MODULE <files>): libtorch's rows. MODULE holds its calls and becomes a
# shared library that SOURCES open when the first of these rows runs (benches/peers/torch_late.hpp says why). Taken
# wherever libtorch is installed; PAWL_PEERS=ON does not demand it, since it brings 158 packages.
function(pawl_add_torch_peer bench)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;MODULE")
  if(PAWL_PEERS STREQUAL "OFF")
    return()
  endif()
  find_path(PAWL_TORCH_INCLUDE ATen/ATen.h NO_CACHE)
  find_library(PAWL_TORCH_CPU torch_cpu NO_CACHE)
  find_library(PAWL_TORCH_C10 c10 NO_CACHE)
  if(NOT PAWL_TORCH_INCLUDE OR NOT PAWL_TORCH_CPU OR NOT PAWL_TORCH_C10)
    message(STATUS "${bench}: without torch (tools/setup.sh --torch installs it)")
    return()
  endif()
  set(module pawl_peer_torch_${bench})
  add_library(${module} MODULE ${arg_MODULE})
  target_include_directories(${module} SYSTEM PRIVATE ${PAWL_TORCH_INCLUDE})
  target_include_directories(${module} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/benches ${PROJECT_SOURCE_DIR}/benches/support)
  target_link_libraries(${module} PRIVATE benchmark::benchmark ${PAWL_TORCH_CPU} ${PAWL_TORCH_C10} ${CMAKE_DL_LIBS})
  target_compile_options(${module} PRIVATE -fvisibility=hidden -Wall -Wextra)
  set_target_properties(${module} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  pawl_add_peer(${bench} torch SOURCES ${arg_SOURCES})
  target_compile_definitions(${bench}_torch PRIVATE "PAWL_TORCH_MODULE=\"$<TARGET_FILE:${module}>\"")
  target_link_libraries(${bench} PRIVATE ${CMAKE_DL_LIBS})
  add_dependencies(${bench} ${module})
endfunction()
