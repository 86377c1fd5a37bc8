/// What every model must keep while it tells of its work, and when it is asked to end it.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model_checks.hpp"
#include "models_under_check.hpp"

namespace fairstream::test {
namespace {

template <class M> class WorkChecks : public ModelChecks<M> {
protected:
    using Core = core::EngineCore;

    // Options under which refinements search as they do by default.
    static typename M::Options options() {
        typename M::Options options = ModelStream<M>::options();
        if constexpr (requires { options.starts; }) options.starts = 3;
        return options;
    }
    static std::vector<Event> events() {
        std::vector<Event> made;
        for (const PointColumns& batch : batches_of_stream()) made.push_back(batch.view());
        if constexpr (Refinable<M>) made.push_back(Refinement{"model", 0});
        return made;
    }
    // Expects a state that the next event could follow, and figures of what is visible.
    static void expect_sound(const Core& core, const Update& update) {
        M::verify(options(), WorkChecks::state(core), core.window().format());
        M::verify(options(), WorkChecks::state(core), core.window());
        const ModelUpdate& model = update.models[0];
        EXPECT_TRUE(std::isfinite(model.cost));
        if (model.solve.outcome == Outcome::warming) return;
        WorkChecks::expect_counted_fairness(core, model);
    }

private:
    static const std::vector<PointColumns>& batches_of_stream() {
        static const std::vector<PointColumns> batches = WorkChecks::stream(4);
        return batches;
    }
};

TYPED_TEST_SUITE(WorkChecks, Models, NameOfModel);

TYPED_TEST(WorkChecks, WhoFollowsTheWorkChangesNothing) {
    const auto followed = this->engine(this->options()), alone = this->engine(this->options());
    double share = 0;
    bool falls = false;
    followed->on_progress([&](const WorkProgress& work) {
        falls = falls || work.share < share || work.share > 1;
        share = work.share;
        return true;
    });
    for (const Event& event : this->events()) {
        share = 0;
        const auto changed = this->changes(followed->ingest(event, {}));
        EXPECT_EQ(changed, this->changes(alone->ingest(event, {})));
        ASSERT_EQ(this->bytes(*followed), this->bytes(*alone));
    }
    EXPECT_FALSE(falls) << "the share of an event's work never falls";
}

// Ends the work of the last event, a refinement where there is one, and of the first, after ever more checks.
TYPED_TEST(WorkChecks, WorkThatIsEndedLeavesASoundStateAndTrueFigures) {
    const std::vector<Event> events = this->events();
    for (const std::size_t ended : {std::size_t{0}, events.size() - 1}) {
        int checks = 1;
        for (bool was_ended = true; was_ended; checks = checks + 1 + checks / 2) {
            SCOPED_TRACE("event " + std::to_string(ended) + ", check " + std::to_string(checks));
            const auto core = this->engine(this->options());
            std::map<PointId, typename TypeParam::Output> view;
            was_ended = false;
            for (std::size_t i = 0; i <= ended; ++i) {
                int left = checks;
                core->on_progress([&, i](const WorkProgress&) {
                    EXPECT_FALSE(was_ended) << "it is asked again";
                    was_ended = i == ended && --left == 0;
                    return !was_ended;
                });
                const Update& update = core->ingest(events[i], {});
                this->fold(view, this->changes(update));
                if (i == ended) this->expect_sound(*core, update);
            }
            EXPECT_EQ(view, this->seen(*core)) << "changes are told as at the end";
            if (was_ended) {
                EXPECT_THROW((void)this->bytes(*core), std::logic_error);
            }
        }
    }
}

// The first step of these and their refinements take long where there are many points.
TYPED_TEST(WorkChecks, ModelsThatIterateTellOfIt) {
    const bool iterates =
        Refinable<TypeParam> && !std::same_as<TypeParam, threshold::Model> && !std::same_as<TypeParam, trend::Model>;
    const auto core = this->engine(this->options());
    int told = 0;
    core->on_progress([&](const WorkProgress&) { return ++told > 0; });
    for (const Event& event : this->events()) core->ingest(event, {});
    EXPECT_EQ(told > 0, iterates);
}

}  // namespace
}  // namespace fairstream::test
