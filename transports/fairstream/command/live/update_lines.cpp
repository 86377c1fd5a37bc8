#include <fairstream/command/live/update_lines.hpp>

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/figures/condition.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/figures/report_text.hpp>

namespace fairstream::command {

using nlohmann::ordered_json;

namespace {

template <class T> ordered_json json_of(const zmq::ViewChanges<T>& changes) {
    return {{"line", wire::PointOutput<T>::name},
            {"sequence", changes.sequence},
            {"topic_sequence", changes.topic_sequence},
            {"snapshot", changes.replaced},
            {"changes", changes.ids.size()},
            {"departed", changes.departed.size()}};
}

ordered_json json_of(const zmq::FairnessUpdate& update) {
    ordered_json line = {{"line", "fairness"}, {"sequence", update.sequence}};
    line.update(figures::figures_json(update.report));
    return line;
}

ordered_json json_of(const zmq::ClusterUpdate& update) {
    const wire::ClusterReport& report = update.report;
    ordered_json centres = ordered_json::array();
    for (auto at = report.centres.begin(); at != report.centres.end(); at += report.dimensions)
        centres.push_back(std::vector<float>(at, at + report.dimensions));
    return {{"line", "clusters"},
            {"sequence", update.sequence},
            {"cluster_sizes", report.sizes},
            {"centres", std::move(centres)}};
}

ordered_json json_of(const zmq::FrontUpdate& update) {
    ordered_json line = figures::front_json(update.report.points);
    line["line"] = "front";
    line["sequence"] = update.sequence;
    return line;
}

ordered_json json_of(const zmq::Consistency& change) {
    return {{"line", "consistency"}, {"sequence", change.sequence}, {"consistent", change.consistent}};
}

ordered_json json_of(const zmq::LostEvents& lost) {
    return {{"line", "lost_events"}, {"known_until", lost.known}};
}

std::string line_of(ordered_json json, const std::string& model) {
    json["model"] = model;
    return figures::report_line(json) + "\n";
}

}  // namespace

std::string connected_json(const std::optional<wire::Description>& description, Sequence sequence,
                           const std::string& model) {
    ordered_json json = {{"line", "connected"}, {"sequence", sequence}};
    json["recording"] = description ? ordered_json(description->recording) : ordered_json();
    json["groups_by_attribute"] = description ? ordered_json::object() : ordered_json();
    if (description)
        for (const Attribute& attribute : description->format.attributes)
            json["groups_by_attribute"][attribute.name] = attribute.groups;
    return line_of(std::move(json), model);
}

std::string ended_json(bool in_order, Sequence sequence, const std::string& model) {
    return line_of({{"line", "ended"}, {"sequence", sequence}, {"in_order", in_order}}, model);
}

std::string condition_json(const wire::Condition& condition, const std::string& model) {
    ordered_json json = {{"line", "condition"}};
    figures::add_condition(condition, json);
    return line_of(std::move(json), model);
}

template <class Event> std::string event_json(const Event& event, const std::string& model) {
    return line_of(std::visit([](const auto& of_kind) { return json_of(of_kind); }, event), model);
}

#define FAIRSTREAM_INSTANTIATE(T) template std::string event_json(const zmq::Subscriber<T>::Event&, const std::string&);
FAIRSTREAM_EACH_POINT_OUTPUT(FAIRSTREAM_INSTANTIATE)
FAIRSTREAM_INSTANTIATE(NoOutput)
#undef FAIRSTREAM_INSTANTIATE

}  // namespace fairstream::command
