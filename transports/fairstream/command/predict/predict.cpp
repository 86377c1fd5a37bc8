#include <fairstream/command/predict/predict.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fairstream/command/console/console_listener.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/predict/predict_report.hpp>
#include <fairstream/command/predict/predict_request.hpp>
#include <fairstream/command/predict/predicted_points.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/files/rows/input_file.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/input/stream_columns.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/wire/text_id.hpp>

namespace fairstream::command {
namespace {

/// Bytes of features and groups in one question when the points need not be labelled together: far below an engine's
/// limit for a message.
constexpr std::size_t question_bytes = std::size_t{256} << 10;

std::unique_ptr<AskedEngine> open_engine(const PredictOptions& options) {
    if (!options.asks_engine()) return recover_engine(options.by, options.threads);
    require_endpoint("--by", options.by);
    return ask_engine_at(control_options(options.by, options.timeout, options.keys));
}

/// Asks one model, batch by batch.
class Predictor {
public:
    Predictor(AskedEngine& engine, const PredictOptions& options, const AskedModel& model)
        : engine_(engine),
          options_(options),
          model_(model),
          clusters_(cluster_count(model.options)),
          fair_(asks_for_fair_labels(options, model, engine.format())),
          attributes_(needed_attributes(fair_, model, engine.format())) {
        prediction_.model = model.name;
        prediction_.kind = model_name(model.options);
        prediction_.sequence = engine.sequence();
        if (!options.labels.empty()) prediction_.counts.assign(clusters_, 0);
    }

    /// Predicts all points of the input and writes the files.
    Prediction run(const StopSignals& signals) {
        files::PointSource source = open_source();
        listener_.enter(Listener::Phase::working);  // a file to be scaled has been read by now
        if (fair_)
            prediction_.fairness.emplace(model_, engine_.format(), attributes_, clusters_,
                                         engine_.retained(model_.name));
        Progress progress("predicting " + options_.input.name());
        for (PointColumns points; read(source, points);) {
            if (signals.requested()) throw std::runtime_error("stopped");
            engine_.note(points.features);
            fair_ ? keep(points, source.kept()) : answer(points, source.kept(), ask(points));
            progress.show(source.progress(), counted(prediction_.points, "point"));
        }
        if (!kept_.empty()) label_kept_points();
        prediction_.remarks = source.remarks();
        warn_of_repeated_ids();
        warn_of_columns(source.by_position());
        warn_of_changes();
        std::ranges::move(engine_.warnings(), std::back_inserter(prediction_.warnings));
        if (fair_)
            warn_of_targets();
        else
            warn_of_nearest();
        files().close();
        if (prediction_.points > 0) prediction_.mean /= static_cast<double>(prediction_.points);
        return std::move(prediction_);
    }

private:
    /// Opens the points. When a file lacks the columns of groups, its points are labelled without groups, unless fair
    /// labels were asked for.
    [[nodiscard]] files::PointSource open_source() {
        const auto open = [&] {
            return files::PointSource(options_.input,
                                      {engine_.format(), engine_.reader_settings(), "the stream of " + options_.by,
                                       "the configuration of " + options_.by, attributes_, engine_.is_saved_fit()},
                                      listener_);
        };
        if (!fair_ || options_.fair || !options_.input.groups.empty()) return open();
        try {
            return open();
        } catch (const InvalidInput& error) {
            if (files::is_read_once(options_.input.input))
                throw InvalidInput(error.reason(), std::string(error.what()) +
                                                       " (points without groups: --nearest gives them the nearest "
                                                       "clusters)");
        }
        fair_ = false;
        attributes_.clear();
        return open();
    }

    /// Keeps points until all have been read; then they are labelled.
    void keep(PointColumns& points, std::span<const std::string> cells) {
        kept_cells_.emplace_back(cells.begin(), cells.end());
        kept_bytes_ += points.features.size() * sizeof(float) + points.groups.size() * sizeof(GroupId);
        kept_points_ += points.ids.size();
        kept_.push_back(std::move(points));
    }

    /// Labels the kept points all at once, or in as few parts as the limit of a question allows. Each part takes points
    /// from the whole file, as a file may be sorted by group.
    void label_kept_points() {
        const std::size_t most = engine_.most_bytes_at_once();
        parts_ = std::min(kept_points_, kept_bytes_ / most + (kept_bytes_ % most > 0 ? 1 : 0));
        // Sizes of parts differ by at most one point.
        if (parts_ > 1 && (kept_points_ / parts_ + 1) * (kept_bytes_ / kept_points_) > most) ++parts_;
        const std::size_t d = engine_.format().dimensions, a = attributes_.size();
        std::vector<ClusterId> labels(kept_points_);
        for (std::size_t part = 0; part < parts_; ++part) {
            std::vector<float> rows;
            std::vector<GroupId> groups;
            for_each_kept(part, [&](const PointColumns& points, std::size_t i, std::size_t) {
                rows.insert(rows.end(), &points.features[i * d], &points.features[i * d] + d);
                groups.insert(groups.end(), points.groups.data() + i * a, points.groups.data() + (i + 1) * a);
            });
            const std::vector<ClusterId> of_part = engine_.assign_fair(model_.name, rows, groups);
            std::size_t next = 0;
            for_each_kept(part,
                          [&](const PointColumns&, std::size_t, std::size_t at) { labels[at] = of_part.at(next++); });
        }
        std::size_t first = 0;
        for (std::size_t batch = 0; batch < kept_.size(); ++batch) {
            const PointColumns& points = kept_[batch];
            Predicted predicted;
            const auto of_batch = std::span(labels).subspan(first, points.ids.size());
            predicted.labels.assign(of_batch.begin(), of_batch.end());
            if (!options_.rows.empty()) predicted.rows = engine_.rows(model_.name, options_.rows.kind, points.features);
            require_started(predicted);
            answer(points, kept_cells_[batch], predicted);
            first += points.ids.size();
        }
    }
    /// Visits the points of a part, which are every `parts_`-th point, with the position of each in its batch and among
    /// all points.
    template <class Visit> void for_each_kept(std::size_t part, const Visit& visit) const {
        std::size_t at = 0;
        for (const PointColumns& points : kept_)
            for (std::size_t i = 0; i < points.ids.size(); ++i, ++at)
                if (at % parts_ == part) visit(points, i, at);
    }

    void answer(const PointColumns& points, std::span<const std::string> cells, const Predicted& predicted) {
        files().write(points, cells, predicted);
        count(predicted);
        if (prediction_.fairness)
            prediction_.fairness->add(predicted.labels, points.groups, engine_.assign(model_.name, points.features));
        prediction_.points += points.ids.size();
        compare_ids(points);
    }

    void warn_of_targets() {
        if (prediction_.points == 0) return;
        if (prediction_.fairness->has_no_known_group())
            prediction_.warnings.emplace_back("no point has a known group, so each gets its nearest cluster" +
                                              why_unknown());
        if (prediction_.fairness->ignores_size_targets())
            prediction_.warnings.emplace_back(
                "these labels do not keep the size targets (size_at_least, size_at_most), which are only for the "
                "model's own points");
        const std::vector<TargetNote> missed = prediction_.fairness->missed_targets();
        const bool knows = prediction_.fairness->knows_missed_targets();
        if (!prediction_.fairness->has_enough_points())
            prediction_.warnings.push_back(
                "a group has fewer points than there are clusters, so points were labelled one after another: the "
                "targets " +
                std::string(knows && missed.empty() ? "hold for" : "are judged on") +
                " these points together with the model's own points" +
                std::string(knows ? ""
                                  : ", and a running engine with weights cannot say whether targets are kept; ask the "
                                    "recording with --by RECORDING"));
        for (const TargetNote& target : missed)
            prediction_.warnings.push_back("target missed by these points: " + target.text);
        if (parts_ > 1)
            prediction_.warnings.emplace_back(
                "the points were assigned in " + counted(parts_, "part") +
                ", each part separately, as the engine takes only max_message_bytes of [ingest] at once; --by "
                "RECORDING assigns all points together, at a lower cost, and may keep targets that the parts miss");
    }

    /// Returns why no group is known: the group column is empty, or its texts are no groups of the stream. Empty
    /// without such cells.
    [[nodiscard]] std::string why_unknown() const {
        std::string empty;
        for (const files::UnlistedCells& cells : prediction_.remarks.unlisted) {
            if (cells.kind != files::UnlistedCells::Kind::groups) continue;
            if (cells.first.size() > 1 || !cells.first.at(0).first.empty())
                return ": are the groups spelled as in " + options_.by + "?";
            empty += (empty.empty() ? ": column " : ", ") + files::shown(cells.column) + " is empty";
        }
        return empty;
    }

    /// Warns that the nearest clusters, which were not asked for, keep no target. Adds the balances that nearest
    /// clusters would give the model's own points.
    void warn_of_nearest() {
        const StreamFormat& format = engine_.format();
        if (options_.labels.empty() || options_.nearest || !has_group_targets(model_, format)) return;
        const ModelKind& kind = model_.options.kind();
        std::string text = kind.assigns_fairly() ? "the points have no groups (" + names_of_groups() + ")"
                                                 : std::string(kind.name()) + " has no fair assignment of new points";
        text += ": each point gets its nearest cluster, and the model's targets are not kept";
        if (const std::optional<FairnessTally> nearest = engine_.nearest_retained(model_.name)) {
            const std::optional<FairnessTally> labelled = engine_.retained(model_.name).labelled;
            for (const int attribute : kind.protected_attributes(model_.options))
                text += "; for " + files::shown(format.attributes[static_cast<std::size_t>(attribute)].name) +
                        " the model's own points have balance " +
                        fixed_down(attribute_fairness(labelled.value(), attribute).balance) + ", and would have " +
                        fixed_down(attribute_fairness(*nearest, attribute).balance) + " in the nearest clusters";
        }
        prediction_.warnings.push_back(std::move(text));
    }
    [[nodiscard]] std::string names_of_groups() const {
        std::string names;
        for (const int attribute : model_.options.kind().protected_attributes(model_.options))
            names += (names.empty() ? "column " : ", ") +
                     files::shown(engine_.format().attributes[static_cast<std::size_t>(attribute)].name);
        return names;
    }

    [[nodiscard]] std::size_t points_at_once() const {
        const std::size_t bytes =
            engine_.format().dimensions * sizeof(float) + attributes_.size() * sizeof(GroupId) + 1;
        return std::clamp<std::size_t>(std::min(engine_.most_bytes_at_once(), question_bytes) / bytes, 1, 8192);
    }

    /// Reads points. The error of a bad file also says how many points were written before it.
    [[nodiscard]] bool read(files::PointSource& source, PointColumns& points) const {
        try {
            return source.read(points_at_once(), points) > 0;
        } catch (const InvalidInput& error) {
            if (prediction_.points == 0) throw;
            throw InvalidInput(error.reason(), std::string(error.what()) + " (the lines of the first " +
                                                   counted(prediction_.points, "point") +
                                                   (prediction_.points == 1 ? " is" : " are") + " written already)");
        }
    }

    /// Returns the output files. They are created with the first points, so a bad input leaves none.
    [[nodiscard]] PredictedPoints& files() {
        if (!files_) files_.emplace(options_, clusters_, gives_predictions(model_.options) ? "prediction" : "score");
        return *files_;
    }

    [[nodiscard]] Predicted ask(const PointColumns& points) {
        Predicted predicted;
        if (!options_.labels.empty()) predicted.labels = engine_.assign(model_.name, points.features);
        if (!options_.scores.empty()) predicted.scores = engine_.score(model_.name, points.features, points.groups);
        if (!options_.rows.empty()) predicted.rows = engine_.rows(model_.name, options_.rows.kind, points.features);
        require_started(predicted);
        return predicted;
    }

    /// Throws when the model has not started, since it then labels no point.
    void require_started(const Predicted& predicted) {
        const std::vector<float>& shares = predicted.rows;
        const bool is_warming = std::ranges::count(predicted.labels, no_cluster) > 0 ||
                                std::ranges::count(predicted.scores, no_score) > 0 ||
                                (!shares.empty() && std::ranges::all_of(shares, [](float p) { return p == 0; }));
        if (!is_warming) return;
        throw InvalidInput(Reason::not_ready, model_.name + " of " + options_.by +
                                                  " has no result yet: " + counted(engine_.retained_points(), "point") +
                                                  " retained, which is too few" +
                                                  (clusters_ > 0 ? " for " + counted(clusters_, "cluster") : "") +
                                                  ", or its first step runs in the background (option 'every' is above "
                                                  "0) and becomes visible when the next step is due");
    }

    void count(const Predicted& predicted) {
        for (const ClusterId label : predicted.labels) {
            const auto cluster = static_cast<std::size_t>(label);
            // A running engine may have gained clusters meanwhile.
            if (cluster >= prediction_.counts.size()) prediction_.counts.resize(cluster + 1);
            ++prediction_.counts[cluster];
        }
        if (predicted.scores.empty()) return;
        const auto [least, largest] = std::ranges::minmax(predicted.scores);
        const bool first = prediction_.points == 0;
        prediction_.least = first ? least : std::min(prediction_.least, least);
        prediction_.largest = first ? largest : std::max(prediction_.largest, largest);
        for (const Score score : predicted.scores) prediction_.mean += score;  // holds the sum until the end
    }

    /// Counts rows with a repeated id, among the first few million rows. Ids that are texts are compared by hash, which
    /// is enough for a warning.
    void compare_ids(const PointColumns& points) {
        constexpr std::size_t most_compared = std::size_t{1} << 22;
        if (options_.input.id.empty()) return;
        for (std::size_t i = 0; i < points.ids.size() && ids_.size() < most_compared; ++i)
            repeated_ids_ +=
                !ids_.insert(points.id_texts.empty() ? points.ids[i] : wire::text_id(points.id_texts[i])).second;
    }
    void warn_of_repeated_ids() {
        if (repeated_ids_ > 0)
            prediction_.warnings.push_back(counted(repeated_ids_, "row") + (repeated_ids_ == 1 ? " has" : " have") +
                                           " the id of an earlier row; each row is labelled as a separate point");
    }

    void warn_of_columns(const std::vector<std::string>& by_position) {
        prediction_.warnings.insert(prediction_.warnings.end(), by_position.begin(), by_position.end());
        if (auto note = files::shape_note(options_.input, prediction_.remarks))
            prediction_.warnings.push_back(std::move(*note));
        for (const std::string& column : prediction_.remarks.absent_columns)
            prediction_.warnings.push_back(files::absent_column_note(column));
        for (const files::CoarseColumn& coarse : prediction_.remarks.coarse)
            prediction_.warnings.push_back("column " + files::shown(coarse.column) + ": features are float32, so " +
                                           fixed(100 * coarse.lost, 0) +
                                           " % of the differences between one row and the next are lost");
    }

    void warn_of_changes() {
        const Sequence now = engine_.sequence();
        if (now == prediction_.sequence) return;
        prediction_.warnings.push_back("the engine continued from event " + std::to_string(prediction_.sequence) +
                                       " to " + std::to_string(now) +
                                       " meanwhile; later points may have been labelled by a later state");
    }

    AskedEngine& engine_;
    ConsoleListener listener_;
    const PredictOptions& options_;
    const AskedModel& model_;
    std::size_t clusters_;
    bool fair_;                                         // whether labels keep the targets
    std::vector<int> attributes_;                       // attributes whose groups are needed
    std::vector<PointColumns> kept_;                    // to be assigned together, in the batches as read
    std::vector<std::vector<std::string>> kept_cells_;  // cells of the columns to copy beside the labels, by batch
    std::size_t kept_bytes_ = 0, kept_points_ = 0;
    std::size_t parts_ = 1;  // number of parts; the points of a part are assigned together
    std::optional<PredictedPoints> files_;
    Prediction prediction_;
    std::unordered_set<PointId> ids_;
    std::uint64_t repeated_ids_ = 0;
};

void write_reports(const PredictOptions& options, const Prediction& prediction) {
    if (!options.report.empty()) files::write_file(options.report, prediction_json(options, prediction));
    if (options.json) return print_report(prediction_json(options, prediction), options.outputs());
    for (const std::string& warning : prediction.warnings) std::fprintf(stderr, "%s\n", warning.c_str());
    print_report(prediction_summary(options, prediction), options.outputs());
}

}  // namespace

std::string predict_help() {
    return "\nThe output has a line for each point, in the order of the file: id,label or id,score or id,prediction, "
           "or id,p0,p1,... with --probabilities. --with age,sex adds columns of the file to the labels. Without "
           "--labels, --scores and --probabilities the output goes to standard output, and the report to standard "
           "error.\n\nThe file is read as fairstream send reads it for the engine. Columns have the names of the "
           "stream's features unless --features names others. Texts, dates and missing values mean the same as in the "
           "stream. Group columns are needed for the targets of a clustering and for scorers with group terms. Targets "
           "and weights are not needed.\n\nThe model does not learn from the points: none of its labels, scores or "
           "figures change. A recording is only read, even while an engine writes it. A point that the model retains "
           "may have another label there.\n\nIf a clustering has targets on groups (safairkm, live_front) and the "
           "points have groups, labels keep the targets. If each group that counts has at least as many points as "
           "there are clusters, the targets hold among the points of the file, at about the least cost. With fewer "
           "points, each is labelled in turn, together with the model's own points. The command reports the missed "
           "targets and the balance of the nearest clusters. A running engine labels the points of one message "
           "together; more points come in parts, at a higher cost. Without groups each point gets its nearest cluster, "
           "which keeps no target, and a warning says so.\n\nWith targets, the protected attribute of a person also "
           "decides the label. Where the law forbids that, --nearest ignores it.\n\nExit codes: 0 done; 1 failed or "
           "stopped; 2 wrong use or bad input; 3 done and written, but the labels miss a target; 4 done and written, "
           "and the labels keep all targets except for groups that are too rare.\n";
}

int run_predict(const PredictOptions& given) {
    files::check_input(given.input);
    files::check_outputs(given.outputs(),
                         {given.input.input, given.input.rows,
                          given.asks_engine() ? std::filesystem::path() : std::filesystem::path(given.by)});
    StopSignals signals;
    const std::unique_ptr<AskedEngine> engine =
        open_engine(given);  // a signal ends the process at once: nothing is written yet
    const auto handler = signals.poll_for_stop();
    const AskedModel& model = asked_model(given, engine->models());
    const PredictOptions options = completed(given, model, engine->format());
    files::check_outputs(options.outputs(), {});  // also the output to standard output
    const Prediction prediction = Predictor(*engine, options, model).run(signals);
    write_reports(options, prediction);
    if (!prediction.fairness) return 0;
    if (!prediction.fairness->missed_targets().empty()) return fit::target_missed;
    return fit::exit_code_of_met_targets(prediction.fairness->left_out());
}

}  // namespace fairstream::command
