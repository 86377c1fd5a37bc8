#include <fairstream/figures/value_words.hpp>

#include <array>
#include <utility>

#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/wire/point_outputs.hpp>

namespace fairstream::figures {
namespace {

constexpr std::array outcomes{Outcome::converged, Outcome::iteration_limit, Outcome::stalled, Outcome::unattainable,
                              Outcome::warming};

constexpr std::array<std::pair<BoundStatus, std::string_view>, 5> bound_meanings{
    {{BoundStatus::none, "there is no bound"},
     {BoundStatus::within, "the difference is at most its bound, and no group's rate is missing"},
     {BoundStatus::unclear, "the difference is above its bound by no more than its sampling error"},
     {BoundStatus::left, "the difference is above its bound by more than its sampling error"},
     {BoundStatus::unmeasured,
      "there is no difference, or it is at most its bound and a group's rate is missing, so that nothing is known of "
      "that group"}}};

constexpr auto other_topics = std::to_array<TopicWord>({
    {"fairness", "cost, fairness and the model's own figures"},
    {"clusters", "sizes and centres"},
    {"front", "the operating points of a model that keeps several clusterings"},
    {"network", "the network that predicts, when it becomes another one"},
    {"status", "how far each topic is, about once a second; it has no model's name behind it"},
});

}  // namespace

std::string_view meaning_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::converged:
            return "the targets are met where there are any, and nothing found improves the model further";
        case Outcome::iteration_limit:
            return "it did the work that it may do at a time; of a model without a target every step ends so";
        case Outcome::stalled:
            return "a target is missed, and nothing found comes nearer, though the numbers of points do not rule it "
                   "out";
        case Outcome::unattainable:
            return "a target is missed, and the numbers of points prove that no clustering meets it";
        case Outcome::warming:
            return "there are too few points to start: they are retained, and none has an output yet";
    }
    return "";
}

std::vector<ValueWord> value_words() {
    std::vector<ValueWord> words;
    for (const Outcome outcome : outcomes)
        words.push_back({std::string(to_string(outcome)), "value of outcome", std::string(meaning_of(outcome))});
    for (const auto& [status, meaning] : bound_meanings)
        words.push_back({std::string(to_string(status)), "value of parity_bound, odds_bound", std::string(meaning)});
    words.push_back(
        {"knee", "--pick of front, and a mark in its table",
         "the point of the front that lies farthest above the straight line between its ends: from there on more "
         "fairness costs more"});
    return words;
}

std::vector<TopicWord> topics() {
    using wire::PointOutputs;
    std::vector<TopicWord> all;
    for (std::size_t i = 0; i < PointOutputs::names.size(); ++i)
        all.push_back({PointOutputs::names[i], PointOutputs::meanings[i]});
    all.insert(all.end(), other_topics.begin(), other_topics.end());
    return all;
}

}  // namespace fairstream::figures
