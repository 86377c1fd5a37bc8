#pragma once
/// Group figures of someone else's predictions: a model that clusters nothing and learns nothing.
///
/// A column of the stream's features has the predictions, the targets are the outcomes. The figures
/// (`fairness/group_metrics.hpp`) are of the retained points, kept up by the points that come and go.

#include <cstdint>
#include <string>
#include <string_view>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/fairness/group_metrics.hpp>
#include <fairstream/fairness/group_tally.hpp>
#include <fairstream/models/model.hpp>

namespace fairstream::group_metrics {

struct Model;

/// A column of the stream's features: its name or, where columns have no names, its index from 0.
struct ColumnName {
    std::string text = "prediction";
    bool operator==(const ColumnName&) const = default;
};
[[nodiscard]] std::string option_text(const ColumnName& value);
/// Returns false for an empty text, and for one with a control character.
[[nodiscard]] bool read_option_text(std::string_view text, ColumnName& value);

struct Options {
    using Model = group_metrics::Model;

    ColumnName prediction;  ///< the column with the predictions, which [prepare] leaves as it is
    /// A prediction of at least this, as float32, selects its point; in [-1e15, 1e15].
    double threshold = 0.5;
    OneOrMore<int> attribute = -1;         ///< indices of the protected attributes, in [0, 255]; -1 alone: all
    int intersections = 2;                 ///< attributes in an intersection, at most, in [1, 8]; 1: there are none
    int bins = 10;                         ///< of the calibration, in [1, 100]
    std::int64_t least_points = 1;         ///< a rate of fewer points is given but not compared, in [1, 1e9]
    double parity_difference_at_most = 0;  ///< in [0, 1]; 0: no bound
    double odds_difference_at_most = 0;    ///< in [0, 1]; 0: no bound
    bool operator==(const Options&) const = default;
};

/// Groups of all attributes and intersections together, at most: differences are of all pairs.
inline constexpr std::uint64_t most_groups = 1024;

struct State {
    bool is_counted = false;  ///< whether the tally is that of the points at the last step, by their weights now
    GroupTally tally;
    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.is_counted);
        archive(2, self.tally);
    }
};

/// Columns of points, gathered.
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

    [[nodiscard]] static const ModelKind& kind();
    /// Throws `InvalidInput` (bad_option) naming the option, its value and its range, and for a column that the stream
    /// has not, or that is prepared.
    static void check(const Options& options, const StreamFormat& format);
    [[nodiscard]] static State start(const Options& options, const Window& window);
    /// Throws `InvalidInput` (bad_state) when `state` cannot be one of a stream of this format, whatever its points.
    static void verify(const Options& options, const State& state, const StreamFormat& format);
    /// Throws `InvalidInput` (bad_state) when `state` is not that of the window's points.
    static void verify(const Options& options, const State& state, const Window& window);
    [[nodiscard]] static WorkEstimate step_work(const Options& options, const StreamFormat& format,
                                                std::uint64_t points, std::uint64_t retained);
    /// Counts the points that came and takes out those that left: O(points). Warms while there are none. The outcome is
    /// `converged`: the counts are exact.
    static void step(const Options& options, State& state, Workspace& workspace, const Window& window,
                     const WindowChange& change, StepReport<NoOutput>& report);
    /// Counts all points anew under options that changed.
    static void adjust(const Options& options, State& state, const Window& window, StepReport<NoOutput>& report);
    static void re_express(const Options& options, State& state, const MeasureChange& change);
    /// Returns 0: nothing is minimised.
    [[nodiscard]] static double objective(const State&) { return 0; }
    [[nodiscard]] static GroupMetrics measure(const Options& options, const State& state, const StreamFormat& format,
                                              double weight_unit);
};

}  // namespace fairstream::group_metrics
