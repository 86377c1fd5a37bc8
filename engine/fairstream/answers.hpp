#pragma once
/// The answers of one model about points that are not in the window, as of one event, apart from the engine.

#include <memory>
#include <span>

#include <fairstream/base/types.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/models/point_rows.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

struct PrepareOptions;
namespace core {
struct AskedModel;
}

/// Made by `Engine::answers`. One thread asks at a time, and it does all of the work. Functions do what those of the
/// same name do in `Engine`, and give the same; they throw `Interrupted` after `interrupt`.
class Answers {
public:
    Answers(const core::AskedModel& model, const PrepareOptions& prepare);
    ~Answers();
    Answers(const Answers&) = delete;
    Answers& operator=(const Answers&) = delete;

    [[nodiscard]] const ModelOptions& options() const noexcept;
    [[nodiscard]] std::size_t dimensions() const noexcept;  ///< of the points as they come

    void assign(ConstRows rows, std::span<ClusterId> out) const;
    void assign_fair(ConstRows rows, std::span<const GroupId> groups, std::span<ClusterId> out) const;
    void predict_rows(RowKind kind, ConstRows features, std::span<float> out) const;
    void score(ConstRows rows, std::span<const GroupId> groups, std::span<Score> out) const;

    /// Ends a call that runs, soon, and all later ones. May be called from any thread.
    void interrupt() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream
