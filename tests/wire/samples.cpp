#include "wire/samples.hpp"

#include <limits>

namespace fairstream::wire::test {

namespace {

constexpr PointId ids[] = {7, 0, 0xfedcba9876543210, 12};
constexpr float features[] = {1.5F, -2.25F, 0.0F, 1e15F, -0.0F, 3.0e-38F, 0.1F, 42.0F};
constexpr GroupId groups[] = {0, 1, 1, 0, 65534, 2, 3, 4};
constexpr float targets[] = {0.5F, -1.0F, 2.0F, 0.0F};
constexpr double weights[] = {0.5, 1, 1e15, 1e-15};
constexpr PointId departed[] = {3, 4, 5};
constexpr ClusterId labels[] = {0, 9, 2147483647, 3};
constexpr Score scores[] = {0.75, -1e300, 5e-324, 0};
constexpr std::uint8_t provisional[] = {0, 1, 1, 0};

RecordingId recording() {
    RecordingId id;
    for (std::size_t i = 0; i < id.size(); ++i) id[i] = static_cast<std::byte>(0xf0 - 3 * i);
    return id;
}

TextSpan id_texts() {
    static const TextColumn texts = [] {
        TextColumn column;
        for (std::size_t i = 0; i < std::size(ids); ++i) column.add("caf\xc3\xa9 " + std::string(i, 'x'));
        return column;
    }();
    return texts.view();
}

StreamFormat format() {
    return {.dimensions = 2,
            .attributes = {{"sex", {"female", "male"}}, {"age", {"", "25-60", "60+", "caf\xc3\xa9", "other"}, true}},
            .has_targets = true,
            .has_weights = true,
            .columns = {{.name = "income", .may_be_missing = true, .dates = DateUnit::days},
                        {.name = "job", .levels = {"nurse", "", "caf\xc3\xa9"}, .buckets = 7}},
            .has_text_ids = true,
            .ids_are_hashes = true};
}

files::ReaderSettings reader_settings() {
    return {.missing_texts = {"-999", "job=caf\xc3\xa9"},
            .decimal_mark = files::DecimalMark::comma,
            .date_orders = {files::DateOrder::month_first}};
}

FairnessReport fairness() {
    return {
        .cost = 0.2984,
        .churn = 0.03125,
        .outcome = Outcome::iteration_limit,
        .iterations = 12,
        .moves = 64,
        .swaps = -1,
        .points = 100'000,
        .fairness =
            std::vector<AttributeReport>{
                {{0.4, 0.6, 0.75, 0.8, 0.1, 0.2, 0.3, 0.65, 0.875, 1}, "sex", {10, 20, 30, 40}, {2.5, 20, 1e-15, 0}, 2},
                {{0, 0, 0, 0, 1, 1, std::numeric_limits<double>::infinity(), 0, 0, 0}, "age", {}}},
        .figures = {{"plain_cost", 0.25}, {"price_of_fairness", 0.1936, "share"}}};
}

FairnessReport score_fairness() {
    return {.cost = 0.625,
            .churn = 0.03125,
            .outcome = Outcome::stalled,
            .iterations = 12,
            .moves = 0,
            .swaps = 0,
            .points = 100'000,
            .fairness = ScoreFairness{.points = 100'000,
                                      .accuracy = 0.8,
                                      .auc = 0.9,
                                      .sp = 0.1,
                                      .dp = 0.05,
                                      .gauc = 0.25,
                                      .eop = 0.125,
                                      .eod = 0.2,
                                      .tail_gap = 0.15,
                                      .overall_gap = 0.3,
                                      .intervals = ScoreIntervals{.accuracy = {0.79, 0.81},
                                                                  .auc = {0.89, 0.91},
                                                                  .sp = {0.08, 0.12},
                                                                  .dp = {0, 0.1},
                                                                  .gauc = {0.2, 0.3},
                                                                  .eop = {0.1, 0.15},
                                                                  .eod = {0.15, 0.25},
                                                                  .tail_gap = {0.1, 0.2},
                                                                  .overall_gap = {0.25, 0.35}},
                                      .without_positives = {"b"},
                                      .without_negatives = {"c", "caf\xc3\xa9"}},
            .figures = {}};
}

FairnessReport prediction_fairness() {
    return {.cost = 0.0625,
            .churn = 1,
            .outcome = Outcome::converged,
            .iterations = 1,
            .moves = 0,
            .swaps = 0,
            .points = 100'000,
            .fairness = PredictionFairness{.points = 100'000,
                                           .mse = 0.0625,
                                           .ks = 0.125,
                                           .wasserstein = 250.5,
                                           .mean_gap = 1e-9,
                                           .ks_by_chance = 0.0055},
            .figures = {{"ks_before", 0.25}}};
}

GroupFigures group_figures(std::vector<std::string> names) {
    GroupFigures group{
        .groups = std::move(names), .is_known = false, .points = 40, .without_outcome = 7, .weight = 2.5};
    for (std::size_t i = 0; i < group_rates; ++i)
        group.rates[i] = {static_cast<std::int64_t>(33 + i), 2.25, 0.125, {0.0625, 0.25}, i % 2 == 0};
    group.calibration = {33, 0.03125, -0.0625, {-0.125, 0.015625}};
    return group;
}

FairnessReport group_fairness() {
    return {.cost = 0,
            .churn = 0,
            .outcome = Outcome::converged,
            .iterations = 0,
            .moves = 0,
            .swaps = 0,
            .points = 40,
            .fairness = GroupMetrics{group_figures({}),
                                     {{{"sex", "age"},
                                       {group_figures({"female", "60+"}), group_figures({"male", ""})},
                                       {2, 0.25, {0.125, 0.5}, 0.75},
                                       {1, 0, {0, 0}, std::nullopt},
                                       {2, 0.5, {0.25, 0.75}, 0},
                                       BoundStatus::unclear,
                                       BoundStatus::left}}},
            .figures = {}};
}

NetworkReport network() {
    Layer hidden{Matrix(3, 2), {0.125, 0, -2}, Activation::relu}, last{Matrix(1, 3), {0.75}, Activation::identity};
    hidden.weights.values = {0.5, -0.25, 0x1p-100, 0, 0x1p49, -1};
    last.weights.values = {1, 2, -0.5};
    return {{{hidden, last}}};
}

ClusterReport clusters() {
    return {.clusters = 2,
            .dimensions = 2,
            .sizes = {30, 70},
            .centres = {0.5F, -0.5F, 1e-3F, 250.0F},
            .weights = {0.5, 70.25}};
}

Condition condition() {
    return {12, {.renewals = 3, .drift = 0.0625, .column = 1}, "income"};
}

FrontReport front() {
    return {{{64, 16, 0, 0.25, 0.125, false}, {64, 0, 0.4, 0.3, 0.4, true}}};
}

ScoreUpdate score_update() {
    return {departed, ids, scores, provisional, id_texts()};
}

MembershipUpdate membership_update() {
    std::vector<Memberships> memberships(std::size(ids));
    memberships.front() = {{0, 0.25F}, {2, 0.75F}};
    memberships.back() = {{1, 1.0F}};
    return {departed, ids, memberships, provisional, id_texts()};
}

LabelUpdate label_update() {
    return {departed, ids, labels, provisional, id_texts()};
}

Publication publication(std::string topic, std::uint64_t topic_sequence, decltype(Publication::body) body) {
    return {recording(), std::move(topic), topic_sequence, 18, std::move(body), 0x8877665544332211, 0x1122334455667788};
}

Publication snapshot() {
    return publication(
        "labels.safairkm", 17,
        LabelUpdate{.departed = {}, .ids = ids, .outputs = labels, .provisional = {}, .id_texts = id_texts()});
}

/// Two serialised publications of the first version, labels and an empty one, which the reply that carries them
/// borrows.
const std::vector<std::vector<std::byte>>& serialised() {
    static constexpr std::array<std::uint64_t, 29> some{
        0x0000001c00000000, 0x0003000500000000, 0x0000000000000011, 0x0000000000000012, 0x0000000000000000,
        0x8877665544332211, 0x1122334455667788, 0x0000008200000009, 0x000000820000000d, 0x0004000100000010,
        0xdbdee1e4e7eaedf0, 0xc3c6c9cccfd2d5d8, 0x732e736c6562616c, 0x006d6b7269616661, 0x0000000000000000,
        0x000000c20000000d, 0x0000010200000015, 0x0000008200000021, 0x0000002200000025, 0x0000000000000003,
        0x0000000000000004, 0x0000000000000005, 0x0000000000000007, 0x0000000000000000, 0xfedcba9876543210,
        0x000000000000000c, 0x0000000900000000, 0x000000037fffffff, 0x0000000000010100};
    static constexpr std::array<std::uint64_t, 19> none{
        0x0000001200000000, 0x0003000500000000, 0x0000000000000012, 0x0000000000000012, 0x0000000000000000,
        0x8877665544332211, 0x1122334455667788, 0x0000008200000009, 0x000000820000000d, 0x0004000100000010,
        0xdbdee1e4e7eaedf0, 0xc3c6c9cccfd2d5d8, 0x732e736c6562616c, 0x006d6b7269616661, 0x0000000000000000,
        0x000000020000000d, 0x0000000200000009, 0x0000000200000005, 0x0000000200000001};
    const auto bytes = [](auto& words) {
        const auto view = std::as_bytes(std::span(words));
        return std::vector<std::byte>(view.begin(), view.end());
    };
    static const std::vector<std::vector<std::byte>> messages{bytes(some), bytes(none)};
    return messages;
}

EventMessage event(std::uint64_t producer_sequence, Event body) {
    return {"loan desk 3", 1'700'000'000'000'000, producer_sequence, std::move(body)};
}

void add_ingest(std::vector<Sample>& out) {
    const PointBatch batch{ids, features, groups, targets, -1'234'567, weights, id_texts()};
    out.push_back({"hello", IngestRequest{Hello{"loan desk 3", 1'700'000'000'000'000, 2,
                                                KnownEvent{recording(), 17, 0x1122334455667788}}}});
    out.push_back({"event_batch", IngestRequest{event(1, batch)}});
    out.push_back({"event_knob", IngestRequest{event(2, KnobChange{"safairkm", "balance_at_least", "0.45"})}});
    out.push_back({"event_refinement", IngestRequest{event(3, Refinement{"safairkm", 25})}});
    out.push_back({"event_expiry",
                   IngestRequest{event(4, ProducerExpiry{.last_sequence = 11,
                                                         .names = {"desk", "caf\xc3\xa9"},
                                                         .floors = {{"", 7}, {"name:desk", 1'700'000'000'000'000}},
                                                         .removed = true})}});
    out.push_back({"event_outcomes", IngestRequest{event(5, Outcomes{ids, targets, id_texts()})}});
    out.push_back({"event_removal", IngestRequest{event(6, PointRemoval{ids, id_texts()})}});
    const StreamFormat later{.dimensions = 1,
                             .attributes = {{"sex", {"f", "m"}}},
                             .has_targets = true,
                             .has_text_ids = true,
                             .targets_come_later = true};
    out.push_back({"welcome_later",
                   IngestReply{recording(), 256,
                               Welcome{4,
                                       later,
                                       0,
                                       0,
                                       {3'600'000'000, -5, 100, 86'400'000'000},
                                       {.missing_texts = {"gone"}, .decimal_mark = files::DecimalMark::point}}}});
    out.push_back({"welcome", IngestReply{recording(), 256,
                                          Welcome{4,
                                                  format(),
                                                  4 << 20,
                                                  17,
                                                  {86'400'000'000, 1'699'999'999'000'000, 20'000, any_time_ahead},
                                                  reader_settings()},
                                          99}});
    out.push_back({"ending", IngestReply{recording(), 7, Ending{}}});
    out.push_back({"ack", IngestReply{recording(), 255,
                                      Ack{3, 18, 0x8877665544332211, 20, 1'699'999'999'000'000, {2, 5, 3}}, 99}});
    out.push_back(
        {"nack", IngestReply{recording(), 1, Nack{4, Reason::unknown_group, "group 9 of sex: 2 groups", 5, 6}}});
}

void add_updates(std::vector<Sample>& out) {
    out.push_back({"labels", publication("labels.safairkm", 17, label_update())});
    out.push_back({"fairness", publication("fairness.safairkm", 16, fairness())});
    out.push_back({"clusters", publication("clusters.safairkm", 15, clusters())});
    out.push_back({"front", publication("front.live_front", 16, front())});
    out.push_back({"scores", publication("scores.partial_fair_scorer", 17, score_update())});
    out.push_back({"memberships", publication("memberships.lord", 17, membership_update())});
    out.push_back({"score_fairness", publication("fairness.partial_fair_scorer", 16, score_fairness())});
    out.push_back({"prediction_fairness", publication("fairness.esvd_fair", 16, prediction_fairness())});
    out.push_back({"group_metrics", publication("fairness.monitor", 16, group_fairness())});
    out.push_back({"network", publication("network.esvd_fair", 2, network())});
    out.push_back(
        {"status",
         publication("status", 0,
                     Status{{{"labels.safairkm", 17, 5}, {"fairness.safairkm", 16, 6}}, 4, condition(), true})});
}

Description description() {
    // Without most of the fields added to formats later, so that few fixtures suffice for all versions.
    const StreamFormat small{.dimensions = 2, .attributes = {{"sex", {"female", "male"}}}, .has_targets = true};
    return {18,
            "/var/lib/loans.fairstream",
            small,
            {.missing_texts = {"-999"}},
            {{"fair", "safairkm", {{"clusters", "8", "8", false}, {"swaps", "8", "16", true}}, 0, 17},
             {"late", "lord", {}, 5000, 0}},
            11,
            12'000,
            4'194'304,
            5000};
}

void add_control(std::vector<Sample>& out) {
    const auto request = [&](const char* name, decltype(ControlRequest::body) body) {
        out.push_back({name, ControlRequest{0x0123456789abcdef, std::move(body)}});
    };
    request("request_snapshot", SnapshotRequest{"labels.safairkm"});
    request("request_range", RangeRequest{"labels.safairkm", 17, 18});
    request("request_assign", AssignRequest{"safairkm", features, std::span(groups).first(4), true});
    request("request_report", ReportRequest{"safairkm"});
    request("request_knob", KnobChange{"safairkm", "swaps", "8"});
    request("request_refinement", Refinement{"safairkm", 0});
    request("request_health", HealthRequest{});
    request("request_stop", StopRequest{});
    request("request_description", DescriptionRequest{});
    request("request_memberships", RowRequest{"lord", features});
    request("request_producers", ProducersRequest{});
    request("request_removal", RemovalRequest{"loan desk 3"});
    request("request_point_removal", PointRemoval{ids, id_texts()});
    request("request_known", KnownRequest{{recording(), 17, 0x1122334455667788}});
    const auto reply = [&](const char* name, decltype(ControlReply::body) body) {
        out.push_back({name, ControlReply{}});
        std::get<ControlReply>(out.back().message) = {0x0123456789abcdef, recording(), std::move(body)};
    };
    reply("reply_error", Nack{0, Reason::unknown_model, "model lord: known are safairkm", 0, 8});
    reply("reply_snapshot", snapshot());
    reply("reply_publications", Publications{{serialised()[0], serialised()[1]}});
    reply("reply_assigned", Assigned{Answered<ClusterId>{labels}});
    reply("reply_memberships", Assigned{Answered<Memberships>{features}});
    reply("reply_scored", Assigned{Answered<Score>{scores}});
    reply("reply_report", ModelReport{fairness(),
                                      clusters(),
                                      "mean squared distance",
                                      {{"plain_cost", "", "without a target"}, {"moves", "points", ""}}});
    reply("reply_done", Done{19});
    reply("reply_health", Health{true, 18, 4, 2, 1, 12.5, "x86-64-v4", "0.1.0", "refining fair in event 19",
                                 0x8877665544332211, condition(), 3, 2.5, 70'000, 86'400, 5});
    reply("reply_description", description());
    reply("reply_producers",
          Producers{{{"loan desk 3", "name:desk", 1'700'000'000'000'000, 4, 18}, {"old", "", 1, 2, 3}}});
    reply("reply_removed", RemovedPoints{20, 3, 1});
}

}  // namespace

const std::vector<Sample>& samples() {
    static const std::vector<Sample> all = [] {
        std::vector<Sample> out;
        add_ingest(out);
        add_updates(out);
        add_control(out);
        return out;
    }();
    return all;
}

Bytes write_any(const Message& message, Encoder& encoder) {
    return std::visit([&](const auto& value) { return write(value, encoder); }, message);
}

Message read_like(const Message& like, const AlignedMessage& bytes) {
    switch (like.index()) {
        case 0:
            return read_ingest_request(bytes);
        case 1:
            return read_ingest_reply(bytes);
        case 2:
            return read_publication(bytes);
        case 3:
            return read_control_request(bytes);
        default:
            return read_control_reply(bytes);
    }
}

std::vector<std::byte> encoded(const Message& message) {
    Encoder encoder;
    const Bytes bytes = write_any(message, encoder);
    return {bytes.begin(), bytes.end()};
}

namespace {

void strip_weights(FairnessReport& report) {
    if (auto* attributes = std::get_if<std::vector<AttributeReport>>(&report.fairness))
        for (AttributeReport& attribute : *attributes) {
            attribute.weights.clear();
            attribute.known = 0;
        }
}

void strip_preparation(StreamFormat& format) {
    format.has_weights = false;
    format.columns.clear();
    for (Attribute& attribute : format.attributes) attribute.has_unknown = false;
}

void strip_id_texts(Publication& publication) {
    std::visit(
        [](auto& body) {
            if constexpr (requires { body.id_texts; }) body.id_texts = {};
        },
        publication.body);
}

Message as_twelfth_written(Message message) {
    if (auto* publication = std::get_if<Publication>(&message))
        if (auto* report = std::get_if<FairnessReport>(&publication->body))
            if (auto* scores = std::get_if<ScoreFairness>(&report->fairness))
                scores->without_positives = scores->without_negatives = {};
    if (auto* reply = std::get_if<ControlReply>(&message))
        if (auto* health = std::get_if<Health>(&reply->body)) {
            health->recording_bytes = health->first_sequence = 0;
            health->bytes_a_day.reset();
        }
    return message;
}

Message as_eleventh_written(Message message) {
    message = as_twelfth_written(std::move(message));
    if (auto* request = std::get_if<IngestRequest>(&message))
        if (auto* sent = std::get_if<EventMessage>(request)) {
            if (auto* expiry = std::get_if<ProducerExpiry>(&sent->event)) *expiry = {expiry->last_sequence};
            if (auto* outcomes = std::get_if<Outcomes>(&sent->event)) outcomes->id_texts = {};
        }
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* welcome = std::get_if<Welcome>(&reply->body)) {
            welcome->window_limits.ahead_at_most = 0;
            if (welcome->format.numbers_texts()) welcome->format.has_text_ids = false;
        }
    if (auto* reply = std::get_if<ControlReply>(&message))
        if (auto* health = std::get_if<Health>(&reply->body)) health->uncommitted_seconds = 0;
    return message;
}

Message as_tenth_written(Message message) {
    message = as_eleventh_written(std::move(message));
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* welcome = std::get_if<Welcome>(&reply->body)) welcome->window_limits.capacity = 0;
    if (auto* reply = std::get_if<ControlReply>(&message))
        if (auto* description = std::get_if<Description>(&reply->body)) description->capacity = 0;
    return message;
}

Message as_ninth_written(Message message) {
    message = as_tenth_written(std::move(message));
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* welcome = std::get_if<Welcome>(&reply->body)) welcome->window_limits = {};
    return message;
}

Message as_eighth_written(Message message) {
    message = as_ninth_written(std::move(message));
    if (auto* reply = std::get_if<ControlReply>(&message))
        if (auto* description = std::get_if<Description>(&reply->body)) description->max_message_bytes = 0;
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* welcome = std::get_if<Welcome>(&reply->body))
            welcome->reader_settings.decimal_mark = files::DecimalMark::found;
    if (auto* request = std::get_if<ControlRequest>(&message))
        if (auto* assign = std::get_if<AssignRequest>(&request->body)) assign->together = false;
    return message;
}

Message as_seventh_written(Message message) {
    message = as_eighth_written(std::move(message));
    if (auto* reply = std::get_if<ControlReply>(&message))
        if (auto* description = std::get_if<Description>(&reply->body))
            description->reader_settings.missing_texts.clear();
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* welcome = std::get_if<Welcome>(&reply->body)) welcome->reader_settings.missing_texts.clear();
    return message;
}

Message as_sixth_written(Message message) {
    message = as_seventh_written(std::move(message));
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* ack = std::get_if<Ack>(&reply->body)) ack->counts.replaced = ack->counts.outcomes_dropped = 0;
    if (auto* reply = std::get_if<ControlReply>(&message))
        if (auto* health = std::get_if<Health>(&reply->body)) health->subscribers = 0;
    return message;
}

Message as_fifth_written(Message message) {
    message = as_sixth_written(std::move(message));
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* ack = std::get_if<Ack>(&reply->body)) ack->counts.not_retained = 0;
    return message;
}

Message as_fourth_written(Message message) {
    message = as_fifth_written(std::move(message));
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* welcome = std::get_if<Welcome>(&reply->body))
            welcome->format.has_text_ids = welcome->format.ids_are_hashes = false;
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* welcome = std::get_if<Welcome>(&reply->body))
            for (FeatureColumn& column : welcome->format.columns)
                column = {.name = column.name, .levels = column.levels, .may_be_missing = column.may_be_missing};
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* welcome = std::get_if<Welcome>(&reply->body)) welcome->reader_settings.date_orders.clear();
    if (auto* request = std::get_if<IngestRequest>(&message))
        if (auto* sent = std::get_if<EventMessage>(request))
            if (auto* batch = std::get_if<PointBatch>(&sent->event)) batch->id_texts = {};
    if (auto* publication = std::get_if<Publication>(&message)) {
        if (auto* status = std::get_if<Status>(&publication->body)) status->ending = false;
        strip_id_texts(*publication);
    }
    if (auto* reply = std::get_if<ControlReply>(&message))
        if (auto* snapshot = std::get_if<Publication>(&reply->body)) strip_id_texts(*snapshot);
    return message;
}

Message as_third_written(Message message) {
    message = as_fourth_written(std::move(message));
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* ack = std::get_if<Ack>(&reply->body)) ack->late_points = 0, ack->late_before = 0;
    if (auto* publication = std::get_if<Publication>(&message))
        if (auto* status = std::get_if<Status>(&publication->body)) status->condition.drift_name.clear();
    if (auto* reply = std::get_if<ControlReply>(&message))
        if (auto* health = std::get_if<Health>(&reply->body)) health->condition.drift_name.clear();
    return message;
}

Message as_second_written(Message message) {
    message = as_third_written(std::move(message));
    if (auto* request = std::get_if<IngestRequest>(&message))
        if (auto* sent = std::get_if<EventMessage>(request))
            if (auto* batch = std::get_if<PointBatch>(&sent->event)) batch->weights = {};
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* welcome = std::get_if<Welcome>(&reply->body)) strip_preparation(welcome->format);
    if (auto* publication = std::get_if<Publication>(&message)) {
        if (auto* report = std::get_if<FairnessReport>(&publication->body)) strip_weights(*report);
        if (auto* report = std::get_if<ClusterReport>(&publication->body)) report->weights.clear();
        if (auto* status = std::get_if<Status>(&publication->body)) status->condition = {};
    }
    if (auto* reply = std::get_if<ControlReply>(&message)) {
        if (auto* health = std::get_if<Health>(&reply->body)) health->condition = {};
        if (auto* report = std::get_if<ModelReport>(&reply->body)) {
            strip_weights(report->fairness);
            report->clusters.weights.clear();
        }
    }
    return message;
}

Message as_first_written(Message message) {
    message = as_second_written(std::move(message));
    if (auto* request = std::get_if<IngestRequest>(&message))
        if (auto* hello = std::get_if<Hello>(request)) {
            hello->refused_up_to = 0;
            hello->known.reset();
        }
    if (auto* reply = std::get_if<IngestReply>(&message)) {
        reply->life = 0;
        if (auto* nack = std::get_if<Nack>(&reply->body)) nack->newest_epoch = 0;
        if (auto* ack = std::get_if<Ack>(&reply->body)) ack->running_hash = 0;
    }
    if (auto* reply = std::get_if<IngestReply>(&message))
        if (auto* welcome = std::get_if<Welcome>(&reply->body))
            welcome->max_message_bytes = welcome->known_sequence = 0;
    if (auto* reply = std::get_if<ControlReply>(&message)) {
        if (auto* health = std::get_if<Health>(&reply->body)) {
            health->activity.clear();
            health->running_hash = 0;
        }
        if (auto* error = std::get_if<Nack>(&reply->body)) error->newest_epoch = 0;
    }
    if (auto* publication = std::get_if<Publication>(&message))
        if (auto* report = std::get_if<FairnessReport>(&publication->body))
            if (auto* figures = std::get_if<ScoreFairness>(&report->fairness)) figures->intervals.reset();
    return message;
}

}  // namespace

Message as_written(Message message, int version) {
    switch (version) {
        case 1:
            return as_first_written(std::move(message));
        case 2:
            return as_second_written(std::move(message));
        case 3:
            return as_third_written(std::move(message));
        case 4:
            return as_fourth_written(std::move(message));
        case 5:
            return as_fifth_written(std::move(message));
        case 6:
            return as_sixth_written(std::move(message));
        case 7:
            return as_seventh_written(std::move(message));
        case 8:
            return as_eighth_written(std::move(message));
        case 9:
            return as_ninth_written(std::move(message));
        case 10:
            return as_tenth_written(std::move(message));
        case 11:
            return as_eleventh_written(std::move(message));
        case 12:
            return as_twelfth_written(std::move(message));
        default:
            return message;
    }
}

bool has_grown(const Sample& sample, int version) {
    return show(as_written(sample.message, version - 1)) != show(as_written(sample.message, version));
}

int last_grown(const Sample& sample) {
    int version = newest_version;
    while (version > 1 && !has_grown(sample, version)) --version;
    return version;
}

}  // namespace fairstream::wire::test
