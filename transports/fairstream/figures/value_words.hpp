#pragma once
/// Words that stand in reports as values, and topics.

#include <string>
#include <string_view>
#include <vector>

#include <fairstream/models/model.hpp>

namespace fairstream::figures {

/// Returns what it means that a step, a refinement or a search ended so.
[[nodiscard]] std::string_view meaning_of(Outcome outcome);

struct ValueWord {
    std::string value;
    std::string place;  ///< where it stands: "value of outcome"
    std::string meaning;
};
/// Returns the values of `outcome` and of the bounds of a monitor, and the knee of a front.
[[nodiscard]] std::vector<ValueWord> value_words();

struct TopicWord {
    std::string_view topic;  ///< "labels", of "labels.NAME"
    std::string_view meaning;
};
/// Returns the topics that an engine publishes on, each for every model that has it.
[[nodiscard]] std::vector<TopicWord> topics();

}  // namespace fairstream::figures
