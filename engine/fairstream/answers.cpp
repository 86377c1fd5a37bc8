#include <fairstream/answers.hpp>

#include <string>

#include <tbb/task_arena.h>

#include <fairstream/core/detail/queried_model.hpp>
#include <fairstream/data/preparation.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream {

struct Answers::Impl {
    Impl(const core::QueriedModel& model, const PrepareOptions& prepare)
        : name(model.name),
          options(model.options),
          format(model.format),
          prepared(model.prepared),
          preparer(prepare, model.format, 1),
          clusterer(model.clusterer == nullptr ? nullptr : model.clusterer->predictor()),
          scorer(model.scorer == nullptr ? nullptr : model.scorer->predictor()) {
        preparer.copy_measures_from(model.preparer);
    }

    // Calls `ask` with the model, on this thread only.
    template <class Ask> void run(const Ask& ask) {
        const core::QueriedModel model{name, options, format, prepared, preparer, clusterer.get(), scorer.get()};
        tbb::task_arena alone(1);
        alone.execute([&] { interruption.run([&] { ask(model); }); });
    }

    std::string name;
    ModelOptions options;
    StreamFormat format, prepared;
    Preparer preparer;
    std::unique_ptr<const Clusterer> clusterer;
    std::unique_ptr<const Scorer> scorer;
    Interruption interruption;
};

Answers::Answers(const core::QueriedModel& model, const PrepareOptions& prepare)
    : impl_(std::make_unique<Impl>(model, prepare)) {}
Answers::~Answers() = default;

const ModelOptions& Answers::options() const noexcept {
    return impl_->options;
}
std::size_t Answers::dimensions() const noexcept {
    return impl_->format.dimensions;
}

void Answers::assign(ConstRows rows, std::span<ClusterId> out) const {
    impl_->run([&](const core::QueriedModel& model) { model.assign(rows, out); });
}
void Answers::assign_fair(ConstRows rows, std::span<const GroupId> groups, std::span<ClusterId> out) const {
    impl_->run([&](const core::QueriedModel& model) { model.assign_fair(rows, groups, out); });
}
void Answers::predict_rows(RowKind kind, ConstRows features, std::span<float> out) const {
    impl_->run([&](const core::QueriedModel& model) { model.predict_rows(kind, features, out); });
}
void Answers::score(ConstRows rows, std::span<const GroupId> groups, std::span<Score> out) const {
    impl_->run([&](const core::QueriedModel& model) { model.score(rows, groups, out); });
}

void Answers::interrupt() noexcept {
    impl_->interruption.request();
}

}  // namespace fairstream
