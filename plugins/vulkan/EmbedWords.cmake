# cmake -DNAME=kCode -DINPUT=code.spv -DOUTPUT=Code.cpp -P EmbedWords.cmake: a binary of little-endian
# words as the constants vulkan::kCodeWords and vulkan::kCodeSize.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1,\n" words "${bytes}")
string(LENGTH "${bytes}" digits)
math(EXPR size "${digits} / 8")
file(WRITE ${OUTPUT} "// Made by EmbedWords.cmake.
#include <cstddef>
#include <cstdint>
namespace vulkan {
extern const uint32_t ${NAME}Words[] = {
${words}};
extern const size_t ${NAME}Size = ${size};
} // namespace vulkan
")
