#pragma once
/// Options of a model, from a running engine's description.

#include <optional>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::zmq {

/// Returns the current options. Options that the description does not contain, such as long ones, and options of
/// another version have their defaults. Returns nothing if this version does not know the kind of the model.
[[nodiscard]] std::optional<ModelOptions> described_options(const wire::ModelDescription& model,
                                                            const StreamFormat& format);

}  // namespace fairstream::zmq
