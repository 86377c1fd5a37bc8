#pragma once
/// Net changes of an event that came in pieces.

#include <fairstream/core/update.hpp>
#include <fairstream/models/model.hpp>

namespace fairstream::core {

/// Folds the changes, of labels or of scores, of a later piece of the same event into those of the earlier ones, so
/// that they list net changes.
template <class T> void merge_changes(Changes<T>& total, const Changes<T>& later);

/// Does so for changes of either kind; `total` without changes may be of the other kind.
void merge_changes(OutputChanges& total, const OutputChanges& later);

}  // namespace fairstream::core
