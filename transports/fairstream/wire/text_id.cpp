#include <fairstream/wire/text_id.hpp>

#include <xxhash.h>

namespace fairstream::wire {

PointId text_id(std::string_view text) noexcept {
    const PointId id = XXH64(text.data(), text.size(), 0);
    return id == no_point ? 0 : id;
}

}  // namespace fairstream::wire
