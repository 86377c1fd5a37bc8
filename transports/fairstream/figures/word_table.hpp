#pragma once
/// Words that are not figures of the engine.

#include <span>
#include <string_view>

namespace fairstream::figures {

struct WordText {
    std::string_view name, type, meaning;
};

[[nodiscard]] std::span<const WordText> word_table();

}  // namespace fairstream::figures
