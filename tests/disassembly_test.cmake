# Per-ISA objects -> failure if the hot loops of a variant are not made of that variant's wide instructions.
#
# A kernel that falls back to narrow or scalar code stays correct, and only its speed tells; this reads the code. Each
# function whose name matches FUNCTIONS must hold at least MINIMUM packed instructions on registers of the variant's
# width: zmm (avx512), ymm (avx2), xmm (sse2). `scalar` must hold none: its loops are what the others are compared with.
#   -D OBJDUMP= -D ISA= -D OBJECTS= -D FUNCTIONS=<regex> -D MINIMUM=<n> -D EXPECTED=<number of functions at least>
set(seen 0)
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${OBJDUMP} -dC --no-show-raw-insn ${object} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  # One list element per function; CMake's lists are parted by semicolons, and brackets would join elements.
  string(REGEX REPLACE "[][;]" "_" text "${text}")
  string(REGEX REPLACE "\n\n" ";" functions "${text}")
  foreach(function IN LISTS functions)
    if(NOT function MATCHES "^\n*[0-9a-f]+ <([^\n]*)>:\n" OR NOT CMAKE_MATCH_1 MATCHES "${FUNCTIONS}")
      continue()
    endif()
    set(name "${CMAKE_MATCH_1}")
    if(name MATCHES "\\.cold")
      continue()
    endif()
    math(EXPR seen "${seen} + 1")
    # Mnemonics of packed floating point end in ps or pd.
    if(ISA STREQUAL "avx512")
      string(REGEX MATCHALL "v[a-z0-9]+p[sd] [^\n]*%zmm" wide "${function}")
    elseif(ISA STREQUAL "avx2")
      string(REGEX MATCHALL "v[a-z0-9]+p[sd] [^\n]*%ymm" wide "${function}")
    else()
      string(REGEX MATCHALL "\t(add|sub|mul|div|max|min|sqrt)p[sd] [^\n]*%xmm" wide "${function}")
    endif()
    list(LENGTH wide count)
    if(ISA STREQUAL "scalar")
      if(count GREATER 0)
        message(SEND_ERROR "${name}: ${count} packed instructions in the variant without vectors")
      endif()
    elseif(count LESS MINIMUM)
      message(SEND_ERROR "${name}: ${count} instructions of the full width of ${ISA}, at least ${MINIMUM} are expected")
    endif()
  endforeach()
endforeach()
if(seen LESS EXPECTED)
  message(SEND_ERROR "only ${seen} functions match '${FUNCTIONS}', at least ${EXPECTED} are expected: the test looks past them")
endif()
message(STATUS "${ISA}: ${seen} functions")
