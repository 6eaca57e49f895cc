# Flags with characters that end a C++ string -> build_info.cpp, in which they stand escaped.
file(MAKE_DIRECTORY ${WORK})
file(REMOVE ${WORK}/build_info.cpp)
execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${WORK} -D OUTPUT=${WORK}/build_info.cpp -D BUILD_TYPE=Release
  -D "COMPILER=GNU 12" [[-DFLAGS=-DTEXT=\"a b\" -O2]] -P ${SCRIPT} COMMAND_ERROR_IS_FATAL ANY)
file(READ ${WORK}/build_info.cpp text)
string(FIND "${text}" [[kCompileFlags = "-DTEXT=\\\"a b\\\" -O2";]] at)
if(at EQUAL -1)
  message(FATAL_ERROR "the flags do not stand escaped in ${text}")
endif()
