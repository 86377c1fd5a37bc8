#include <fairstream/log/refusals.hpp>

namespace fairstream::log {

bool uses_up_number(const Refusal& refusal) noexcept {
    return !refusal.producer.empty() && refusal.mark.producer_sequence != 0 && refusal.reason != Reason::sequence_gap &&
           refusal.reason != Reason::stale_epoch && refusal.kept_parts != KeptParts::message;
}

std::string_view kept_text(std::string_view text) noexcept {
    if (text.size() <= refusal_text_bytes) return text;
    std::size_t size = refusal_text_bytes;
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
    return text.substr(0, size);
}

}  // namespace fairstream::log
