#pragma once
/// A model on a window without an engine around it.

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/models/model.hpp>

#include "support/streams.hpp"

namespace fairstream::test {

template <class Model> struct ModelBench {
    explicit ModelBench(const typename Model::Options& chosen, const StreamFormat& format = two_attributes(),
                        Slot capacity = 300)
        : ModelBench(chosen, format, WindowOptions{.capacity = capacity}) {}
    ModelBench(const typename Model::Options& chosen, const StreamFormat& format, const WindowOptions& window_options)
        : options(chosen), window(format, window_options), state(Model::start(options, window)) {}

    const StepReport<typename Model::Output>& ingest(const PointBatch& batch) {
        if (const double factor = window.renew_weight_unit(batch); factor != 1)
            Model::re_express(options, state, {.factors = {}, .shifts = {}, .weight_factor = factor});
        Model::step(options, state, workspace, window, window.apply(batch), report);
        return report;
    }
    const StepReport<typename Model::Output>& improve(std::int64_t rounds = 0) {
        Model::refine(options, state, workspace, window, rounds, report);
        return report;
    }
    [[nodiscard]] std::vector<typename Model::Output> predicted(ConstRows rows) const {
        std::vector<typename Model::Output> out(rows.size() / window.dimensions());
        Model::predict(options, state, rows, out);
        return out;
    }
    /// Returns the figure of that name; NaN if the model has none.
    [[nodiscard]] double figure(std::string_view name) const {
        for (const Figure& f : Model::figures(options, state))
            if (f.name == name) return f.value;
        return std::numeric_limits<double>::quiet_NaN();
    }

    typename Model::Options options;
    Window window;
    typename Model::State state;
    typename Model::Workspace workspace;
    StepReport<typename Model::Output> report;
};

}  // namespace fairstream::test
