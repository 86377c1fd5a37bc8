#pragma once
/// An engine that labels and scores points without taking them in: recovered from a recording, or running. Both give
/// the same answers for the same events.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/models/point_rows.hpp>
#include <fairstream/targets/target_notes.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {

struct AskedModel {
    std::string name;
    /// The options now in effect. For a running engine, options that are files or long texts have their defaults.
    ModelOptions options;
};

class AskedEngine {
public:
    virtual ~AskedEngine() = default;

    [[nodiscard]] virtual const StreamFormat& format() const = 0;
    /// Returns how files of the stream's points are read.
    [[nodiscard]] virtual const files::ReaderSettings& reader_settings() const = 0;
    [[nodiscard]] virtual const std::vector<AskedModel>& models() const = 0;
    /// Returns whether all events come from a fit.
    [[nodiscard]] virtual bool is_saved_fit() const { return false; }
    /// Return the newest event, and the number of retained points, both as of now.
    [[nodiscard]] virtual Sequence sequence() = 0;
    [[nodiscard]] virtual std::uint64_t retained_points() = 0;

    // Rows are n x d, in the form in which points are sent. Each of the functions below throws what the engine throws.

    /// Collects rows for `warnings`. Does nothing for a running engine.
    virtual void note(ConstRows /*rows*/) {}
    /// Returns warnings about the collected rows compared with the retained points.
    [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }

    /// Returns the nearest clusters.
    [[nodiscard]] virtual std::vector<ClusterId> assign(const std::string& model, ConstRows rows) = 0;
    /// Returns labels for the model's targets (`Engine::assign_fair`). `groups` is n x a, for the a attributes that the
    /// model balances.
    [[nodiscard]] virtual std::vector<ClusterId> assign_fair(const std::string& model, ConstRows rows,
                                                             std::span<const GroupId> groups) = 0;
    /// Returns the largest number of bytes of rows and groups in one question.
    [[nodiscard]] virtual std::size_t most_bytes_at_once() const = 0;
    struct Retained {
        GroupMasses masses;                     ///< by attribute of the stream
        std::optional<FairnessTally> labelled;  ///< by cluster; empty: unknown
        double weight_unit = 1;                 ///< unit of the tally's weights (`Window::weight_unit`)
    };
    /// Returns the counts of the retained points by cluster and group.
    [[nodiscard]] virtual Retained retained(const std::string& model) = 0;
    /// Returns the counts of the retained points by nearest cluster and group; nothing if they are unknown.
    [[nodiscard]] virtual std::optional<FairnessTally> nearest_retained(const std::string& /*model*/) { return {}; }
    /// Returns scores or predictions. `groups` is n x a, or empty when the model needs none.
    [[nodiscard]] virtual std::vector<Score> score(const std::string& model, ConstRows rows,
                                                   std::span<const GroupId> groups) = 0;
    /// Returns the rows of numbers of this kind, n x k.
    [[nodiscard]] virtual std::vector<float> rows(const std::string& model, RowKind kind, ConstRows features) = 0;
};

/// Recovers the engine of a recording: its newest checkpoint, then the events after it. The recording is opened for
/// reading only and may have a writer. Throws `InvalidInput` when the file does not exist, `RecordingError` when it is
/// no recording or is damaged.
[[nodiscard]] std::unique_ptr<AskedEngine> recover_engine(const std::filesystem::path& recording, int threads);

/// Connects to the engine that runs at a control endpoint. Throws `std::runtime_error` when it does not answer in time
/// or refuses; `InvalidInput` for a kind of model that this program does not know.
[[nodiscard]] std::unique_ptr<AskedEngine> ask_engine_at(const zmq::ControlOptions& options);

}  // namespace fairstream::command
