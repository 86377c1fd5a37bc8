#include <fairstream/files/columns/outcomes.hpp>

#include <string>

#include <fairstream/files/columns/profile.hpp>

namespace fairstream::files {

double read_outcome(const Reader& reader, std::size_t column) {
    if (const std::optional<bool> truth = truth_value(reader.trimmed_cell(column))) return *truth ? 1 : 0;
    const double value = reader.number(column);
    if (value == 0 || value == 1 || value == -1) return value;
    reader.refuse_cell(column, Reason::bad_feature, "is not an outcome: must be 0 (or -1) or 1", Fault::outcome);
}

bool is_no_doubtful(const UnlistedCells& negative, std::string_view positive) {
    if (negative.first.size() != 1) return negative.first.size() > 1;
    return truth_value(positive) && !truth_value(negative.first[0].first);
}

}  // namespace fairstream::files
