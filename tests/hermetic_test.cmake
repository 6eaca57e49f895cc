# Per-ISA objects -> failure if the linker could merge one of their functions with another ISA's copy.
#
# A weak symbol without the ISA in its name is kept once for the whole program, and the kept copy runs everywhere:
# an AVX-512 body then dies with SIGILL on a CPU without it (docs/dispatch.md). External symbols of one ISA must
# carry its name too, or two variants collide.
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " [WVuTDBR] [^\n]+" shared "${symbols}")
  list(FILTER shared EXCLUDE REGEX "[0-9_]${ISA}")
  # Sanitizers' own bookkeeping.
  list(FILTER shared EXCLUDE REGEX " (__odr_asan|__asan|__tsan|__ubsan|asan\\.|tsan\\.|DW\\.ref)")
  foreach(symbol IN LISTS shared)
    message(SEND_ERROR "${object} is not hermetic:${symbol}")
  endforeach()
endforeach()
