/// Properties that every model keeps on streams that carry weights and times, with prepared features, and from which
/// points are removed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>
#include <vector>

#include "model_checks.hpp"
#include "models_under_check.hpp"

namespace fairstream::test {
namespace {

/// What a stream carries besides points, and the schedule of its model.
struct Carried {
    const char* name;
    bool weighs = false, decays = false, ages = false, prepares = false, removes = false;
    std::uint64_t every = 0;
};

constexpr std::array cases{
    Carried{.name = "ages", .ages = true},
    Carried{.name = "ages, on a schedule", .ages = true, .every = 90},
    Carried{.name = "prepares", .prepares = true},
    Carried{.name = "prepares, on a schedule", .prepares = true, .every = 90},
    Carried{.name = "ages and prepares", .ages = true, .prepares = true},
    Carried{.name = "weighs", .weighs = true},
    Carried{.name = "weighs, on a schedule", .weighs = true, .every = 90},
    Carried{.name = "decays", .decays = true},
    Carried{.name = "decays, on a schedule", .decays = true, .every = 90},
    Carried{.name = "removes", .removes = true},
    Carried{.name = "removes, on a schedule", .removes = true, .every = 90},
    Carried{.name = "ages and removes", .ages = true, .removes = true},
    Carried{.name = "everything", .weighs = true, .decays = true, .ages = true, .prepares = true, .removes = true},
    Carried{.name = "everything, on a schedule",
            .weighs = true,
            .decays = true,
            .ages = true,
            .prepares = true,
            .removes = true,
            .every = 90},
};

constexpr std::int64_t minute = 60'000'000;

template <class M> class CarriedChecks : public ModelChecks<M> {
protected:
    using Core = core::EngineCore;

    static StreamFormat carried_format(const Carried& carried) {
        StreamFormat made = ModelChecks<M>::format();
        made.has_weights = carried.weighs;
        return made;
    }
    /// Half-lives are short, so that the unit of weights is renewed several times.
    static WindowOptions window(const Carried& carried) {
        return {.capacity = ModelChecks<M>::capacity,
                .max_age = carried.ages ? 5 * minute : 0,
                .half_life = {.points = carried.decays ? 15.0 : 0.0}};
    }
    static std::unique_ptr<Core> core(const Carried& carried, int threads = 1) {
        PrepareOptions prepare;
        if (carried.prepares) prepare.columns.assign(carried_format(carried).dimensions, {.scale = Scale::running});
        if (carried.prepares && MonitoringModel<M>) prepare.columns[0] = {};  // the predictions
        auto made = std::make_unique<Core>(carried_format(carried), window(carried), threads, no_work_limit,
                                           RunInBackground{}, prepare);
        made->add("model", ModelChecks<M>::Stream::options(), {carried.every, WhenBusy::wait});
        return made;
    }
    /// Returns the id of point i of batch b, unlike any length.
    static PointId id_of(std::size_t b, std::size_t i) { return 0x5a17'0000'0000'0000 + 1000 * b + i; }
    /// A batch, or a removal of points.
    struct Sent {
        PointColumns points;
        std::vector<PointId> removed = {};
        [[nodiscard]] Event event() const { return removed.empty() ? Event(points.view()) : PointRemoval{removed}; }
    };
    /// Batches one minute apart: points come late, again, not at all, and after all earlier ones are too old. Removals
    /// of points of the last batches, some of which come again, and of all points.
    static std::vector<Sent> carried_stream(const Carried& carried) {
        const StreamFormat format = carried_format(carried);
        std::vector<Sent> all;
        Random random(17);
        std::int64_t now = 1'000 * minute;
        for (std::size_t b = 0; b < 24; ++b) {
            const std::size_t n = b % 9 == 8 ? 0 : b % 7 == 6 ? 5 : 70;
            now += b == 20 ? 60 * minute : minute;
            PointColumns batch = mixture(format, n, 5 + b, id_of(b, 0), 5, 0.3F * static_cast<float>(b));
            batch.event_time = b % 6 == 5 ? now - 3 * minute : b % 11 == 10 ? now - 50 * minute : now;
            if (carried.weighs && b % 4 != 3)
                for (std::size_t i = 0; i < n; ++i) batch.weights.push_back(0.5 * (1 + random.below(8)));
            for (std::size_t i = 0; i < n && i < 4 && b > 2; ++i) batch.ids[i] = id_of(b - 2, 10 * i);
            all.push_back({std::move(batch)});
            if (!carried.removes || b % 3 != 2) continue;
            Sent removal;
            for (std::size_t of = b == 17 ? 0 : b - 2; of <= b; ++of)
                for (std::size_t i = of; i < 70; i += b == 17 ? 1 : 7) removal.removed.push_back(id_of(of, i));
            all.push_back(std::move(removal));
        }
        return all;
    }
    /// Predicts points as sent.
    static auto predicted_raw(const Core& core, PointColumns points) {
        std::vector<float> prepared(core.preparer().prepared_size(points.features.size()));
        core.preparer().prepare(points.features, prepared);
        points.features = prepared;
        return ModelChecks<M>::predicted(core, points);
    }
    static bool takes(const Carried& carried) { return M::takes_weights || !(carried.weighs || carried.decays); }

    /// Expects the fairness figures of `update` to be those counted from all visible outputs and current weights.
    static void expect_weighted_fairness(const Core& core, const ModelUpdate& update) {
        const Window& window = core.window();
        const auto visible = ModelChecks<M>::visible(core);
        if constexpr (NumberModel<M>) {
            const int attribute = M::score_attribute(ModelChecks<M>::Stream::options());
            ScoreTally counted(window.format().attributes[attribute].groups.size());
            for (Slot slot = 0; slot < window.size(); ++slot)
                counted.add(visible[slot], window.group(slot, attribute), window.target(slot), window.weight(slot));
            counted.settle();
            ASSERT_EQ(adapter::measure_named<M>(ModelChecks<M>::Stream::options(), counted, window.format()),
                      ModelChecks<M>::number_fairness(update));
        } else if constexpr (MonitoringModel<M>) {
            const GroupMetrics counted = ModelChecks<M>::counted_metrics(window), &kept = update.group_metrics();
            for (std::size_t set = 0; set < counted.attributes.size(); ++set)
                for (const auto& [name, comparison, meaning, rates] : group_comparisons) {
                    const GroupComparison &a = counted.attributes[set].*comparison,
                                          &b = kept.attributes[set].*comparison;
                    ASSERT_EQ(a.groups, b.groups) << name;
                    ASSERT_NEAR(a.difference, b.difference, 1e-12) << name;
                    ASSERT_NEAR(a.interval.low, b.interval.low, 1e-9) << name;
                }
            ASSERT_EQ(counted.all.points, kept.all.points);
            ASSERT_NEAR(counted.all.calibration.gap, kept.all.calibration.gap, 1e-12);
        } else {
            FairnessTally counted = empty_tally(update.tally().clusters(), window.format());
            if (!update.tally().is_weighted() && counted.is_weighted()) return;
            for (Slot slot = 0; slot < window.size(); ++slot)
                if (visible[slot] != no_cluster)
                    counted.add(visible[slot], window.groups(slot), window.weight(slot) / window.weight_unit());
            ASSERT_TRUE(counted.counts_same_points(update.tally()));
        }
    }
};

TYPED_TEST_SUITE(CarriedChecks, Models, NameOfModel);

TYPED_TEST(CarriedChecks, ChangesReplayedGiveWhatIsVisible) {
    for (const Carried& carried : cases) {
        if (!this->takes(carried)) continue;
        SCOPED_TRACE(carried.name);
        const auto core = this->core(carried);
        std::map<PointId, typename TypeParam::Output> view;
        for (const auto& sent : this->carried_stream(carried)) {
            const Update& update = core->ingest(sent.event(), {});
            this->fold(view, this->changes(update));
            ASSERT_EQ(view, this->seen(*core)) << "after event " << update.sequence;
            this->expect_weighted_fairness(*core, update.models[0]);
            if (this->HasFatalFailure()) return;
        }
        EXPECT_TRUE(!carried.ages || core->window().arrivals().late > 0);
        EXPECT_TRUE(!carried.prepares || core->preparer().figures().renewals > 0);
    }
}

TYPED_TEST(CarriedChecks, SavedLoadedAndContinuedEqualsUninterrupted) {
    for (const Carried& carried : cases) {
        if (!this->takes(carried)) continue;
        SCOPED_TRACE(carried.name);
        const auto whole = this->core(carried), other = this->core(carried, 3);
        for (const auto& sent : this->carried_stream(carried)) {
            const auto saved = this->bytes(*whole);
            ASSERT_EQ(this->bytes(*other), saved) << "threads decide";
            const auto resumed = this->core(carried);
            StateReader reader(saved);
            resumed->load(reader);
            ASSERT_EQ(this->bytes(*resumed), saved);
            ASSERT_TRUE(this->described(*resumed) == this->described(*whole));
            const auto changes = this->changes(whole->ingest(sent.event(), {}));
            ASSERT_EQ(this->changes(resumed->ingest(sent.event(), {})), changes) << "at event " << whole->sequence();
            other->ingest(sent.event(), {});
            ASSERT_EQ(this->bytes(*resumed), this->bytes(*whole)) << "after event " << whole->sequence();
        }
    }
}

/// Returns whether bytes contain a number in its stored form.
template <class T> bool hold(std::span<const std::byte> bytes, T value) {
    return !std::ranges::search(bytes, std::as_bytes(std::span(&value, 1))).empty();
}

TYPED_TEST(CarriedChecks, RemovedPointsLeaveNoTraceInTheState) {
    for (const Carried& carried : cases) {
        if (!this->takes(carried) || !carried.removes) continue;
        SCOPED_TRACE(carried.name);
        const auto core = this->core(carried);
        std::map<PointId, std::vector<float>> features;  // as sent, and as prepared
        const auto in_state = [&](PointId id) {
            const auto bytes = this->bytes(*core);
            // A single value may be a figure that a model learned.
            return hold(bytes, id) ||
                   std::ranges::count_if(features[id], [&](float x) { return x != 0 && x != 1 && hold(bytes, x); }) > 1;
        };
        std::size_t removed = 0;
        for (const auto& sent : this->carried_stream(carried)) {
            const std::size_t d = this->format().dimensions;
            for (std::size_t i = 0; i < sent.points.ids.size(); ++i)
                features[sent.points.ids[i]].assign(&sent.points.features[i * d], &sent.points.features[i * d] + d);
            std::vector<PointId> leaving;
            for (const PointId id : sent.removed)
                if (core->window().find(id) && leaving.size() < 3) leaving.push_back(id);
            for (const PointId id : leaving) {
                const float* const row = core->window().features(*core->window().find(id));
                features[id].insert(features[id].end(), row, row + d);
                ASSERT_TRUE(in_state(id)) << id;
            }
            core->ingest(sent.event(), {});
            for (const PointId id : leaving) ASSERT_FALSE(in_state(id)) << id << " after event " << core->sequence();
            removed += leaving.size();
        }
        EXPECT_GT(removed, 12U);
    }
}

// Removed points leave a model like points that leave by age: its outputs for the others are the same.
TYPED_TEST(CarriedChecks, RemovedPointsLeaveAsEvictedOnesDo) {
    constexpr Carried carried{.name = "ages and removes", .ages = true, .removes = true};
    const auto removing = this->core(carried), aging = this->core(carried);
    constexpr std::int64_t first = 1'000 * minute;
    std::vector<PointId> leaving;
    for (std::size_t b = 0; b < 4; ++b) {
        PointColumns batch = mixture(this->format(), 60, 5 + b, 1000 * (b + 1), 5);
        if constexpr (MonitoringModel<TypeParam>)
            for (std::size_t at = 0; at < batch.features.size(); at += this->format().dimensions)
                batch.features[at] = 1 / (1 + std::exp(-batch.features[at]));
        batch.event_time = first + (b == 0 ? 0 : 4 * minute);
        if (b == 0) leaving = batch.ids;
        removing->ingest(batch.view(), {});
        aging->ingest(batch.view(), {});
    }
    const Update& removal = removing->ingest(PointRemoval{leaving}, {});
    EXPECT_EQ(removal.counts.not_retained, 0U);
    const auto changes = this->changes(removal);
    PointBatch nothing;
    nothing.event_time = first + 6 * minute;
    EXPECT_EQ(this->changes(aging->ingest(nothing, {})), changes);
    EXPECT_EQ(removing->window().size(), 180U);
    EXPECT_EQ(this->seen(*removing), this->seen(*aging));
    EXPECT_TRUE(this->described(*removing) == this->described(*aging));
}

TYPED_TEST(CarriedChecks, WeightsAreTakenOrRefused) {
    for (const Carried& carried : cases) {
        if (this->takes(carried)) continue;
        try {
            (void)this->core(carried);
            ADD_FAILURE() << "taken: " << carried.name;
        } catch (const InvalidInput& error) {
            EXPECT_NE(std::string(error.what()).find(TypeParam::name), std::string::npos) << error.what();
        }
    }
}

TYPED_TEST(CarriedChecks, PredictionsFollowARenewedScale) {
    const Carried carried{.name = "prepares", .prepares = true};
    const auto core = this->core(carried);
    for (const auto& sent : this->carried_stream(carried)) {
        core->ingest(sent.event(), {});
        if (core->preparer().figures().renewals >= 2) break;
    }
    ASSERT_GE(core->preparer().figures().renewals, 2U);
    if constexpr (!MonitoringModel<TypeParam>) {
        for (const auto output : this->predicted_raw(*core, mixture(this->format(), 20, 3)))
            EXPECT_NE(output, absent<typename TypeParam::Output>());
    }
}

}  // namespace
}  // namespace fairstream::test
