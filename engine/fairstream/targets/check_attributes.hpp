#pragma once
/// The check of the protected attributes that a model's options name.

#include <string>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// Throws `InvalidInput` (bad_option) when the protected attributes that an option names are not there or are named
/// twice; without any in the stream, 0 stands for none.
void check_attributes(const OneOrMore<int>& attribute, const StreamFormat& format);

/// Returns the names of protected attributes as an option gives them, "sex,race"; of one that is not there its index.
[[nodiscard]] std::string attribute_names(const OneOrMore<int>& attribute, const StreamFormat& format);

}  // namespace fairstream
