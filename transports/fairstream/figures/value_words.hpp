#pragma once
/// Words that appear in reports as values, and topics.

#include <string>
#include <string_view>
#include <vector>

#include <fairstream/models/model.hpp>

namespace fairstream::figures {

/// Returns the meaning of this outcome of a step, a refinement or a search.
[[nodiscard]] std::string_view meaning_of(Outcome outcome);

struct ValueWord {
    std::string value;
    std::string place;  ///< where it appears: "value of outcome"
    std::string meaning;
};
/// Returns the values of `outcome`, the states of a monitor's bounds, and the knee of a front.
[[nodiscard]] std::vector<ValueWord> value_words();

struct TopicWord {
    std::string_view topic;  ///< "labels", of "labels.NAME"
    std::string_view meaning;
};
/// Returns the kinds of topic of an engine: one entry stands for the topics of all models that have it.
[[nodiscard]] std::vector<TopicWord> topics();

}  // namespace fairstream::figures
