# Installs the build into WORK/prefix, configures and builds CONSUMER against it, and runs what it built.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${WORK}/build -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build --config Release)
run(${WORK}/build/mine)
if(NOT output MATCHES "19 22 43 50")
  message(FATAL_ERROR "the linked library computed: ${output}")
endif()
run(${WORK}/build/their_bench --pawl_yardsticks=off --benchmark_min_time=0.001 --benchmark_format=json)
if(NOT output MATCHES "pawl_machine_key" OR NOT output MATCHES "BM_theirs")
  message(FATAL_ERROR "their bench on our main printed: ${output}")
endif()
# What it says of its build is theirs.
function(expect_build type worthless)
  foreach(pair IN ITEMS "pawl_build_type\": \"${type}" "pawl_worthless\": \"${worthless}" "pawl_git_commit\": \"unknown"
      "pawl_git_dirty\": \"unknown")
    if(NOT output MATCHES "\"${pair}\"")
      message(FATAL_ERROR "their ${type} build has no ${pair} in ${output}")
    endif()
  endforeach()
endfunction()
if(CONFIG STREQUAL "Release")
  expect_build(Release no)
endif()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${WORK}/debug -DCMAKE_BUILD_TYPE=Debug
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/debug --config Debug --target their_bench)
run(${WORK}/debug/their_bench --pawl_yardsticks=off --benchmark_min_time=0.001 --benchmark_format=json)
expect_build(Debug yes)
run(${WORK}/prefix/bin/pawl --version)

# The parts that it has are found, one that it has not is named, and required only where that was said.
function(find_components code_wanted text)
  file(WRITE ${WORK}/components/CMakeLists.txt
    "cmake_minimum_required(VERSION 3.22)\nproject(components LANGUAGES CXX)\n${ARGN}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK}/components -B ${WORK}/components/build
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL code_wanted OR NOT out MATCHES "${text}")
    message(FATAL_ERROR "${ARGN}: ended with ${code} and no '${text}' in ${out}")
  endif()
endfunction()
find_components(0 "found: 1 TRUE TRUE" [[find_package(pawl REQUIRED COMPONENTS kernels isa)
  message("found: ${pawl_FOUND} ${pawl_kernels_FOUND} ${pawl_isa_FOUND}")]])
find_components(0 "found: 1 TRUE FALSE" [[find_package(pawl REQUIRED COMPONENTS kernels OPTIONAL_COMPONENTS wings)
  message("found: ${pawl_FOUND} ${pawl_kernels_FOUND} ${pawl_wings_FOUND}")]])
find_components(1 "installed[ \n]+without[ \n]+pawl::wings" [[find_package(pawl REQUIRED COMPONENTS isa wings)]])

# The command needs nothing else to be built.
run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/tool --component pawl_tool)
file(GLOB_RECURSE laid_down RELATIVE ${WORK}/tool ${WORK}/tool/*)
if(NOT laid_down STREQUAL "bin/pawl")
  message(FATAL_ERROR "the component pawl_tool is ${laid_down}")
endif()
