#pragma once
/// The models that `fairstream fit` clusters graphs by, as a whole and not as a stream.

#include <string_view>

namespace fairstream::fit {

/// Says whether the model of this name clusters graphs.
[[nodiscard]] bool takes_graphs(std::string_view model);

}  // namespace fairstream::fit
