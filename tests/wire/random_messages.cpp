#include "wire/random_messages.hpp"

namespace fairstream::wire::test {

std::string RandomMessages::name(std::size_t least, std::size_t most) {
    std::string out(least + below(most - least + 1), ' ');
    for (char& c : out) c = static_cast<char>(below(256));  // a text may contain any byte, including zero
    return out;
}

template <class T> std::span<const T> RandomMessages::column(std::vector<T>& out, std::size_t size) {
    out.resize(size);
    for (T& value : out) value = static_cast<T>(random_());
    return out;
}

RecordingId RandomMessages::recording() {
    RecordingId id;
    for (std::byte& b : id) b = static_cast<std::byte>(random_());
    return id;
}

Event RandomMessages::event() {
    switch (below(4)) {
        case 3: {
            const std::size_t n = below(600);
            texts_.clear();
            for (std::size_t i = 0; i < n && below(2) == 1; ++i) texts_.add(name(0, 20));
            return Outcomes{column(ids_, n), column(targets_, n), texts_.view()};
        }
        case 0:
            return knob();
        case 1:
            return refinement();
        default: {
            const std::size_t n = below(600);
            return PointBatch{column(ids_, n),
                              column(features_, 3 * n),
                              column(groups_, 2 * n),
                              column(targets_, below(2) * n),
                              static_cast<std::int64_t>(random_()),
                              column(weights_, below(2) * n)};
        }
    }
}

Nack RandomMessages::nack() {
    return {random_(), static_cast<Reason>(random_()), name(0, 300), random_()};
}

StreamFormat RandomMessages::format() {
    StreamFormat out{
        .dimensions = static_cast<std::uint32_t>(random_()), .attributes = {}, .has_targets = below(2) == 1};
    for (std::uint64_t a = below(5); a > 0; --a) {
        Attribute& attribute = out.attributes.emplace_back(Attribute{name(1, 40), {}});
        for (std::uint64_t g = below(40); g > 0; --g) attribute.groups.push_back(name(0, 20));
        attribute.has_unknown = below(2) == 1;
    }
    out.has_weights = below(2) == 1;
    out.has_text_ids = below(2) == 1;
    out.ids_are_hashes = out.has_text_ids && below(2) == 1;
    for (std::uint64_t c = below(4); c > 0; --c) {
        FeatureColumn& column = out.columns.emplace_back(FeatureColumn{name(0, 30), {}, below(2) == 1});
        for (std::uint64_t l = below(9); l > 0; --l) column.levels.push_back(name(0, 20));
        column.buckets = static_cast<std::uint32_t>(below(70'000));
        column.dates = static_cast<DateUnit>(below(5));
    }
    return out;
}

files::ReaderSettings RandomMessages::reader_settings(std::size_t columns) {
    files::ReaderSettings out{.decimal_mark = static_cast<files::DecimalMark>(below(3))};
    for (std::uint64_t t = below(3); t > 0; --t) out.missing_texts.push_back(name(1, 20));
    for (std::size_t c = 0; c < columns; ++c) out.set_date_order(c, static_cast<files::DateOrder>(below(3)));
    return out;
}

GroupMetrics RandomMessages::groups() {
    const auto whole = [this] { return static_cast<std::int64_t>(random_()); };
    const auto group = [&](std::size_t names) {
        GroupFigures made{.is_known = below(2) == 0, .points = whole(), .without_outcome = whole(), .weight = real()};
        for (std::size_t i = 0; i < names; ++i) made.groups.push_back(name(0, 20));
        for (RateFigure& rate : made.rates) rate = {whole(), real(), real(), {real(), real()}, below(2) == 0};
        made.calibration = {whole(), real(), real(), {real(), real()}};
        return made;
    };
    const auto comparison = [&] {
        GroupComparison made{static_cast<std::int32_t>(below(9)), real(), {real(), real()}, std::nullopt};
        if (below(2) == 0) made.ratio = real();
        return made;
    };
    GroupMetrics made{group(0), {}};
    for (std::uint64_t a = below(4); a > 0; --a) {
        AttributeMetrics& attribute = made.attributes.emplace_back();
        for (std::uint64_t i = 1 + below(3); i > 0; --i) attribute.attributes.push_back(name(1, 20));
        for (std::uint64_t g = below(6); g > 0; --g) attribute.groups.push_back(group(attribute.attributes.size()));
        attribute.demographic_parity = comparison();
        attribute.equal_opportunity = comparison();
        attribute.equalised_odds = comparison();
        attribute.parity = static_cast<BoundStatus>(below(5));
        attribute.odds = static_cast<BoundStatus>(below(5));
    }
    return made;
}

FairnessReport RandomMessages::fairness() {
    const auto whole = [this] { return static_cast<std::int64_t>(random_()); };
    FairnessReport out{.cost = real(),
                       .churn = real(),
                       .outcome = static_cast<Outcome>(below(5)),
                       .iterations = whole(),
                       .moves = whole(),
                       .swaps = whole(),
                       .points = whole(),
                       .fairness = {},
                       .figures = {}};
    for (std::uint64_t f = below(4); f > 0; --f) out.figures.push_back({name(1, 30), real(), name(0, 9)});
    if (below(3) == 0) {
        ScoreFairness& scores = out.fairness.emplace<ScoreFairness>();
        const auto field = [this]<class T>(int, T& value) { value = static_cast<T>(real() * 1e6); };
        ScoreFairness::fields(scores, field);
        scores.points = out.points;
        for (std::uint64_t g = below(3); g > 0; --g) scores.without_positives.push_back(name(0, 20));
        for (std::uint64_t g = below(3); g > 0; --g) scores.without_negatives.push_back(name(0, 20));
        if (below(2) == 0) {
            const auto ends = [this](int, Interval& interval) { interval = {real(), real()}; };
            ScoreIntervals::fields(scores.intervals.emplace(), ends);
        }
        return out;
    }
    if (below(4) == 0) {
        out.fairness = groups();
        return out;
    }
    auto& attributes = out.fairness.emplace<std::vector<AttributeReport>>();
    for (std::uint64_t a = below(4); a > 0; --a) {
        std::vector<std::int64_t> counts;
        column(counts, below(50));
        AttributeReport& attribute = attributes.emplace_back();
        attribute.attribute = name(1, 30);
        for (const auto& figure : cluster_figures) attribute.*figure.value = real();
        attribute.counts = counts;
        if (below(2) == 0) column(attribute.weights, counts.size());
        attribute.known = static_cast<std::uint32_t>(below(9));
    }
    return out;
}

ClusterReport RandomMessages::clusters() {
    ClusterReport out{.clusters = static_cast<std::uint32_t>(below(20)),
                      .dimensions = static_cast<std::uint32_t>(below(20)),
                      .sizes = {},
                      .centres = {}};
    column(out.sizes, out.clusters);
    if (below(2) == 0) column(out.weights, out.clusters);
    column(out.centres, std::size_t{out.clusters} * out.dimensions);
    return out;
}

NetworkReport RandomMessages::network() {
    NetworkReport out;
    std::size_t inputs = 1 + below(9);
    for (std::uint64_t l = below(4); l > 0; --l) {
        const std::size_t outputs = 1 + below(9);
        Layer& layer = out.network.layers.emplace_back();
        layer.weights = Matrix(outputs, inputs);
        layer.bias.resize(outputs);
        layer.activation = static_cast<Activation>(below(4));
        const auto small = [&] { return static_cast<double>(static_cast<float>(below(1000)) / 7); };
        std::ranges::generate(layer.weights.values, small);
        std::ranges::generate(layer.bias, small);
        inputs = outputs;
    }
    return out;
}

TextSpan RandomMessages::texts(std::size_t n) {
    texts_.clear();
    for (std::size_t i = 0; i < n; ++i) texts_.add(name(0, 20));
    return texts_.view();
}

FrontReport RandomMessages::front() {
    FrontReport out;
    for (std::uint64_t p = below(20); p > 0; --p)
        out.points.push_back({static_cast<std::int64_t>(random_()), static_cast<std::int64_t>(random_()), real(),
                              real(), real(), below(2) == 1});
    return out;
}

Publication RandomMessages::publication() {
    Publication out{recording(), name(1, 70), random_(), random_(), {}};
    switch (below(8)) {
        case 6:
            out.body = network();
            break;
        case 0: {
            const std::size_t n = below(1000);
            out.body = LabelUpdate{column(departed_, below(1000)), column(ids_, n), column(labels_, n),
                                   column(provisional_, below(2) * n), texts(below(2) * n)};
            break;
        }
        case 1:
            out.body = fairness();
            break;
        case 2:
            out.body = clusters();
            break;
        case 3:
            out.body = front();
            break;
        case 4: {
            const std::size_t n = below(1000);
            out.body = ScoreUpdate{column(departed_, below(1000)), column(ids_, n), column(scores_, n),
                                   column(provisional_, below(2) * n), texts(below(2) * n)};
            break;
        }
        case 5: {
            MembershipUpdate update{column(departed_, below(1000)), column(ids_, below(300)), {}, {}};
            for (std::size_t i = 0; i < update.ids.size(); ++i) {
                update.outputs.emplace_back(below(5));
                for (Membership& each : update.outputs.back())
                    each = {static_cast<ClusterId>(random_()), static_cast<float>(real())};
            }
            out.body = std::move(update);
            break;
        }
        default: {
            Status status{.topics = {}, .retained = random_()};
            for (std::uint64_t t = below(6); t > 0; --t) status.topics.push_back({name(1, 70), random_()});
            if (below(2) == 0) status.condition = {random_(), {random_(), real(), 7}, name(0, 20)};
            status.ending = below(2) == 0;
            out.body = std::move(status);
        }
    }
    return out;
}

decltype(ControlRequest::body) RandomMessages::request() {
    switch (below(10)) {
        case 0:
            return SnapshotRequest{name(1, 70)};
        case 1:
            return RangeRequest{name(1, 70), random_(), random_()};
        case 2:
            return AssignRequest{name(1, 64), column(features_, below(500)), column(groups_, below(100)),
                                 below(2) == 1};
        case 3:
            return ReportRequest{name(1, 64)};
        case 4:
            return knob();
        case 5:
            return refinement();
        case 6:
            return RowRequest{name(1, 64), column(features_, below(500))};
        case 7:
            return HealthRequest{};
        case 8:
            return DescriptionRequest{};
        default:
            return StopRequest{};
    }
}

decltype(ControlReply::body) RandomMessages::reply() {
    switch (below(9)) {
        case 0:
            return nack();
        case 1:
            return publication();
        case 2: {
            blobs_.resize(below(5));
            Publications out;
            for (auto& blob : blobs_) out.messages.push_back(column(blob, below(300)));
            return out;
        }
        case 3:
            return Assigned{Answered<ClusterId>{column(labels_, below(300))}};
        case 4: {
            ModelReport out{fairness(), clusters(), name(0, 60), {}};
            for (std::uint64_t f = below(4); f > 0; --f) out.figures.push_back({name(1, 30), name(0, 9), name(0, 60)});
            return out;
        }
        case 5:
            return Done{random_()};
        case 6:
            return below(2) == 0 ? Assigned{Answered<Score>{column(scores_, below(300))}}
                                 : Assigned{Answered<Memberships>{column(features_, below(300))}};
        case 7: {
            Description out;
            out.sequence = random_();
            out.recording = name(0, 60);
            out.format = format();
            out.reader_settings = reader_settings(out.format.columns.size());
            out.events = random_();
            out.points = random_();
            out.max_message_bytes = random_();
            out.capacity = static_cast<std::uint32_t>(random_());
            for (std::uint64_t m = below(4); m > 0; --m) {
                out.models.push_back({name(1, 30), name(0, 20), {}, random_(), random_()});
                for (std::uint64_t o = below(6); o > 0; --o)
                    out.models.back().options.push_back({name(1, 30), name(0, 40), name(0, 40), below(2) == 0});
            }
            return out;
        }
        default:
            return Health{below(2) == 1, random_(), random_(),   static_cast<std::uint32_t>(random_()),
                          random_(),     real(),    name(0, 20), name(0, 20),
                          name(0, 200)};
    }
}

Message RandomMessages::next() {
    switch (below(6)) {
        case 0:
            return IngestRequest{Hello{name(1, 128), random_(), random_()}};
        case 1:
            return IngestRequest{EventMessage{name(1, 128), random_(), random_(), event()}};
        case 2: {
            IngestReply out{recording(), static_cast<std::uint32_t>(random_()), {}};
            switch (below(4)) {
                case 0: {
                    Welcome& welcome = out.body.emplace<Welcome>(
                        Welcome{random_(),
                                format(),
                                random_(),
                                random_(),
                                {static_cast<std::int64_t>(random_()), static_cast<std::int64_t>(random_()),
                                 static_cast<std::uint32_t>(random_()), static_cast<std::int64_t>(random_())}});
                    welcome.reader_settings = reader_settings(welcome.format.columns.size());
                    welcome.scales = below(2) == 1;
                    break;
                }
                case 1:
                    out.body = Ending{};
                    break;
                case 2:
                    out.body = Ack{random_(),
                                   random_(),
                                   random_(),
                                   random_(),
                                   static_cast<std::int64_t>(random_()),
                                   {random_(), random_(), random_()}};
                    break;
                default:
                    out.body = nack();
            }
            return out;
        }
        case 3:
            return publication();
        case 4:
            return ControlRequest{random_(), request()};
        default:
            return ControlReply{random_(), recording(), reply()};
    }
}

}  // namespace fairstream::wire::test
