#include <fairstream/command/predict/predict_report.hpp>

#include <nlohmann/json.hpp>

#include <fairstream/command/live/send_report.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/fit/stages/input_json.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {

using nlohmann::ordered_json;

std::string prediction_json(const PredictOptions& options, const Prediction& prediction) {
    ordered_json json = {{"by", options.by},
                         {"model", prediction.model},
                         {"kind", prediction.kind},
                         {"sequence", prediction.sequence},
                         {"fair", prediction.fairness.has_value()},
                         {"input", fit::input_json(options.input)},
                         {"points", prediction.points}};
    if (!options.labels.empty()) json["cluster_sizes"] = prediction.counts;
    if (!options.scores.empty() && prediction.points > 0)
        json.update({{"score_least", prediction.least},
                     {"score_mean", prediction.mean},
                     {"score_largest", prediction.largest}});
    if (prediction.fairness && prediction.points > 0)
        prediction.fairness->add_to(json);
    else if (!options.labels.empty())
        json["assignment"] = "nearest";
    add_remarks(prediction.remarks, json);
    json["warnings"] = prediction.warnings;
    json["version"] = FAIRSTREAM_VERSION;
    return figures::report_text(json) + "\n";
}

std::string prediction_summary(const PredictOptions& options, const Prediction& prediction) {
    std::string text = counted(prediction.points, "point") + " of " + options.input.name() + " by " + prediction.model +
                       " of " + options.by + " as of event " + counted(static_cast<std::int64_t>(prediction.sequence));
    if (prediction.fairness) text += ", for its targets";
    if (!options.scores.empty() && prediction.points > 0)
        text += ": " + brief(prediction.least) + " to " + brief(prediction.largest) + ", " + brief(prediction.mean) +
                " on average";
    text += "\n";
    if (prediction.fairness && prediction.points > 0) text += prediction.fairness->summary();
    for (const std::string& line : files::rows_without_lines(prediction.remarks)) text += line + "\n";
    if (prediction.remarks.bad_rows > 0)
        text += "left out " + counted(prediction.remarks.bad_rows, "row") +
                " that cannot be used; the first: " + prediction.remarks.first_bad.at(0) + "\n";
    text += missing_text(prediction.remarks.missing);
    return text + unlisted_lines(prediction.remarks.unlisted);
}

}  // namespace fairstream::command
