#pragma once
/// A model's front as a table for people. A front holds the clusterings that a model keeps of the same points.

#include <span>
#include <string>

#include <fairstream/models/model.hpp>

namespace fairstream::figures {

/// Returns a table of the operating points, with the published one marked.
[[nodiscard]] std::string front_table(std::span<const OperatingPoint> points);

}  // namespace fairstream::figures
