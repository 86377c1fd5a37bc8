#pragma once
/// Answers questions about points outside the window, from a copy of one model as it was after one event.

#include <memory>
#include <span>

#include <fairstream/base/types.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/models/point_rows.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

struct PrepareOptions;
namespace core {
struct QueriedModel;
}

/// Made by `Engine::answers`; needs no engine afterwards. Only one thread at a time may call it, and that thread does
/// all the work. Functions give the same results as those of the same name in `Engine`; they throw `Interrupted` after
/// `interrupt`.
class Answers {
public:
    Answers(const core::QueriedModel& model, const PrepareOptions& prepare);
    ~Answers();
    Answers(const Answers&) = delete;
    Answers& operator=(const Answers&) = delete;

    [[nodiscard]] const ModelOptions& options() const noexcept;
    [[nodiscard]] std::size_t dimensions() const noexcept;  ///< number of features before preparation

    void assign(ConstRows rows, std::span<ClusterId> out) const;
    void assign_fair(ConstRows rows, std::span<const GroupId> groups, std::span<ClusterId> out) const;
    void predict_rows(RowKind kind, ConstRows features, std::span<float> out) const;
    void score(ConstRows rows, std::span<const GroupId> groups, std::span<Score> out) const;

    /// Ends a running call soon, and every later call. May be called from any thread.
    void interrupt() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream
