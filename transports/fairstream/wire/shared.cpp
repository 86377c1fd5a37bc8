/// Common parts of several messages.

#include <algorithm>

#include <fairstream/fairness/score_figures.hpp>
#include <fairstream/wire/detail/conversions.hpp>
#include <fairstream/wire/detail/figures.hpp>

namespace fairstream::wire::detail {

KnobChange read_knob(schema::KnobChange::Reader reader) {
    return {model_name(reader.getModel()), text(reader.getOption(), "option", 1, name_limit),
            text(reader.getValue(), "value", 0, text_limit)};
}

Refinement read_refinement(schema::Refinement::Reader reader) {
    return {model_name(reader.getModel()), reader.getRounds()};
}

PointRemoval read_point_removal(schema::PointRemoval::Reader reader) {
    return {column<PointId>(reader.getIds(), "ids"),
            texts(reader.getIdTexts(), reader.getIdTextEnds(), "texts of ids")};
}

void write_point_removal(const PointRemoval& removal, schema::PointRemoval::Builder out) {
    out.setIds(bytes_of(removal.ids, "ids"));
    write_id_texts(removal.id_texts, out);
}

KnownEvent read_known(schema::KnownEvent::Reader reader) {
    return {recording_id(reader.getRecording()), reader.getSequence(), reader.getRunningHash()};
}

void write_known(const KnownEvent& event, schema::KnownEvent::Builder out) {
    out.setRecording(bytes_of(event.recording));
    out.setSequence(event.sequence);
    out.setRunningHash(event.running_hash);
}

Nack read_nack(schema::Nack::Reader reader) {
    return {.producer_sequence = reader.getProducerSequence(),
            .reason = static_cast<Reason>(reader.getReason()),
            .text = text(reader.getText(), "text", 0, text_limit),
            .next_producer_sequence = reader.getNextProducerSequence(),
            .newest_epoch = reader.getNewestEpoch()};
}

Condition read_condition(schema::Condition::Reader reader) {
    return {.late_points = reader.getLatePoints(),
            .preparation = {reader.getRenewals(), reader.getDrift(), reader.getDriftColumn()},
            .drift_name = text(reader.getDriftName(), "column", 0, name_limit)};
}

void write_condition(const Condition& condition, schema::Condition::Builder out) {
    out.setLatePoints(condition.late_points);
    out.setRenewals(condition.preparation.renewals);
    out.setDrift(condition.preparation.drift);
    out.setDriftColumn(condition.preparation.column);
    if (!condition.drift_name.empty()) out.setDriftName(checked(condition.drift_name, "column", 0, name_limit));
}

std::vector<std::string> read_names(capnp::List<capnp::Text>::Reader reader, const char* list, const char* one) {
    std::vector<std::string> names;
    names.reserve(checked_count(reader.size(), list));
    for (const auto name : reader) names.push_back(text(name, one, 0, name_limit));
    return names;
}

void write_names(const std::vector<std::string>& names, const char* one, capnp::List<capnp::Text>::Builder out) {
    for (unsigned i = 0; i < out.size(); ++i) out.set(i, checked(names[i], one, 0, name_limit));
}

StreamFormat read_format(schema::StreamFormat::Reader reader, files::ReaderSettings& settings) {
    StreamFormat format{.dimensions = reader.getDimensions(),
                        .attributes = {},
                        .has_targets = reader.getHasTargets(),
                        .has_weights = reader.getHasWeights()};
    format.targets_come_later = reader.getTargetsComeLater();
    if (reader.getDecimalMark() > static_cast<unsigned>(files::DecimalMark::comma))
        throw InvalidInput(Reason::malformed,
                           "decimal mark " + std::to_string(reader.getDecimalMark()) + " is unknown");
    settings.decimal_mark = static_cast<files::DecimalMark>(reader.getDecimalMark());
    settings.missing_texts = read_names(reader.getMissingTexts(), "texts of missing values", "text of missing values");
    const auto attributes = reader.getAttributes();
    format.attributes.reserve(checked_count(attributes.size(), "attributes"));
    for (const auto attribute : attributes) {
        Attribute& out = format.attributes.emplace_back();
        out.name = text(attribute.getName(), "attribute", 1, name_limit);
        out.groups = read_names(attribute.getGroups(), "groups", "group");
        out.has_unknown = attribute.getUnknown();
    }
    const auto columns = reader.getColumns();
    format.has_text_ids = reader.getTextIds();
    format.ids_are_hashes = reader.getTextIds() && !reader.getNumbersTexts();
    format.columns.reserve(checked_count(columns.size(), "columns"));
    for (const auto column : columns) {
        if (column.getDates() > static_cast<unsigned>(DateUnit::years) ||
            column.getDateOrder() > static_cast<unsigned>(files::DateOrder::month_first))
            throw InvalidInput(Reason::malformed, "a column has dates of unit " + std::to_string(column.getDates()) +
                                                      " and order " + std::to_string(column.getDateOrder()) +
                                                      ", which this version does not know");
        if (const auto order = static_cast<files::DateOrder>(column.getDateOrder());
            order != files::DateOrder::year_first)
            settings.set_date_order(format.columns.size(), order);
        format.columns.push_back({.name = text(column.getName(), "column", 0, name_limit),
                                  .levels = read_names(column.getLevels(), "levels", "level"),
                                  .may_be_missing = column.getMayBeMissing(),
                                  .buckets = column.getBuckets(),
                                  .dates = static_cast<DateUnit>(column.getDates())});
    }
    return format;
}

void write_format(const StreamFormat& format, const files::ReaderSettings& settings,
                  schema::StreamFormat::Builder out) {
    out.setDimensions(format.dimensions);
    out.setHasTargets(format.has_targets);
    out.setHasWeights(format.has_weights);
    out.setTextIds(format.has_text_ids);
    out.setNumbersTexts(format.numbers_texts());
    out.setTargetsComeLater(format.targets_come_later);
    out.setDecimalMark(static_cast<std::uint16_t>(settings.decimal_mark));
    if (const auto& texts = settings.missing_texts; !texts.empty()) {
        auto missing = out.initMissingTexts(checked_count(texts.size(), "texts of missing values"));
        for (unsigned i = 0; i < missing.size(); ++i)
            missing.set(i, checked(texts[i], "text of missing values", 1, name_limit));
    }
    auto attributes = out.initAttributes(checked_count(format.attributes.size(), "attributes"));
    for (unsigned a = 0; a < attributes.size(); ++a) {
        attributes[a].setName(checked(format.attributes[a].name, "attribute", 1, name_limit));
        const auto& names = format.attributes[a].groups;
        auto groups = attributes[a].initGroups(checked_count(names.size(), "groups"));
        for (unsigned g = 0; g < groups.size(); ++g) groups.set(g, checked(names[g], "group", 0, name_limit));
        attributes[a].setUnknown(format.attributes[a].has_unknown);
    }
    if (format.columns.empty()) return;
    auto columns = out.initColumns(checked_count(format.columns.size(), "columns"));
    for (unsigned c = 0; c < columns.size(); ++c) {
        const FeatureColumn& column = format.columns[c];
        columns[c].setName(checked(column.name, "column", 0, name_limit));
        columns[c].setMayBeMissing(column.may_be_missing);
        columns[c].setBuckets(column.buckets);
        columns[c].setDates(static_cast<std::uint16_t>(column.dates));
        columns[c].setDateOrder(static_cast<std::uint16_t>(settings.date_order(c)));
        if (column.levels.empty()) continue;
        auto levels = columns[c].initLevels(checked_count(column.levels.size(), "levels"));
        for (unsigned l = 0; l < levels.size(); ++l) levels.set(l, checked(column.levels[l], "level", 0, name_limit));
    }
}

Outcome outcome_of(std::uint8_t number) {
    const auto outcome = static_cast<Outcome>(number);
    if (outcome > Outcome::unattainable) unknown_kind("an outcome", number);
    return outcome;
}

namespace {

void check_weights(std::size_t counts, std::size_t weights) {
    if (weights != 0 && weights != counts)
        malformed(std::to_string(counts) + " counts but " + std::to_string(weights) + " weights");
}

std::vector<AttributeReport> read_attributes(capnp::List<schema::AttributeFairness>::Reader attributes) {
    std::vector<AttributeReport> reports;
    reports.reserve(checked_count(attributes.size(), "attributes"));
    for (const auto in : attributes) {
        AttributeReport& out = reports.emplace_back();
        out.attribute = text(in.getAttribute(), "attribute", 1, name_limit);
        read_figures<cluster_figures>(in, out);
        out.counts = copied_column<std::int64_t>(in.getCounts(), "counts");
        out.weights = copied_column<double>(in.getWeights(), "weights");
        out.known = in.getKnown();
        check_weights(out.counts.size(), out.weights.size());
    }
    return reports;
}

ScoreIntervals read_score_intervals(capnp::DynamicStruct::Reader from) {
    ScoreIntervals intervals;
    const auto& fields = fields_of<schema::ScoreIntervals, score_figures>();
    for (std::size_t i = 0; i < fields.size(); ++i)
        intervals.*score_figures[i].interval = read_interval(from.get(fields[i]).as<schema::Interval>());
    return intervals;
}

ScoreFairness read_score_fairness(schema::ScoreFairness::Reader reader, std::int64_t points) {
    ScoreFairness fairness{.points = points};
    read_figures<score_figures>(reader, fairness);
    if (reader.hasIntervals()) fairness.intervals = read_score_intervals(reader.getIntervals());
    fairness.without_positives = read_names(reader.getWithoutPositives(), "groups", "group");
    fairness.without_negatives = read_names(reader.getWithoutNegatives(), "groups", "group");
    return fairness;
}

PredictionFairness read_prediction_fairness(schema::PredictionFairness::Reader reader, std::int64_t points) {
    PredictionFairness fairness{.points = points,
                                .mse = reader.getHasMse() ? std::optional(reader.getMse()) : std::nullopt};
    read_figures<prediction_figures>(reader, fairness);
    return fairness;
}

decltype(FairnessReport::fairness) read_output_fairness(schema::FairnessReport::Reader reader) {
    switch (reader.which()) {
        case schema::FairnessReport::LABELS:
            return read_attributes(reader.getLabels());
        case schema::FairnessReport::SCORES:
            return read_score_fairness(reader.getScores(), reader.getPoints());
        case schema::FairnessReport::PREDICTIONS:
            return read_prediction_fairness(reader.getPredictions(), reader.getPoints());
        case schema::FairnessReport::GROUPS:
            return read_group_metrics(reader.getGroups());
    }
    unknown_kind("a report", static_cast<unsigned>(reader.which()));
}

}  // namespace

FairnessReport read_fairness(schema::FairnessReport::Reader reader) {
    FairnessReport report{.cost = reader.getCost(),
                          .churn = reader.getChurn(),
                          .outcome = outcome_of(reader.getOutcome()),
                          .iterations = reader.getIterations(),
                          .moves = reader.getMoves(),
                          .swaps = reader.getSwaps(),
                          .points = reader.getPoints(),
                          .fairness = read_output_fairness(reader),
                          .figures = {}};
    const auto figures = reader.getFigures();
    report.figures.reserve(checked_count(figures.size(), "figures"));
    for (const auto figure : figures)
        report.figures.push_back({text(figure.getName(), "figure", 1, name_limit), figure.getValue(),
                                  text(figure.getUnit(), "unit", 0, name_limit)});
    return report;
}

namespace {

void check_shape(std::uint64_t clusters, std::uint64_t dimensions, std::size_t sizes, std::size_t centres) {
    if (sizes == clusters && centres == clusters * dimensions) return;
    malformed("a report on " + std::to_string(clusters) + " clusters in " + std::to_string(dimensions) +
              " dimensions has " + std::to_string(sizes) + " sizes and " + std::to_string(centres) +
              " centre coordinates");
}

}  // namespace

ClusterReport read_clusters(schema::ClusterReport::Reader reader) {
    ClusterReport report{
        .clusters = reader.getClusters(), .dimensions = reader.getDimensions(), .sizes = {}, .centres = {}};
    const auto sizes = column<std::int64_t>(reader.getSizes(), "sizes");
    const auto centres = column<float>(reader.getCentres(), "centres");
    check_shape(report.clusters, report.dimensions, sizes.size(), centres.size());
    report.sizes.assign(sizes.begin(), sizes.end());
    report.centres.assign(centres.begin(), centres.end());
    report.weights = copied_column<double>(reader.getWeights(), "weights");
    check_weights(report.sizes.size(), report.weights.size());
    return report;
}

void write_knob(const KnobChange& knob, schema::KnobChange::Builder out) {
    out.setModel(checked_model(knob.model));
    out.setOption(checked(knob.option, "option", 1, name_limit));
    out.setValue(checked(knob.value, "value", 0, text_limit));
}

void write_refinement(const Refinement& refinement, schema::Refinement::Builder out) {
    out.setModel(checked_model(refinement.model));
    out.setRounds(refinement.rounds);
}

void write_nack(const Nack& nack, schema::Nack::Builder out) {
    out.setProducerSequence(nack.producer_sequence);
    out.setReason(static_cast<std::uint16_t>(nack.reason));
    // Truncated instead of refused: the text may quote long client input, and a refusal must always be sendable.
    const std::size_t size = std::min(nack.text.size(), text_limit);
    std::copy_n(nack.text.data(), size, out.initText(static_cast<unsigned>(size)).begin());
    out.setNextProducerSequence(nack.next_producer_sequence);
    out.setNewestEpoch(nack.newest_epoch);
}

namespace {

void write_attributes(const std::vector<AttributeReport>& reports,
                      capnp::List<schema::AttributeFairness>::Builder attributes) {
    for (unsigned a = 0; a < attributes.size(); ++a) {
        const AttributeReport& in = reports[a];
        auto to = attributes[a];
        to.setAttribute(checked(in.attribute, "attribute", 1, name_limit));
        write_figures<cluster_figures>(in, to);
        to.setCounts(bytes_of(in.counts, "counts"));
        check_weights(in.counts.size(), in.weights.size());
        if (!in.weights.empty()) to.setWeights(bytes_of(in.weights, "weights"));
        to.setKnown(in.known);
    }
}

void write_score_intervals(const ScoreIntervals& intervals, capnp::DynamicStruct::Builder to) {
    const auto& fields = fields_of<schema::ScoreIntervals, score_figures>();
    for (std::size_t i = 0; i < fields.size(); ++i)
        write_interval(intervals.*score_figures[i].interval, to.init(fields[i]).as<schema::Interval>());
}

void write_score_fairness(const ScoreFairness& fairness, schema::ScoreFairness::Builder out) {
    write_figures<score_figures>(fairness, out);
    if (fairness.intervals) write_score_intervals(*fairness.intervals, out.initIntervals());
    const auto count = [](const auto& names) { return checked_count(names.size(), "groups"); };
    if (!fairness.without_positives.empty())
        write_names(fairness.without_positives, "group", out.initWithoutPositives(count(fairness.without_positives)));
    if (!fairness.without_negatives.empty())
        write_names(fairness.without_negatives, "group", out.initWithoutNegatives(count(fairness.without_negatives)));
}

void write_prediction_fairness(const PredictionFairness& fairness, schema::PredictionFairness::Builder out) {
    out.setHasMse(fairness.mse.has_value());
    out.setMse(fairness.mse.value_or(0));
    write_figures<prediction_figures>(fairness, out);
}

}  // namespace

void write_fairness(const FairnessReport& report, schema::FairnessReport::Builder out) {
    out.setCost(report.cost);
    out.setChurn(report.churn);
    out.setOutcome(static_cast<std::uint8_t>(report.outcome));
    out.setIterations(report.iterations);
    out.setMoves(report.moves);
    out.setSwaps(report.swaps);
    out.setPoints(report.points);
    if (const ScoreFairness* scores = report.scores())
        write_score_fairness(*scores, out.initScores());
    else if (const PredictionFairness* predictions = report.predictions())
        write_prediction_fairness(*predictions, out.initPredictions());
    else if (const GroupMetrics* groups = report.groups())
        write_group_metrics(*groups, out.initGroups());
    else
        write_attributes(report.attributes(), out.initLabels(checked_count(report.attributes().size(), "attributes")));
    auto figures = out.initFigures(checked_count(report.figures.size(), "figures"));
    for (unsigned i = 0; i < figures.size(); ++i) {
        figures[i].setName(checked(report.figures[i].name, "figure", 1, name_limit));
        figures[i].setValue(report.figures[i].value);
        figures[i].setUnit(checked(report.figures[i].unit, "unit", 0, name_limit));
    }
}

FrontReport read_front(schema::FrontReport::Reader reader) {
    FrontReport report;
    const auto points = reader.getPoints();
    report.points.reserve(checked_count(points.size(), "points"));
    for (const auto point : points)
        report.points.push_back({point.getKmeansUpdates(), point.getSwaps(), point.getBalanceAtLeast(), point.getCost(),
                                 point.getBalance(), point.getPublished()});
    return report;
}

void write_front(const FrontReport& report, schema::FrontReport::Builder out) {
    auto points = out.initPoints(checked_count(report.points.size(), "points"));
    for (unsigned i = 0; i < points.size(); ++i) {
        const OperatingPoint& point = report.points[i];
        points[i].setKmeansUpdates(point.kmeans_updates);
        points[i].setSwaps(point.swaps);
        points[i].setBalanceAtLeast(point.balance_at_least);
        points[i].setCost(point.cost);
        points[i].setBalance(point.balance);
        points[i].setPublished(point.published);
    }
}

NetworkReport read_network(schema::NetworkReport::Reader reader) {
    NetworkReport report;
    for (const auto from : reader.getLayers()) {
        const auto weights = column<float>(from.getWeights(), "weights"), bias = column<float>(from.getBias(), "bias");
        if (std::uint64_t{from.getInputs()} * from.getOutputs() != weights.size() || from.getOutputs() != bias.size())
            malformed("a layer has " + std::to_string(weights.size()) + " weights and " + std::to_string(bias.size()) +
                      " numbers of a bias for " + std::to_string(from.getInputs()) + " inputs and " +
                      std::to_string(from.getOutputs()) + " outputs");
        if (from.getActivation() >= std::size(activation_names))
            malformed("activation " + std::to_string(from.getActivation()) + " of a layer is unknown");
        Layer& layer = report.network.layers.emplace_back();
        layer.weights = Matrix(from.getOutputs(), from.getInputs());
        std::ranges::copy(weights, layer.weights.values.begin());
        layer.bias.assign(bias.begin(), bias.end());
        layer.activation = static_cast<Activation>(from.getActivation());
    }
    try {
        if (!report.network.layers.empty()) check(report.network);
    } catch (const InvalidInput& error) {
        malformed(error.what());
    }
    return report;
}

void write_network(const NetworkReport& report, schema::NetworkReport::Builder out) {
    const std::vector<Layer>& layers = report.network.layers;
    auto to = out.initLayers(checked_count(layers.size(), "layers"));
    for (unsigned l = 0; l < to.size(); ++l) {
        const Layer& layer = layers[l];
        const std::vector<float> weights(layer.weights.values.begin(), layer.weights.values.end()),
            bias(layer.bias.begin(), layer.bias.end());
        to[l].setInputs(static_cast<std::uint32_t>(layer.weights.cols));
        to[l].setOutputs(static_cast<std::uint32_t>(layer.weights.rows));
        to[l].setWeights(bytes_of(weights, "weights"));
        to[l].setBias(bytes_of(bias, "bias"));
        to[l].setActivation(static_cast<std::uint8_t>(layer.activation));
    }
}

void write_clusters(const ClusterReport& report, schema::ClusterReport::Builder out) {
    check_shape(report.clusters, report.dimensions, report.sizes.size(), report.centres.size());
    out.setClusters(report.clusters);
    out.setDimensions(report.dimensions);
    out.setSizes(bytes_of(report.sizes, "sizes"));
    out.setCentres(bytes_of(report.centres, "centres"));
    check_weights(report.sizes.size(), report.weights.size());
    if (!report.weights.empty()) out.setWeights(bytes_of(report.weights, "weights"));
}

}  // namespace fairstream::wire::detail
