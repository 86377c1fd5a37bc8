#pragma once
/// Numbers as text.

#include <charconv>
#include <string>
#include <system_error>

namespace fairstream {

/// Returns the shortest text that reads back equal to the number. Equal numbers give equal text: both zeros are "0".
template <class T> [[nodiscard]] std::string number_text(T value) {
    char buffer[64];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value == 0 ? T{} : value);
    return error == std::errc{} ? std::string(buffer, end) : std::string("?");
}

}  // namespace fairstream
