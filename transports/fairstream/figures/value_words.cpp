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
    {{BoundStatus::none, "no bound is set"},
     {BoundStatus::within, "the difference is at most its bound, and no group's rate is missing"},
     {BoundStatus::unclear, "the difference is above its bound by no more than its sampling error"},
     {BoundStatus::left, "the difference is above its bound by more than its sampling error"},
     {BoundStatus::unmeasured,
      "fewer than two groups can be compared; or the difference is at most its bound, but a group's rate is missing"}}};

constexpr auto other_topics = std::to_array<TopicWord>({
    {"fairness", "cost, fairness and the model's own figures"},
    {"clusters", "sizes and centres of the clusters"},
    {"front", "operating points of a model that keeps several clusterings"},
    {"network", "network that predicts, whenever it changes"},
    {"status", "newest update of each topic, about once a second; the topic's name has no model"},
});

}  // namespace

std::string_view meaning_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::converged:
            return "any targets are met, and no further improvement was found";
        case Outcome::iteration_limit:
            return "the step used up its work limit; without a target, every step ends so";
        case Outcome::stalled:
            return "a target is missed, and nothing closer was found; the numbers of points do not rule the target out";
        case Outcome::unattainable:
            return "a target is missed, and the numbers of points prove that no clustering can meet it";
        case Outcome::warming:
            return "too few points to start: the points are retained, but none has an output yet";
    }
    return "";
}

std::vector<ValueWord> value_words() {
    std::vector<ValueWord> words;
    for (const Outcome outcome : outcomes)
        words.push_back({std::string(to_string(outcome)), "value of outcome", std::string(meaning_of(outcome))});
    for (const auto& [status, meaning] : bound_meanings)
        words.push_back({std::string(to_string(status)), "value of parity_bound, odds_bound", std::string(meaning)});
    words.push_back({"knee", "--pick of front, and a mark in its table",
                     "point of the front farthest above the straight line between its ends: beyond it, the same gain "
                     "in fairness costs more"});
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
