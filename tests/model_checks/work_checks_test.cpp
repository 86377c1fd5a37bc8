/// Properties that every model must keep while it reports its work, and when it is asked to end it.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model_checks.hpp"
#include "models_under_check.hpp"

namespace fairstream::test {
namespace {

template <class M> class WorkChecks : public ModelChecks<M> {
public:
    using ModelChecks<M>::format;
    static WindowOptions window_options() { return {WorkChecks::capacity, WindowPolicy::sliding, 1}; }

    // Options under which refinements search as by default.
    static typename M::Options options() {
        typename M::Options options = ModelStream<M>::options();
        if constexpr (requires { options.starts; }) options.starts = 3;
        return options;
    }

protected:
    using Core = core::EngineCore;

    /// Returns whether steps or refinements are searches with counted work.
    static bool iterates() {
        return Refinable<M> && !std::same_as<M, threshold::Model> && !std::same_as<M, trend::Model>;
    }
    static std::vector<Event> events() {
        std::vector<Event> made;
        for (const PointColumns& batch : batches_of_stream()) made.push_back(batch.view());
        if constexpr (Refinable<M>) made.push_back(Refinement{"model", 0});
        return made;
    }
    // Expects a state that the next event can follow, and figures of the visible outputs.
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

// Ends the work of the last event, a refinement if there is one, and of the first, after more and more checks.
TYPED_TEST(WorkChecks, EndedWorkLeavesSoundState) {
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

// Returns an engine with this limit on the work of steps.
template <class Checks> auto bounded(std::uint64_t limit, int threads) {
    auto core = std::make_unique<core::EngineCore>(Checks::format(), Checks::window_options(), threads, no_work_limit,
                                                   RunInBackground(), PrepareOptions(), core::StepWork{limit, 10});
    core->add("model", Checks::options(), {});
    return core;
}

TYPED_TEST(WorkChecks, ALimitThatIsNotReachedChangesNothing) {
    const auto core = bounded<TestFixture>(1'000'000'000'000'000, 2),
               unlimited = bounded<TestFixture>(no_work_limit, 2);
    for (const Event& event : this->events()) {
        const Update &one = core->ingest(event, {}), &other = unlimited->ingest(event, {});
        EXPECT_EQ(one.work, other.work);
        ASSERT_EQ(this->bytes(*core), this->bytes(*unlimited));
    }
}

// Ends searches at once, after some work, and when all but the longest are done.
TYPED_TEST(WorkChecks, LimitedStepsAreReproducible) {
    const std::vector<Event> events = this->events();
    bool reached = false;
    for (const std::uint64_t limit : {1ULL, 100'000ULL, 3'000'000ULL, 30'000'000ULL}) {
        const auto alone = bounded<TestFixture>(limit, 1), shared = bounded<TestFixture>(limit, 8);
        auto continued = bounded<TestFixture>(limit, 2);
        std::map<PointId, typename TypeParam::Output> view;
        for (std::size_t i = 0; i < events.size(); ++i) {
            SCOPED_TRACE("limit " + std::to_string(limit) + ", event " + std::to_string(i));
            const Update& update = alone->ingest(events[i], {});
            this->fold(view, this->changes(update));
            EXPECT_EQ(view, this->seen(*alone)) << "changes are told as at the end";
            this->expect_sound(*alone, update);
            const Outcome outcome = update.models[0].solve.outcome;
            reached = reached || outcome == Outcome::iteration_limit;
            if (update.work > limit) {
                EXPECT_NE(outcome, Outcome::converged);
                EXPECT_NE(outcome, Outcome::stalled);
            }
            EXPECT_EQ(shared->ingest(events[i], {}).work, update.work);
            EXPECT_EQ(continued->ingest(events[i], {}).work, update.work);
            const std::vector<std::byte> bytes = this->bytes(*alone);
            ASSERT_EQ(this->bytes(*shared), bytes);
            ASSERT_EQ(this->bytes(*continued), bytes);
            continued = bounded<TestFixture>(limit, 2);
            StateReader reader(bytes);
            continued->load(reader);
        }
    }
    EXPECT_EQ(reached, this->iterates());
}

// The first step and refinements of these models take long for many points.
TYPED_TEST(WorkChecks, ModelsThatIterateTellOfIt) {
    const auto core = this->engine(this->options());
    int told = 0;
    core->on_progress([&](const WorkProgress&) { return ++told > 0; });
    for (const Event& event : this->events()) core->ingest(event, {});
    EXPECT_EQ(told > 0, this->iterates());
}

}  // namespace
}  // namespace fairstream::test
