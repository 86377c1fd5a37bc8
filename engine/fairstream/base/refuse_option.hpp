#pragma once
/// Errors for invalid options of library functions, which have no `set_option`.

#include <string>
#include <string_view>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/types.hpp>

namespace fairstream {

/// Throws `InvalidInput` (bad_option) for a value outside `range`, e.g. "(0, 1]".
[[noreturn]] inline void refuse_option(std::string_view name, double value, std::string_view range) {
    throw InvalidInput(Reason::bad_option,
                       std::string(name) + " = " + number_text(value) + ": must be in " + std::string(range));
}

}  // namespace fairstream
