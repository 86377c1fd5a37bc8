#pragma once
/// The state of group_metrics, and the functions that the engine calls.

#include <cstdint>
#include <vector>

#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/fairness/group_tally.hpp>
#include <fairstream/models/group_metrics/group_metrics.hpp>
#include <fairstream/models/model.hpp>

namespace fairstream::group_metrics {

/// Largest number of groups of all attributes and intersections together, because differences are over all pairs.
inline constexpr std::uint64_t most_groups = 1024;

struct State {
    bool is_counted = false;  ///< whether the tally has the points of the last step with their present weights
    GroupTally tally;
    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.is_counted);
        archive(2, self.tally);
    }
};

/// Gathered columns of points.
struct Workspace {
    std::vector<float> predictions;
};

struct Model {
    static constexpr std::string_view name = "group_metrics";
    using Options = group_metrics::Options;
    using State = group_metrics::State;
    using Workspace = group_metrics::Workspace;
    using Output = NoOutput;
    static constexpr bool takes_weights = true;
    static const ModelAbout about;

    /// Also throws for a column that does not exist in the stream, or that is prepared.
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    static void verify(const Options& options, const State& state, const Window& window);
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    /// Adds the points that came and removes those that left: O(points). The outcome is `converged`, because counts are
    /// exact.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<NoOutput>& report);
    static void adjust(const Options& options, State& state, const Window& window, StepReport<NoOutput>& report);
    static void re_express(const Options& options, State& state, const MeasureChange& change);
    [[nodiscard]] static double objective(const State&) { return 0; }
    [[nodiscard]] static GroupMetrics measure(const Options& options, const State& state, const StreamFormat& format,
                                              double weight_unit);
};

}  // namespace fairstream::group_metrics
