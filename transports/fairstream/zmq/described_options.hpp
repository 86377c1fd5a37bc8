#pragma once
/// Options of a model from the description that a running engine gives of it.

#include <optional>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::zmq {

/// Returns the options as they are now; those that the description does not tell, as long ones, and those of another
/// version have their defaults. Nothing for a kind of another library.
[[nodiscard]] std::optional<ModelOptions> described_options(const wire::ModelDescription& model,
                                                            const StreamFormat& format);

}  // namespace fairstream::zmq
