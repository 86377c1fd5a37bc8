#pragma once
/// Comparisons that Cap'n Proto 0.9.2 leaves to C++20's reversed operators, which clang 16 and later no longer find
/// beside an operator!=. Included before its headers, see CMakeLists.txt; nothing calls them.

namespace kj {

class StringPtr;
bool operator==(const char* a, const StringPtr& b);
bool operator!=(const char* a, const StringPtr& b);

}  // namespace kj
