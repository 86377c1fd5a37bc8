#include <fairstream/files/columns/classes.hpp>

namespace fairstream::files {

ClassReader::ClassReader(const Reader& reader, std::string_view column) : column_(reader.column(column)) {}

ClassId ClassReader::read(const Reader& reader) {
    const std::string_view cell = reader.cell(column_);
    if (const auto found = classes_.find(cell); found != classes_.end()) return found->second;
    if (cell.empty()) reader.refuse_cell(column_, Reason::malformed, "is empty where a class is needed");
    if (classes_.size() == most_classes)
        reader.refuse_cell(column_, Reason::malformed,
                           "is the 1001st class of this column, which may have at most 1000: does the column hold "
                           "numbers or ids instead of classes?");
    return classes_.emplace(cell, static_cast<ClassId>(classes_.size())).first->second;
}

}  // namespace fairstream::files
