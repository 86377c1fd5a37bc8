#pragma once
/// The stages of a fit, implemented for each kind of output.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/fit/stages/fit_stop.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/fit/stages/saved_fit.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// A fit of one model. Each kind of output has a job; `run` calls the stages in the order below.
class FitJob {
public:
    FitJob(FitOptions options, ModelOptions model, Listener& listener)
        : options_(std::move(options)), model_(std::move(model)), listener_(listener) {}
    virtual ~FitJob() = default;
    FitJob(const FitJob&) = delete;
    FitJob& operator=(const FitJob&) = delete;

    [[nodiscard]] FitResult run();

protected:
    /// Throws `InvalidInput` for options that do not fit this kind, before a long file is read.
    virtual void check() const {}
    /// Reads the points, and reports notes on them.
    virtual void load() = 0;
    /// Fits the model until `stop` ends the work, sets `saved_` if the fit is to be saved, and reports notes on the
    /// result.
    virtual void fit(FitStop& stop) = 0;
    /// Returns the window's capacity for a saved configuration; nothing if this kind of output saves no configuration.
    [[nodiscard]] virtual std::optional<Slot> capacity() const { return std::nullopt; }
    /// Writes the files of this kind of output.
    virtual void write() const {}
    [[nodiscard]] virtual std::string json() const = 0;
    [[nodiscard]] virtual std::string summary() const = 0;
    [[nodiscard]] virtual Judgement judge() const = 0;

    /// Returns storage for the events of a fit; null if the fit is not saved.
    [[nodiscard]] std::unique_ptr<SavedFit> new_saved() const {
        return options_.save.empty() ? nullptr : std::make_unique<SavedFit>();
    }

    FitOptions options_;
    ModelOptions model_;
    Listener& listener_;
    std::unique_ptr<SavedFit> saved_;
    bool stopped_ = false;  // stopped before its end; set before `capacity` is called
};

[[nodiscard]] std::unique_ptr<FitJob> cluster_job(FitOptions options, ModelOptions model, Listener& listener);
[[nodiscard]] std::unique_ptr<FitJob> graph_job(FitOptions options, ModelOptions model, Listener& listener);
[[nodiscard]] std::unique_ptr<FitJob> score_job(FitOptions options, ModelOptions model, Listener& listener);
[[nodiscard]] std::unique_ptr<FitJob> prediction_job(FitOptions options, ModelOptions model, Listener& listener);
[[nodiscard]] std::unique_ptr<FitJob> group_job(FitOptions options, ModelOptions model, Listener& listener);

}  // namespace fairstream::fit
