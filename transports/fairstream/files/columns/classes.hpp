#pragma once
/// A column of true classes, by which clusters can be judged.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <fairstream/files/rows/reader.hpp>

namespace fairstream::files {

using ClassId = std::uint32_t;  ///< index of a class from 0, in order of first appearance in the file

/// Largest number of classes in a column.
inline constexpr std::size_t most_classes = 1000;

/// Numbers the classes of a column. A class is the text of a cell: 1 and 1.0 differ.
class ClassReader {
public:
    /// Throws `InvalidInput`, listing the columns, if there is no column of this name.
    ClassReader(const Reader& reader, std::string_view column);

    /// Returns the class of the reader's current row. Throws `InvalidInput` (malformed), naming file, line and column,
    /// for an empty cell, and when there are more than `most_classes` classes.
    [[nodiscard]] ClassId read(const Reader& reader);

private:
    std::size_t column_;
    std::map<std::string, ClassId, std::less<>> classes_;
};

}  // namespace fairstream::files
