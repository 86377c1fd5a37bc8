#pragma once
/// Errors for invalid options of library functions, which have no `set_option`.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/types.hpp>

namespace fairstream {

/// Throws `InvalidInput` (bad_option) for a value outside `range`, e.g. "(0, 1]".
[[noreturn]] inline void refuse_option(std::string_view name, double value, std::string_view range) {
    throw InvalidInput(Reason::bad_option,
                       std::string(name) + " = " + number_text(value) + ": must be in " + std::string(range));
}

/// Throws `InvalidInput` (bad_option) unless `value` is at least `least`; both are followed by `unit`, e.g. " ms".
void require_at_least(std::string_view name, std::integral auto value, std::int64_t least, std::string_view unit = "") {
    if (!std::cmp_less(value, least)) return;
    throw InvalidInput(Reason::bad_option, std::string(name) + " = " + std::to_string(value) + std::string(unit) +
                                               ": must be at least " + std::to_string(least) + std::string(unit));
}

}  // namespace fairstream
