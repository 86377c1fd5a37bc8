#include <fairstream/models/fair_spectral/front.hpp>

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include <fairstream/graph_labels/detail/label_problem.hpp>
#include <fairstream/graph_labels/detail/labels_from_starts.hpp>
#include <fairstream/graph_labels/detail/normalised_cut.hpp>
#include <fairstream/graph_labels/detail/target_search.hpp>
#include <fairstream/models/detail/front_search.hpp>
#include <fairstream/models/detail/run_followed.hpp>
#include <fairstream/models/fair_spectral/detail/embedded.hpp>
#include <fairstream/models/front_fairness.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::fair_spectral {
namespace {

// The first targets are an eighth of the stages apart, and labels are led to them from all starts.
constexpr int first_spans = 8;
// At every labelling, a round makes one start of k-means for this many starts of the options.
constexpr int starts_per_round_start = 3;
// Labellings kept per target; labellings of other targets are crossed with them.
constexpr std::size_t kept_at_target = 3;

// Return the number of stages between the first targets, and the number of starts of k-means for targets `span` stages
// apart.
int first_span(int stages) {
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(1, stages / first_spans))));
}
int starts_at(const FrontOptions& options, int span) {
    return std::clamp(2 * options.model.starts * span / first_span(options.stages), 1, options.model.starts);
}
int starts_of_round(const FrontOptions& options) {
    return (options.model.starts + starts_per_round_start - 1) / starts_per_round_start;
}

// Returns the approximate work of a search, in units of `work_of_labels`. There are starts and crossings with
// neighbours at each target, and in each round starts at as many labellings as there are targets.
double work_of_search(const FrontOptions& options, std::size_t rows) {
    constexpr double crossing = 12;
    const int last = options.stages;
    double work = 0;
    for (int span = first_span(last), fresh = last / span + 1; span > 0;
         span /= 2, fresh = last / (2 * std::max(span, 1))) {
        const int labelled = last / span + 1;
        work += fresh * work_of_labels(starts_at(options, span), rows, false) + labelled * crossing;
    }
    return work + options.rounds * (last + 1.0) * (work_of_labels(starts_of_round(options), rows, false) + crossing);
}

using Search = std::function<bool(const FrontProgress&)>;

// A labelling of the list.
struct CutLabelling {
    CompactLabels labels;
    std::vector<double> by_attribute;
    TradeOff point;
};

// A target with the best labels found for it so far, best first.
struct LadderTarget {
    int stage = 0;
    std::vector<Rounding> best;
    bool changed = true;  // whether `best` changed since the neighbouring targets last used it
};

class CutFrontSearch final : public FrontSearch<FrontOptions, CutLabelling> {
public:
    CutFrontSearch(const FrontOptions& options, const FrontFairness& fairness, const RoundingInput& input,
                   const Search& on_progress, WorkDone& done)
        : FrontSearch(options, on_progress), fairness_(fairness), input_(input), problem_(input), done_(done) {}

private:
    bool begin() override {
        front_.reference_cost = static_cast<double>(problem_.clusters());
        return search_ladder();
    }
    [[nodiscard]] bool stopped() const override { return done_.stopped(); }
    [[nodiscard]] FrontProgress progress() const override {
        return {.starts = options_.model.starts, .stages = static_cast<int>(ladder_.size()) - 1};
    }
    [[nodiscard]] std::vector<double> by_attribute(const CutLabelling& labelling) const override {
        return labelling.by_attribute;
    }

    // Returns a search under a target. `number` determines its draws, whatever else is searched and in what order.
    [[nodiscard]] std::unique_ptr<TargetSearch> search_at(double fairness, std::uint64_t number) const {
        return std::make_unique<TargetSearch>(problem_, fairness_.at_least(fairness),
                                              Random(options_.model.seed, 3 + number));
    }
    [[nodiscard]] double fairness_of(const LadderTarget& target) const {
        return options_.stages > 0 ? fairness_.most() * (static_cast<double>(target.stage) / options_.stages) : 0;
    }
    [[nodiscard]] FairnessTally tally_of(std::span<const ClusterId> labels) const {
        FairnessTally tally = empty_tally(options_.model.clusters, input_.format);
        tally.add(labels, input_.table.data());
        return tally;
    }

    // Searches the targets of the ladder, at ever smaller distances from each other. Returns whether to go on.
    bool search_ladder() {
        const int last = options_.stages;
        const int first = first_span(last);
        bool go_on = true;
        for (int span = first; span > 0 && go_on; span /= 2) {
            std::vector<LadderTarget> fresh;
            for (int stage = 0; stage < last; stage += span)
                if (span == first || stage / span % 2 == 1) fresh.push_back({stage, {}, true});
            if (span == first) fresh.push_back({last, {}, true});
            const int starts = starts_at(options_, span);
            parallel_for(std::size_t{0}, fresh.size(), [&](std::size_t r) { begin(fresh[r], starts); });
            std::ranges::move(fresh, std::back_inserter(ladder_));
            std::erase_if(ladder_, [](const LadderTarget& target) { return target.best.empty(); });
            std::ranges::sort(ladder_, {}, &LadderTarget::stage);
            exchange();
            record();
            go_on = report_progress();
        }
        return go_on;
    }

    // Finds the first labels for a target: from clusters of k-means led to it, and from the labels of the targets
    // beside it.
    void begin(LadderTarget& target, int starts) const {
        // A stopped search ends here, unless there are no labels yet: the first target then gets plain k-means.
        if (stopped() && (target.stage > 0 || !ladder_.empty())) return;
        const auto above = std::ranges::upper_bound(ladder_, target.stage, {}, &LadderTarget::stage);
        const LadderTarget* const lower = above == ladder_.begin() ? nullptr : &*std::prev(above);
        const LadderTarget* const upper = above == ladder_.end() ? nullptr : &*above;
        const double fairness = fairness_of(target);
        if (lower != nullptr && fairness_.of(tally_of(lower->best[0].labels)) >= fairness) {
            target.best.push_back(lower->best[0]);
            return;
        }
        const auto search = search_at(fairness, static_cast<std::uint64_t>(target.stage));
        Random random(options_.model.seed ^ 1, static_cast<std::uint64_t>(target.stage));
        if (stopped()) {
            const KMeans start = std::move(kmeans_starts(problem_, 1, random)[0]);
            target.best.push_back(search->improved(start.labels, start.centres));
            return;
        }
        const std::vector<KMeans> begun = kmeans_starts(problem_, starts, random);
        std::vector<Rounding> found = search->labels_from_starts(begun);
        std::ranges::move(search->annealed_in_parts(begun), std::back_inserter(found));
        if (ladder_.empty())
            std::ranges::move(search->labels_from_ungrouped(starts, begun.size()), std::back_inserter(found));
        for (const LadderTarget* const next : {lower, upper})
            if (next != nullptr) found.push_back(search->improved(next->best[0].labels, next->best[0].centres));
        target.best.push_back(search->crossed(std::move(found)));
    }

    // Lets each target continue from the labels of its neighbours.
    void exchange() {
        std::vector<std::vector<Rounding>> found(ladder_.size());
        parallel_for(std::size_t{0}, ladder_.size(), [&](std::size_t r) {
            const bool lower = r > 0 && ladder_[r - 1].changed,
                       upper = r + 1 < ladder_.size() && ladder_[r + 1].changed;
            if (stopped() || (!lower && !upper)) return;
            const auto search = search_at(fairness_of(ladder_[r]), static_cast<std::uint64_t>(ladder_[r].stage) +
                                                                       static_cast<std::uint64_t>(options_.stages) + 1);
            std::vector<Rounding> all = ladder_[r].best;
            if (lower) all.push_back(search->improved(ladder_[r - 1].best[0].labels, ladder_[r - 1].best[0].centres));
            if (upper) all.push_back(search->improved(ladder_[r + 1].best[0].labels, ladder_[r + 1].best[0].centres));
            found[r] = all;
            found[r].push_back(search->crossed(std::move(all)));
        });
        for (std::size_t r = 0; r < ladder_.size(); ++r) {
            ladder_[r].changed = false;
            if (found[r].empty()) continue;
            std::ranges::stable_sort(found[r], [](const Rounding& a, const Rounding& b) { return a.beats(b); });
            found[r].resize(std::min(found[r].size(), kept_at_target));
            ladder_[r].changed = found[r][0].labels != ladder_[r].best[0].labels;
            ladder_[r].best = std::move(found[r]);
        }
    }

    [[nodiscard]] CutLabelling labelling_of(std::span<const ClusterId> labels) const {
        const FairnessTally tally = tally_of(labels);
        return {CompactLabels(labels, problem_.clusters()),
                fairness_.by_attribute(tally),
                {normalised_cut(input_.affinity, labels, problem_.clusters()), fairness_.of(tally)}};
    }

    // Merges the labellings of all targets into the list.
    void record() {
        std::vector<std::vector<CutLabelling>> fresh(ladder_.size());
        parallel_for(std::size_t{0}, ladder_.size(), [&](std::size_t r) {
            for (const Rounding& each : ladder_[r].best) fresh[r].push_back(labelling_of(each.labels));
        });
        for (std::vector<CutLabelling>& of_target : fresh) merge(list_, std::move(of_target));
    }

    // Searches at the balance of each labelling in the list: from it and its neighbours, from fresh starts, and from
    // parts of all of these.
    void round() override {
        const int starts = starts_of_round(options_);
        std::vector<std::vector<CutLabelling>> found(list_.size());
        parallel_for(std::size_t{0}, list_.size(), [&](std::size_t i) {
            if (stopped()) return;
            const std::uint64_t number = (static_cast<std::uint64_t>(front_.rounds) + 1) << 32 | i;
            const auto search = search_at(list_[i].point.balance, number);
            Random random(~options_.model.seed, number);
            std::vector<Rounding> all = search->labels_from_starts(kmeans_starts(problem_, starts, random));
            const std::vector<float> centres(problem_.clusters() * problem_.clusters());
            for (std::size_t j = i - std::min<std::size_t>(i, 1); j < std::min(i + 2, list_.size()); ++j) {
                std::vector<ClusterId> labels(problem_.rows());
                list_[j].labels.copy_to(labels);
                all.push_back(search->improved(std::move(labels), centres));
            }
            for (const Rounding& each : all) found[i].push_back(labelling_of(each.labels));
            found[i].push_back(labelling_of(search->crossed(std::move(all)).labels));
        });
        for (std::vector<CutLabelling>& fresh : found) merge(list_, std::move(fresh));
    }

    const FrontFairness& fairness_;
    const RoundingInput& input_;
    const LabelProblem problem_;
    WorkDone& done_;
    std::vector<LadderTarget> ladder_;  // by ascending target
};

// Returns the options with a target of the highest possible fairness, so that everything that targets need is prepared.
Options for_fairest(Options options, const FrontFairness& fairness) {
    options.targets = static_cast<const Targets&>(fairness.at_least(1));
    return options;
}

// Embeds by `embed`, which takes options and a watch, and then searches the front.
template <class Embed> Front front_over(const FrontOptions& options, const StreamFormat& format,
                                        std::span<const GroupId> groups, int threads, const Search& on_progress,
                                        const OnProgress& on_work, const Embed& embed) {
    const ClusterTargets targets = targets_of(options.model);
    const GroupTotals totals = group_totals(groups, format.attributes);
    check_front_points(targets, format.attributes, totals, groups.size() / format.attributes.size());
    const FrontFairness fairness(targets, options.measure, totals);
    const Options fairest = for_fairest(options.model, fairness);
    return run_followed(threads, on_work, [&](const WorkHandle& work) {
        constexpr double embedded = 0.05;  // approximate share of the work
        const Embedded whole = embed(fairest, work.part(0, embedded));
        RoundingInput input = whole.input(fairest, format, groups);
        WorkDone done(work.part(embedded, 1, stage_of_labels),
                      work_of_search(options, input.rows.size() / static_cast<std::size_t>(fairest.clusters)));
        input.done = &done;
        return CutFrontSearch(options, fairness, input, on_progress, done).run();
    });
}

}  // namespace

void check(const FrontOptions& options, const StreamFormat& format) {
    check_has_groups(format);
    if (format.has_weights)
        throw InvalidInput(Reason::bad_option,
                           "a front of fair_spectral takes no points with weights: remove the weights");
    for (const Attribute& attribute : format.attributes)
        if (attribute.has_unknown)
            throw InvalidInput(Reason::bad_option,
                               "attribute " + attribute.name +
                                   ": a front of fair_spectral takes no unknown group: leave its points out");
    Model::check(options.model, format);
    check_front_limits(options.stages, options.rounds, options.point_limit, options.gap);
}

std::vector<LeftOutGroup> left_out_groups(const FrontOptions& options, const GroupTotals& totals) {
    return left_out_groups(targets_of(options.model), options.measure, totals);
}

Front find_front(const FrontOptions& options, const Window& window, int threads, const Search& on_progress,
                 const OnProgress& on_work) {
    check(options, window.format());
    return front_over(options, window.format(), window.points().groups, threads, on_progress, on_work,
                      [&](const Options& model, const WorkHandle& work) { return embedded(model, window, work); });
}

Front find_front(const FrontOptions& options, const Graph& graph, std::span<const Attribute> attributes,
                 std::span<const GroupId> groups, int threads, const Search& on_progress, const OnProgress& on_work) {
    const StreamFormat format{1, {attributes.begin(), attributes.end()}, false};
    check(options, format);
    check_nodes(options.model, graph, format, groups);
    return front_over(
        options, format, groups, threads, on_progress, on_work,
        [&](const Options& model, const WorkHandle& work) { return embedded(model, graph, format, groups, work); });
}

}  // namespace fairstream::fair_spectral
