#pragma once
/// The models that `fairstream front` finds fronts of.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/graph.hpp>
#include <fairstream/data/preparation.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/front.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/options.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::fit {

struct FrontOptions;

/// What a front is found over: points in a window, or the nodes of a graph with their groups.
struct FrontInput {
    StreamFormat format;  ///< of the points as they came
    std::optional<Window> window;
    Graph graph;                  ///< where there is no window
    std::vector<GroupId> groups;  ///< of its nodes, row-major

    PreparationFigures preparation = {};
    std::vector<std::string> id_texts = {};  ///< of the points; empty: ids are integers

    [[nodiscard]] bool is_graph() const { return !window; }
    /// The format of the points as they are clustered.
    [[nodiscard]] const StreamFormat& prepared_format() const { return window ? window->format() : format; }
    [[nodiscard]] std::size_t size() const { return window ? window->size() : graph.nodes; }
    [[nodiscard]] PointId id(std::size_t i) const { return window ? window->id(static_cast<Slot>(i)) : i; }
    /// The groups of all, size x attributes.
    [[nodiscard]] std::span<const GroupId> table() const {
        return window ? window->points().groups : std::span<const GroupId>(groups);
    }
};

using FrontWatch = std::function<bool(const FrontProgress&)>;

/// A model and the options of its search, as the command line gives them.
class FrontModel {
public:
    virtual ~FrontModel() = default;

    [[nodiscard]] std::string_view name() const { return model_name(options()); }
    /// What is weighed against fairness, as reports call it, and in words.
    [[nodiscard]] virtual std::string cost_name() const = 0;
    [[nodiscard]] virtual std::string cost_meaning() const = 0;
    [[nodiscard]] virtual bool takes_graphs() const = 0;
    /// The options that say what is balanced.
    [[nodiscard]] virtual ClusterTargets targets() const = 0;
    [[nodiscard]] virtual ModelOptions options() const = 0;
    virtual void balance(const OneOrMore<int>& attributes) = 0;
    /// Throws `InvalidInput` where options are out of their ranges.
    virtual void check(const StreamFormat& format) const = 0;
    [[nodiscard]] virtual std::vector<LeftOutGroup> left_out(const FrontInput& input) const = 0;
    [[nodiscard]] virtual Front find(const FrontInput& input, int threads, const FrontWatch& watch,
                                     const OnProgress& on_work) const = 0;
    /// How much of the search is done, in words.
    [[nodiscard]] virtual std::string text(const FrontProgress& progress) const = 0;
    [[nodiscard]] virtual nlohmann::ordered_json options_json(std::span<const Attribute> attributes) const = 0;
    /// The options of the search beside the model's.
    [[nodiscard]] virtual nlohmann::ordered_json search_json() const = 0;
};

/// Returns the names of the models that have fronts.
[[nodiscard]] std::vector<std::string> front_model_names();

/// Returns the model that the options name. Throws `InvalidInput` for one that has no fronts, and for options that are
/// not its own.
[[nodiscard]] std::unique_ptr<FrontModel> front_model(const FrontOptions& options);

}  // namespace fairstream::fit
