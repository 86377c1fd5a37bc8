#pragma once
/// Net changes of an event that was taken in by pieces.

#include <fairstream/core/update.hpp>
#include <fairstream/models/model.hpp>

namespace fairstream::core {

/// Merges the changes of a later piece of an event into those of the earlier pieces, so that `total` lists net changes.
template <class T> void merge_changes(Changes<T>& total, const Changes<T>& later);

/// Merges changes of any kind of output; `total` may be of another kind while it is empty.
void merge_changes(OutputChanges& total, const OutputChanges& later);

}  // namespace fairstream::core
