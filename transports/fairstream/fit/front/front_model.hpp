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

/// The input of a front: points in a window, or the nodes of a graph with their groups.
struct FrontInput {
    StreamFormat format;  ///< format of the points as sent
    std::optional<Window> window;
    Graph graph;                  ///< used without a window
    std::vector<GroupId> groups;  ///< groups of its nodes, row-major

    PreparationFigures preparation = {};
    std::vector<std::string> id_texts = {};  ///< by point; empty: ids are integers

    [[nodiscard]] bool is_graph() const { return !window; }
    /// Returns the format of the points as clustered.
    [[nodiscard]] const StreamFormat& prepared_format() const { return window ? window->format() : format; }
    [[nodiscard]] std::size_t size() const { return window ? window->size() : graph.nodes; }
    [[nodiscard]] PointId id(std::size_t i) const { return window ? window->id(static_cast<Slot>(i)) : i; }
    /// Returns the groups of all points or nodes, size x attributes.
    [[nodiscard]] std::span<const GroupId> table() const {
        return window ? window->points().groups : std::span<const GroupId>(groups);
    }
};

using FrontWatch = std::function<bool(const FrontProgress&)>;

/// A model with the options of its search from the command line.
class FrontModel {
public:
    virtual ~FrontModel() = default;

    [[nodiscard]] std::string_view name() const { return model_name(options()); }
    /// Return the cost's name in reports, and its meaning in words.
    [[nodiscard]] virtual std::string cost_name() const = 0;
    [[nodiscard]] virtual std::string cost_meaning() const = 0;
    [[nodiscard]] virtual bool takes_graphs() const = 0;
    /// Returns the options that define what is balanced.
    [[nodiscard]] virtual ClusterTargets targets() const = 0;
    [[nodiscard]] virtual ModelOptions options() const = 0;
    virtual void balance(const OneOrMore<int>& attributes) = 0;
    /// Throws `InvalidInput` for options out of range.
    virtual void check(const StreamFormat& format) const = 0;
    [[nodiscard]] virtual std::vector<LeftOutGroup> left_out(const FrontInput& input) const = 0;
    [[nodiscard]] virtual Front find(const FrontInput& input, int threads, const FrontWatch& watch,
                                     const OnProgress& on_work) const = 0;
    /// Returns the progress of the search in words.
    [[nodiscard]] virtual std::string text(const FrontProgress& progress) const = 0;
    [[nodiscard]] virtual nlohmann::ordered_json options_json(std::span<const Attribute> attributes) const = 0;
    /// Returns the options of the search, without the model's.
    [[nodiscard]] virtual nlohmann::ordered_json search_json() const = 0;
};

/// Returns the names of the models with fronts.
[[nodiscard]] std::vector<std::string> front_model_names();

/// Returns the model that the options name. Throws `InvalidInput` for a model without fronts, and for options it does
/// not have.
[[nodiscard]] std::unique_ptr<FrontModel> front_model(const FrontOptions& options);

}  // namespace fairstream::fit
