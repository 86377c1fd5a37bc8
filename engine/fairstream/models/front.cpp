#include <fairstream/models/front.hpp>

namespace fairstream {

CompactLabels::CompactLabels(std::span<const ClusterId> labels, std::size_t clusters) : width_(clusters > 256 ? 2 : 1) {
    bytes_.resize(labels.size() * width_);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        bytes_[i * width_] = static_cast<std::uint8_t>(labels[i]);
        if (width_ == 2) bytes_[2 * i + 1] = static_cast<std::uint8_t>(labels[i] >> 8);
    }
}

void CompactLabels::copy_to(std::span<ClusterId> labels) const noexcept {
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = (*this)[i];
}

}  // namespace fairstream
