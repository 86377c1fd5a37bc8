#pragma once
/// An engine that is asked for labels and scores of points that it does not take in: one recovered from a recording, or
/// one that runs. Both give the same answers for the same events.

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
    /// As they are now. Of an engine that runs, those that are files or long have their defaults.
    ModelOptions options;
};

class AskedEngine {
public:
    virtual ~AskedEngine() = default;

    [[nodiscard]] virtual const StreamFormat& format() const = 0;
    /// Returns how files of the stream's points are written.
    [[nodiscard]] virtual const files::ReaderSettings& reader_settings() const = 0;
    [[nodiscard]] virtual const std::vector<AskedModel>& models() const = 0;
    /// Says whether all that it took in are the events of a fit.
    [[nodiscard]] virtual bool is_of_fit() const { return false; }
    /// Return the newest event, and the number of retained points, both as of now.
    [[nodiscard]] virtual Sequence sequence() = 0;
    [[nodiscard]] virtual std::uint64_t retained_points() = 0;

    // Rows are n x d, as points are sent. Each of these throws what the engine does.

    /// Notes rows that are asked about, for what `warnings` says of all of them. Does nothing for an engine that runs.
    virtual void note(ConstRows /*rows*/) {}
    /// Returns what is odd about the rows that were noted, beside the points that the engine retains.
    [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }

    /// Returns the nearest clusters.
    [[nodiscard]] virtual std::vector<ClusterId> assign(const std::string& model, ConstRows rows) = 0;
    /// Returns labels for the model's targets (`Engine::assign_fair`); groups are n x those that the model balances.
    [[nodiscard]] virtual std::vector<ClusterId> assign_fair(const std::string& model, ConstRows rows,
                                                             std::span<const GroupId> groups) = 0;
    /// Returns how many bytes of rows and groups one question may have.
    [[nodiscard]] virtual std::size_t most_bytes_at_once() const = 0;
    struct Retained {
        GroupMasses masses;                     ///< by attribute of the stream
        std::optional<FairnessTally> labelled;  ///< by cluster; empty: not known
        double weight_unit = 1;                 ///< of that (`Window::weight_unit`)
    };
    /// Returns the retained points by cluster and group.
    [[nodiscard]] virtual Retained retained(const std::string& model) = 0;
    /// Returns them as if each were in the nearest cluster, where that is known.
    [[nodiscard]] virtual std::optional<FairnessTally> nearest_retained(const std::string& /*model*/) { return {}; }
    /// Returns scores or predictions. Groups are n x a, or none where the model needs none.
    [[nodiscard]] virtual std::vector<Score> score(const std::string& model, ConstRows rows,
                                                   std::span<const GroupId> groups) = 0;
    /// Returns the rows of numbers of a kind, n x k.
    [[nodiscard]] virtual std::vector<float> rows(const std::string& model, RowKind kind, ConstRows features) = 0;
};

/// Recovers the engine of a recording, which is read alone and may have a writer: its newest checkpoint, then the
/// events after it. Throws `InvalidInput` when there is no such file, `RecordingError` when it is no recording, or
/// damaged.
[[nodiscard]] std::unique_ptr<AskedEngine> recover_engine(const std::filesystem::path& recording, int threads);

/// Asks the engine that runs at a control endpoint. Throws `std::runtime_error` when it does not answer in time, or
/// refuses; `InvalidInput` for a model of a kind that this program does not know.
[[nodiscard]] std::unique_ptr<AskedEngine> ask_engine_at(const zmq::ControlOptions& options);

}  // namespace fairstream::command
