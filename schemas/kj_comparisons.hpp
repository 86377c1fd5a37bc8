#pragma once
/// Comparisons that Cap'n Proto 0.9.2 leaves to C++20's reversed operators. Next to an operator!=, clang 16 and later
/// no longer find these reversed operators. Included before Cap'n Proto's headers, see CMakeLists.txt; nothing calls
/// these functions directly.

namespace kj {

class StringPtr;
bool operator==(const char* a, const StringPtr& b);
bool operator!=(const char* a, const StringPtr& b);

}  // namespace kj
