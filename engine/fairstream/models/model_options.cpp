#include <fairstream/models/model_options.hpp>

#include <fairstream/models/model_kind.hpp>

namespace fairstream {

bool ModelOptions::equals(const ModelOptions& other) const {
    return kind_ == other.kind_ && kind_->equal(*this, other);
}

}  // namespace fairstream
