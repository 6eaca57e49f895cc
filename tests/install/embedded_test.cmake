# Pawl in the build of another project (PARENT), and alone with a dependency that is fetched: both configure, the parent
# keeps its build type and builds no more than the libraries, and what cannot be installed is said and left out.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed (${code}): ${ARGN}\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()
function(expect pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "no '${pattern}' in: ${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DPAWL_KERNELS=OFF)
run(${configure} -S ${PARENT} -B ${WORK}/parent -DFMT=${FMT} -DFETCHCONTENT_SOURCE_DIR_PAWL=${SOURCE})
expect("fmt: that of the project around")
run(${CMAKE_COMMAND} --build ${WORK}/parent --target mine)
run(${WORK}/parent/mine)
expect("^2020[0-9][0-9] [a-z0-9]+\n")
# A parent that asks: what it builds is of its C++, and the libraries that need its own fmt are in no package.
run(${configure} -S ${PARENT} -B ${WORK}/asks -DFMT=${FMT} -DFETCHCONTENT_SOURCE_DIR_PAWL=${SOURCE} -DPAWL_INSTALL=ON)
expect("install: without the libraries, since fmt::fmt is built here")

# The pinned fmt instead of the installed one; a newer C++, which is taken, and an older one, which is not enough.
foreach(asked IN ITEMS 17 20 23)
  run(${configure} -S ${SOURCE} -B ${WORK}/fetched -DPAWL_TOOL=OFF -DPAWL_BENCHES=OFF -DPAWL_TESTS=OFF -DPAWL_FETCH=fmt
    -DFETCHCONTENT_SOURCE_DIR_FMT=${FMT} -DCMAKE_CXX_STANDARD=${asked})
  expect("install: without the libraries, since fmt::fmt is built here")
  file(READ ${WORK}/fetched/compile_commands.json output)
  if(asked EQUAL 23)
    expect("-std=c[+][+]2[3b] ")
  else()
    expect("-std=c[+][+]20 ")
  endif()
endforeach()
