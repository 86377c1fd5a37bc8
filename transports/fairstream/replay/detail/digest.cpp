#include <fairstream/replay/detail/digest.hpp>

#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <new>

namespace fairstream::replay {

struct Digest::State {
    XXH3_state_t* xxh3 = XXH3_createState();
    ~State() { XXH3_freeState(xxh3); }
};

Digest::Digest() : state_(std::make_unique<State>()) {
    if (state_->xxh3 == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state_->xxh3);
}
Digest::~Digest() = default;

void Digest::add(std::span<const std::byte> message) {
    std::array<unsigned char, 8> length;
    for (std::size_t i = 0; i < length.size(); ++i) length[i] = static_cast<unsigned char>(message.size() >> (8 * i));
    XXH3_128bits_update(state_->xxh3, length.data(), length.size());
    XXH3_128bits_update(state_->xxh3, message.data(), message.size());
}

std::array<std::byte, 16> Digest::value() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_->xxh3));
    std::array<std::byte, 16> bytes;
    std::memcpy(bytes.data(), canonical.digest, bytes.size());
    return bytes;
}

}  // namespace fairstream::replay
