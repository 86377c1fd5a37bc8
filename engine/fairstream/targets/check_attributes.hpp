#pragma once
/// Check of the protected attributes in a model's options.

#include <string>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// Throws `InvalidInput` (bad_option) if a protected attribute of an option does not exist or is repeated. On a stream
/// without protected attributes, 0 is valid and means none.
void check_attributes(const OneOrMore<int>& attribute, const StreamFormat& format);

/// Returns the names of an option's protected attributes, "sex,race"; for one that does not exist, its index.
[[nodiscard]] std::string attribute_names(const OneOrMore<int>& attribute, const StreamFormat& format);

}  // namespace fairstream
