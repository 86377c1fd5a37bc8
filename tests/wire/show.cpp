#include <cinttypes>
#include <cstdio>

#include "wire/samples.hpp"

namespace fairstream::wire::test {

namespace {

class Text {
public:
    void add(std::uint64_t value) { out_ += std::to_string(value) + ' '; }
    void add(std::int64_t value) { out_ += std::to_string(value) + ' '; }
    void add(std::uint32_t value) { add(std::uint64_t{value}); }
    void add(std::int32_t value) { add(std::int64_t{value}); }
    void add(std::uint16_t value) { add(std::uint64_t{value}); }
    void add(std::uint8_t value) { add(std::uint64_t{value}); }
    void add(std::byte value) { add(static_cast<std::uint8_t>(value)); }
    void add(bool value) { out_ += value ? "true " : "false "; }
    void add(float value) { add(static_cast<double>(value)); }
    void add(double value) {
        char text[40];
        std::snprintf(text, sizeof text, "%a ", value);
        out_ += text;
    }
    void add(const std::string& value) { out_ += '"' + value + "\" "; }
    void add(Reason reason) { add(static_cast<std::uint16_t>(reason)); }
    void add(Outcome outcome) { add(static_cast<std::uint8_t>(outcome)); }

    void add(const KnownEvent& v) { all("known", v.recording, v.sequence, v.running_hash); }
    void add(const Hello& v) {
        all("hello", v.producer, v.epoch, v.refused_up_to);
        if (v.known) add(*v.known);
    }
    void add(const PointBatch& v) {
        all("batch", v.ids, v.features, v.groups, v.targets, v.event_time, v.weights, v.id_texts);
    }
    void add(const KnobChange& v) { all("knob", v.model, v.option, v.value); }
    void add(const Refinement& v) { all("refinement", v.model, v.rounds); }
    void add(const EpochFloor& v) { all("floor", v.client, v.epoch); }
    void add(const ProducerExpiry& v) {
        all("expiry", v.last_sequence);
        if (!v.names.empty()) all("forgotten", v.names, v.floors, v.removed);
    }
    void add(const EventMessage& v) { all("event", v.producer, v.epoch, v.producer_sequence, v.event); }
    void add(const Attribute& v) { all("attribute", v.name, v.groups, v.has_unknown); }
    void add(const FeatureColumn& v) {
        all("column", v.name, v.levels, v.may_be_missing, v.buckets, static_cast<int>(v.dates));
    }
    void add(const StreamFormat& v) {
        all("format", v.dimensions, v.attributes, v.has_targets, v.has_weights, v.columns, v.has_text_ids);
        if (v.targets_come_later) out_ += "later ";
        if (v.numbers_texts()) out_ += "numbers texts ";
    }
    void add(const files::ReaderSettings& v) {
        if (!v.missing_texts.empty()) all("missing texts", v.missing_texts);
        if (v.decimal_mark != files::DecimalMark::found) all("decimal mark", static_cast<int>(v.decimal_mark));
        for (std::size_t i = 0; i < v.date_orders.size(); ++i)
            if (v.date_orders[i] != files::DateOrder::year_first) all("dates", i, static_cast<int>(v.date_orders[i]));
    }
    void add(const Welcome& v) {
        all("welcome", v.next_producer_sequence, v.format, v.reader_settings, v.max_message_bytes, v.known_sequence);
        const WindowLimits& limits = v.window_limits;
        if (limits.max_age != 0 || limits.latest_time != 0) all("age", limits.max_age, limits.latest_time);
        if (limits.capacity > 0) all("capacity", limits.capacity);
        if (limits.ahead_at_most > 0) all("ahead", limits.ahead_at_most);
        if (v.scales) all("scales");
    }
    void add(const Ack& v) {
        all("ack", v.producer_sequence, v.sequence, v.running_hash, v.late_points, v.late_before);
        const auto& [not_retained, replaced, outcomes_dropped] = v.counts;
        if (not_retained > 0) all("not retained", not_retained);
        if (replaced + outcomes_dropped > 0) all("replaced", replaced, outcomes_dropped);
    }
    void add(const Nack& v) {
        all("nack", v.producer_sequence, v.reason, v.text, v.next_producer_sequence, v.newest_epoch);
    }
    void add(const Ending&) { all("ending"); }
    void add(const IngestReply& v) { all("reply", v.recording, v.credit, v.body, v.life); }
    template <class T> void add(const OutputUpdate<T>& v) {
        all(PointOutput<T>::name, v.departed, v.ids, v.outputs, v.provisional, v.id_texts);
    }
    void add(const AttributeReport& v) {
        out_ += "attribute{";
        for (const auto& figure : cluster_figures) all(figure.name.data(), v.*figure.value);
        all("counts", v.attribute, v.counts, v.weights, v.known);
        out_ += "} ";
    }
    void add(const FairnessReport& v) {
        all("fairness", v.cost, v.churn, v.outcome, v.iterations, v.moves, v.swaps, v.points, v.fairness, v.figures);
    }
    void add(const ClusterReport& v) { all("clusters", v.clusters, v.dimensions, v.sizes, v.centres, v.weights); }
    void add(const OperatingPoint& v) {
        all("point", v.kmeans_updates, v.swaps, v.balance_at_least, v.cost, v.balance, v.published);
    }
    void add(const Membership& v) { all("membership", v.cluster, v.probability); }
    void add(const ScoreFairness& v) {
        out_ += "score fairness{";
        const auto field = [this](int, const auto& value) { add(value); };
        ScoreFairness::fields(v, field);
        if (v.intervals) {
            const auto ends = [this](int, const Interval& interval) { all("interval", interval.low, interval.high); };
            ScoreIntervals::fields(*v.intervals, ends);
        }
        if (!v.without_positives.empty()) all("without positives", v.without_positives);
        if (!v.without_negatives.empty()) all("without negatives", v.without_negatives);
        out_ += "} ";
    }
    void add(const PredictionFairness& v) {
        out_ += v.mse ? "judged predictions{" : "predictions{";
        all("figures", v.points, v.mse.value_or(0), v.ks, v.wasserstein, v.mean_gap, v.ks_by_chance);
        out_ += "} ";
    }
    void add(const Outcomes& v) {
        all("outcomes", v.ids, v.targets);
        if (!v.id_texts.empty()) all("texts", v.id_texts);
    }
    void add(const PointRemoval& v) {
        all("point removal", v.ids);
        if (!v.id_texts.empty()) all("texts", v.id_texts);
    }
    void add(const RemovedPoints& v) { all("removed", v.sequence, v.points, v.not_retained); }
    void add(const Interval& v) { all("interval", v.low, v.high); }
    void add(const RateFigure& v) { all("rate", v.points, v.weight, v.value, v.interval, v.is_compared); }
    void add(const GroupFigures& v) {
        all("group", v.groups, v.is_known, v.points, v.without_outcome, v.weight,
            std::vector<RateFigure>(v.rates.begin(), v.rates.end()), v.calibration.points, v.calibration.error,
            v.calibration.gap, v.calibration.gap_interval);
    }
    void add(const GroupComparison& v) {
        all("comparison", v.groups, v.difference, v.interval, v.ratio.has_value(), v.ratio.value_or(0));
    }
    void add(const AttributeMetrics& v) {
        all("attribute", v.attributes, v.groups, v.demographic_parity, v.equal_opportunity, v.equalised_odds,
            std::string(to_string(v.parity)), std::string(to_string(v.odds)));
    }
    void add(const GroupMetrics& v) { all("groups", v.all, v.attributes); }
    void add(const Layer& v) {
        all("layer", v.weights.rows, v.weights.cols, v.weights.values, v.bias,
            std::string(activation_names[static_cast<std::size_t>(v.activation)]));
    }
    void add(const NetworkReport& v) { all("network", v.network.layers); }
    void add(const NamedFigure& v) { all("figure", v.name, v.value, v.unit); }
    void add(const FigureMeaning& v) { all("figure", v.name, v.unit, v.meaning); }
    void add(const FrontReport& v) { all("front", v.points); }
    void add(const TopicMark& v) { all("mark", v.topic, v.topic_sequence, v.running_hash); }
    void add(const Status& v) { all("status", v.topics, v.retained, v.condition, v.ending); }
    void add(const Condition& v) {
        all("condition", v.late_points, v.preparation.renewals, v.preparation.drift, v.preparation.column,
            v.drift_name);
    }
    void add(const Publication& v) {
        all("publication", v.recording, v.topic, v.topic_sequence, v.sequence, v.body, v.running_hash, v.previous_hash);
    }
    void add(const SnapshotRequest& v) { all("snapshot", v.topic); }
    void add(const RangeRequest& v) { all("range", v.topic, v.first, v.last); }
    void add(const AssignRequest& v) { all("assign", v.model, v.features, v.groups, v.together); }
    void add(const RowRequest& v) { all("memberships", v.model, v.features); }
    void add(const ReportRequest& v) { all("report", v.model); }
    void add(HealthRequest) { all("health"); }
    void add(StopRequest) { all("stop"); }
    void add(DescriptionRequest) { all("description"); }
    void add(ProducersRequest) { all("producers"); }
    void add(const RemovalRequest& v) { all("removal", v.producer); }
    void add(const KnownRequest& v) { all("known request", v.event); }
    void add(const ControlRequest& v) { all("request", v.request, v.body); }
    void add(const Publications& v) {
        out_ += "publications{";
        for (const Bytes bytes : v.messages) {
            try {
                const AlignedMessage message(bytes);
                add(read_publication(message));
            } catch (const InvalidInput&) {
                add(bytes);  // none
            }
        }
        out_ += "} ";
    }
    template <class T> void add(const Answered<T>& v) { add(v.values); }
    void add(const Assigned& v) { all("assigned", v.outputs); }
    void add(const ModelReport& v) { all("report", v.fairness, v.clusters, v.cost_meaning, v.figures); }
    void add(const Done& v) { all("done", v.sequence); }
    void add(const ProducerState& v) {
        all("producer", v.name, v.client, v.epoch, v.producer_sequence, v.last_sequence);
    }
    void add(const Producers& v) { all("producers", v.producers); }
    void add(const Health& v) {
        all("health", v.ready, v.sequence, v.retained, v.producers, v.refused, v.uptime_seconds, v.cpu_level, v.version,
            v.activity, v.running_hash, v.condition);
        if (v.subscribers > 0) all("subscribers", v.subscribers);
        if (v.uncommitted_seconds > 0) all("uncommitted", v.uncommitted_seconds);
        if (v.recording_bytes > 0) all("recording", v.recording_bytes, v.first_sequence);
        if (v.bytes_a_day) all("growth", *v.bytes_a_day);
    }
    void add(const OptionState& v) { all("option", v.name, v.value, v.configured, v.live); }
    void add(const ModelDescription& v) { all("model", v.name, v.kind, v.options, v.every, v.stepped_at); }
    void add(const Description& v) {
        all("description", v.sequence, v.recording, v.format, v.reader_settings, v.models, v.events, v.points,
            v.max_message_bytes);
        if (v.capacity > 0) all("capacity", v.capacity);
    }
    void add(const ControlReply& v) { all("reply", v.request, v.recording, v.body); }

    void add(const TextSpan& texts) {
        for (std::size_t i = 0; i < texts.size(); ++i) add(std::string(texts[i]));
    }
    template <class T> void add(std::span<const T> values) {
        out_ += '[';
        for (const T& value : values) add(value);
        out_ += "] ";
    }
    template <class T> void add(const std::vector<T>& values) { add(std::span<const T>(values)); }
    template <class T, std::size_t n> void add(const std::array<T, n>& values) { add(std::span<const T>(values)); }
    template <class... T> void add(const std::variant<T...>& value) {
        std::visit([this](const auto& alternative) { add(alternative); }, value);
    }

    [[nodiscard]] std::string take() { return std::move(out_); }

private:
    template <class... Fields> void all(const char* name, const Fields&... fields) {
        out_ += std::string(name) + "{";
        (add(fields), ...);
        out_ += "} ";
    }

    std::string out_;
};

}  // namespace

std::string show(const Message& message) {
    Text text;
    text.add(message);
    return text.take();
}

}  // namespace fairstream::wire::test
