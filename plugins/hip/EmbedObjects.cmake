# cmake -DTARGETS=gfx942,gfx1100 -DPREFIX=folder/SelfTest. -DOUTPUT=Objects.cpp -P EmbedObjects.cmake: the files
# folder/SelfTest.gfx942.hsaco and so on as the list hip::kSelfTestObjects.
string(REPLACE "," ";" targets ${TARGETS})
set(arrays "")
set(rows "")
foreach(target IN LISTS targets)
  file(READ ${PREFIX}${target}.hsaco bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "static const char ${target}[] = {\n${bytes}};\n")
  string(APPEND rows "    {\"${target}\", ${target}, ${size}},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by EmbedObjects.cmake.
#include \"plugins/hip/SelfTestObjects.h\"
${arrays}
const hip::SelfTestObject hip::kSelfTestObjects[] = {
${rows}    {nullptr, nullptr, 0}};
")
