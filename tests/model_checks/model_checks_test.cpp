/// What every model must keep, checked on all of them.

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include <fairstream/core/engine_core.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/all_options.hpp>

#include "model_streams.hpp"

namespace fairstream::test {

bool ModelStream<safairkm::Model>::is_converged(const safairkm::Options& o, const FairnessTally& tally) {
    for (std::size_t a = 0; a < o.attribute.size(); ++a)
        if (minimum_balance(tally, o.attribute[a]) < o.balance_at_least.of(a)) return false;
    return true;
}

namespace {

template <class List> struct TypesOf;
template <class... M> struct TypesOf<ModelList<M...>> { using type = ::testing::Types<M..., threshold::Model>; };

template <class M> class ModelChecks : public ::testing::Test {
protected:
    using Stream = ModelStream<M>;
    using Core = core::EngineCore<M>;
    static constexpr Slot capacity = 300;

    static std::unique_ptr<Core> engine(const typename M::Options& options = Stream::options(), int threads = 1,
                                        Slot slots = capacity, const StreamFormat& format = two_attributes()) {
        auto core = std::make_unique<Core>(format, WindowOptions{slots, WindowPolicy::sliding, 1}, threads);
        core->template add<M>("model", options, {});
        return core;
    }
    static std::vector<PointColumns> stream(std::size_t count = 12) {
        return batches(two_attributes(), count, 70, 5, 0.1F);
    }
    static std::vector<std::byte> bytes(const Core& core) {
        StateWriter writer;
        core.save(writer);
        return writer.take();
    }
    static std::span<const ClusterId> labels(const Core& core) {
        return std::visit([](const auto& s) { return s.labels(); }, core.session("model"));
    }
    static const FairnessTally& tally_of(const Core& core) {
        return std::visit([](const auto& s) -> const FairnessTally& { return s.visible_tally(); },
                          core.session("model"));
    }
    static const typename M::State& state(const Core& core) {
        return std::visit([](const auto& s) -> const typename M::State& { return s.state(); }, core.session("model"));
    }
    static void fold(std::map<PointId, ClusterId>& view, const Changes<ClusterId>& changes) {
        for (std::size_t i = 0; i < changes.departed.size(); ++i) {
            ASSERT_EQ(view.at(changes.departed[i]), changes.departed_from[i]);
            view.erase(changes.departed[i]);
        }
        for (std::size_t i = 0; i < changes.ids.size(); ++i) {
            const auto at = view.find(changes.ids[i]);
            ASSERT_EQ(at == view.end() ? no_cluster : at->second, changes.before[i]);
            ASSERT_NE(changes.before[i], changes.after[i]);
            view[changes.ids[i]] = changes.after[i];
        }
    }
    static std::map<PointId, ClusterId> labelled(const Core& core) {
        std::map<PointId, ClusterId> all;
        for (Slot slot = 0; slot < core.window().size(); ++slot)
            if (labels(core)[slot] != no_cluster) all[core.window().id(slot)] = labels(core)[slot];
        return all;
    }
};

TYPED_TEST_SUITE(ModelChecks, TypesOf<Models>::type);

TYPED_TEST(ModelChecks, SameInputGivesSameBytesAtAnyThreadCount) {
    const auto one = this->engine(ModelStream<TypeParam>::options(), 1),
               four = this->engine(ModelStream<TypeParam>::options(), 4);
    for (const PointColumns& batch : this->stream()) {
        const Changes<ClusterId> first = one->ingest(batch.view(), {}).models[0].changes;
        EXPECT_EQ(first, four->ingest(batch.view(), {}).models[0].changes);
        ASSERT_EQ(this->bytes(*one), this->bytes(*four));
    }
}

TYPED_TEST(ModelChecks, ACopiedStateIsIndependent) {
    const auto core = this->engine();
    for (const PointColumns& batch : this->stream(3)) core->ingest(batch.view(), {});
    const auto copy = this->state(*core);
    const auto kept = copy;
    EXPECT_EQ(copy, this->state(*core));
    core->ingest(this->stream(4)[3].view(), {});
    EXPECT_EQ(copy, kept);
    EXPECT_FALSE(copy == this->state(*core));
}

TYPED_TEST(ModelChecks, InputIsNeitherChangedNorKept) {
    const auto core = this->engine(), oracle = this->engine();
    for (const PointColumns& batch : this->stream()) {
        PointColumns lent = batch;
        core->ingest(lent.view(), {});
        EXPECT_EQ(lent, batch);
        std::ranges::fill(lent.features, std::numeric_limits<float>::quiet_NaN());
        std::ranges::fill(lent.ids, 1);
        oracle->ingest(batch.view(), {});
        ASSERT_EQ(this->bytes(*core), this->bytes(*oracle));
    }
}

TYPED_TEST(ModelChecks, PredictIsDefinedBeforeTheFirstStepAndPureAfterIt) {
    const auto core = this->engine();
    const PointColumns points = mixture(two_attributes(), 20, 1);
    std::vector<ClusterId> first(20, 99), again(20, 98);
    predict(ModelStream<TypeParam>::options(), this->state(*core), points.features, first);
    EXPECT_EQ(first, std::vector<ClusterId>(20, no_cluster));
    for (const PointColumns& batch : this->stream(3)) core->ingest(batch.view(), {});
    const auto before = this->bytes(*core);
    predict(ModelStream<TypeParam>::options(), this->state(*core), points.features, first);
    predict(ModelStream<TypeParam>::options(), this->state(*core), points.features, again);
    EXPECT_EQ(first, again);
    EXPECT_EQ(before, this->bytes(*core));
    for (std::size_t i = 0; i < 20; ++i) {
        ClusterId alone = no_cluster;
        predict(ModelStream<TypeParam>::options(), this->state(*core), std::span(points.features).subspan(i * 4, 4),
                {&alone, 1});
        EXPECT_EQ(alone, first[i]) << "a batch equals one at a time";
    }
}

TYPED_TEST(ModelChecks, SavedLoadedAndContinuedEqualsUninterrupted) {
    const auto stream = this->stream();
    const auto whole = this->engine();
    for (std::size_t b = 0; b < stream.size(); ++b) {
        const auto saved = this->bytes(*whole);
        const auto resumed = this->engine();
        StateReader reader(saved);
        resumed->load(reader);
        ASSERT_EQ(this->bytes(*resumed), saved);
        const Changes<ClusterId> changes = whole->ingest(stream[b].view(), {}).models[0].changes;
        const Changes<ClusterId> later = resumed->ingest(stream[b].view(), {}).models[0].changes;
        ASSERT_EQ(later.departed, changes.departed) << b;
        ASSERT_EQ(later.ids, changes.ids) << b;
        ASSERT_EQ(later, changes) << b;
        ASSERT_EQ(this->bytes(*resumed), this->bytes(*whole));
    }
}

TYPED_TEST(ModelChecks, BadInputThrowsAndLeavesTheStateEqual) {
    const auto core = this->engine();
    for (const PointColumns& batch : this->stream(2)) core->ingest(batch.view(), {});
    const auto before = this->bytes(*core);
    const PointColumns good = mixture(two_attributes(), 10, 3, 5000);
    const auto refused = [&](Reason reason, auto&& spoil) {
        PointColumns bad = good;
        spoil(bad);
        try {
            core->ingest(bad.view(), {});
            ADD_FAILURE() << "taken in spite of " << to_string(reason);
        } catch (const InvalidInput& error) {
            EXPECT_EQ(error.reason(), reason) << error.what();
        }
        EXPECT_EQ(this->bytes(*core), before);
    };
    refused(Reason::bad_feature, [](PointColumns& p) { p.features[17] = std::numeric_limits<float>::quiet_NaN(); });
    refused(Reason::bad_feature, [](PointColumns& p) { p.features[39] = -std::numeric_limits<float>::infinity(); });
    refused(Reason::bad_feature, [](PointColumns& p) { p.features[0] = 1.1e15F; });
    refused(Reason::wrong_shape, [](PointColumns& p) { p.features.pop_back(); });
    refused(Reason::wrong_shape, [](PointColumns& p) { p.groups.push_back(0); });
    refused(Reason::wrong_shape, [](PointColumns& p) { p.targets.assign(10, 0); });
    refused(Reason::wrong_shape, [](PointColumns& p) { p.ids.clear(); });
    refused(Reason::unknown_group, [](PointColumns& p) { p.groups[3] = 3; });
    refused(Reason::repeated_id, [](PointColumns& p) { p.ids[9] = p.ids[2]; });
    refused(Reason::reserved_id, [](PointColumns& p) { p.ids[4] = no_point; });
    core->ingest(good.view(), {});
}

TYPED_TEST(ModelChecks, ChangesReplayedGiveTheLabels) {
    const auto core = this->engine();
    std::map<PointId, ClusterId> view;
    for (PointColumns batch : this->stream(20)) {
        // Some retained ids come again, one of them the oldest: it may be evicted by this very batch.
        for (std::size_t i = 0; i < 5 && core->window().size() > 100; ++i)
            batch.ids[10 * i + 3] =
                core->window().id(static_cast<Slot>((i * 61 + core->sequence() * 70) % core->window().size()));
        this->fold(view, core->ingest(batch.view(), {}).models[0].changes);
        ASSERT_EQ(view, this->labelled(*core));
    }
}

TYPED_TEST(ModelChecks, ABatchAboveCapacityListsNetChanges) {
    const auto core = this->engine(ModelStream<TypeParam>::options(), 1, 50);
    std::map<PointId, ClusterId> view;
    for (const PointColumns& batch : this->stream(6)) {
        this->fold(view, core->ingest(batch.view(), {}).models[0].changes);
        ASSERT_EQ(view, this->labelled(*core));
        ASSERT_EQ(core->window().size(), 50U);
    }
}

TYPED_TEST(ModelChecks, FairnessEqualsOneRecomputedFromScratch) {
    const auto core = this->engine();
    for (const PointColumns& batch : this->stream()) {
        const Update& update = core->ingest(batch.view(), {});
        const std::vector<int> groups{2, 3};
        FairnessTally counted(this->tally_of(*core).clusters(), groups);
        for (Slot slot = 0; slot < core->window().size(); ++slot)
            if (this->labels(*core)[slot] != no_cluster)
                counted.add(this->labels(*core)[slot], core->window().groups(slot));
        ASSERT_EQ(counted, update.models[0].tally);
        ASSERT_EQ(counted, this->tally_of(*core));
    }
}

TYPED_TEST(ModelChecks, ConvergedMeansWhatItSays) {
    const auto core = this->engine();
    for (const PointColumns& batch : this->stream()) {
        const Update& update = core->ingest(batch.view(), {});
        if (update.models[0].solve.outcome == Outcome::converged) {
            EXPECT_TRUE(
                ModelStream<TypeParam>::is_converged(ModelStream<TypeParam>::options(), update.models[0].tally));
        }
    }
}

TYPED_TEST(ModelChecks, StateStopsGrowingOnceTheWindowIsFull) {
    const auto core = this->engine();
    std::size_t full = 0;
    for (std::size_t round = 0; const PointColumns& batch : this->stream(40)) {
        core->ingest(batch.view(), {});
        if (++round == 10) full = this->bytes(*core).size();
        if (round > 10) {
            EXPECT_LE(this->bytes(*core).size(), full);
        }
    }
}

TYPED_TEST(ModelChecks, WarmingRetainsPointsAndLabelsNone) {
    const auto core = this->engine();
    const std::size_t needed = ModelStream<TypeParam>::points_to_start(ModelStream<TypeParam>::options());
    const PointColumns points = mixture(two_attributes(), needed, 1);
    for (std::size_t i = 0; i < needed; ++i) {
        const Update& update = core->ingest(points.view().slice(i, 1), {});
        const bool warming = i + 1 < needed;
        EXPECT_EQ(update.models[0].solve.outcome == Outcome::warming, warming);
        EXPECT_EQ(update.models[0].changes.ids.size(), warming ? 0 : needed);
    }
}

TYPED_TEST(ModelChecks, EmptyBatchesAreTaken) {
    const auto core = this->engine();
    EXPECT_TRUE(core->ingest(PointBatch{}, {}).models[0].changes.empty());
    core->ingest(this->stream(1)[0].view(), {});
    core->ingest(PointBatch{}, {});
    EXPECT_EQ(core->sequence(), 3U);
    EXPECT_EQ(core->window().size(), 70U);
}

TYPED_TEST(ModelChecks, OneGroupAndEqualPointsAreTaken) {
    const auto core = this->engine(ModelStream<TypeParam>::options(), 1, 40,
                                   {2, {{"only", {"one"}}, {"age", {"a", "b", "c"}}}, false});
    PointColumns same;
    for (PointId id = 0; id < 90; ++id) {
        same.ids.push_back(id);
        same.features.insert(same.features.end(), {1.5F, -2});
        same.groups.insert(same.groups.end(), {0, 1});
    }
    std::map<PointId, ClusterId> view;
    for (std::size_t first = 0; first < 90; first += 30)
        this->fold(view, core->ingest(same.view().slice(first, 30), {}).models[0].changes);
    EXPECT_EQ(view, this->labelled(*core));
    EXPECT_EQ(view.size(), 40U);
}

TYPED_TEST(ModelChecks, EveryOptionHasAnEffect) {
    std::vector<std::string> tried{"clusters"};
    const auto run = [&](const typename TypeParam::Options& options) {
        const auto core = this->engine(options);
        for (const PointColumns& batch : this->stream(8)) core->ingest(batch.view(), {});
        std::vector<ClusterId> streamed(this->labels(*core).begin(), this->labels(*core).end());
        if constexpr (Refinable<TypeParam>) core->ingest(Refinement{"model", 0}, {});
        return std::tuple(streamed, std::vector<ClusterId>(this->labels(*core).begin(), this->labels(*core).end()),
                          objective(this->state(*core)));
    };
    const auto usual = run(ModelStream<TypeParam>::options());
    for (const auto& [name, value, base] : ModelStream<TypeParam>::other_values()) {
        auto options = ModelStream<TypeParam>::options();
        for (const auto& [other, setting] : base) set_option_of(options, other, setting);
        const auto without = base.empty() ? usual : run(options);
        set_option_of(options, name, value);
        EXPECT_NE(run(options), without) << name << " = " << value;
        tried.push_back(name);
    }
    for (const OptionText& option : list_options_of(ModelStream<TypeParam>::options()))
        EXPECT_TRUE(std::ranges::find(tried, option.name) != tried.end()) << option.name << " is not tried";
}

TYPED_TEST(ModelChecks, EveryIllegalOptionValueIsRefusedByName) {
    for (const OptionText& option : list_options_of(ModelStream<TypeParam>::options())) {
        auto options = ModelStream<TypeParam>::options();
        for (const std::string& bad :
             {std::string("-1e300"), std::string("nan"), std::string("x"), std::string(""), std::string("1 ")}) {
            try {
                set_option_of(options, option.name, bad);
                ADD_FAILURE() << option.name << " = '" << bad << "' was taken";
            } catch (const InvalidInput& error) {
                EXPECT_NE(std::string(error.what()).find(option.name), std::string::npos) << error.what();
            }
            EXPECT_EQ(options, ModelStream<TypeParam>::options());
        }
        set_option_of(options, option.name, option.value);
        EXPECT_EQ(options, ModelStream<TypeParam>::options()) << "reading back what is printed";
    }
}

TYPED_TEST(ModelChecks, DamagedStatesAreRefusedNotLoaded) {
    const auto core = this->engine();
    for (const PointColumns& batch : this->stream(2)) core->ingest(batch.view(), {});
    const auto saved = this->bytes(*core);
    std::size_t refused = 0;
    for (std::size_t at = 0; at < saved.size(); at += 7) {
        for (const bool cut : {true, false}) {
            auto damaged = saved;
            if (cut)
                damaged.resize(at);
            else
                damaged[at] ^= std::byte{0x40};
            const auto other = this->engine();
            try {
                StateReader reader(damaged);
                other->load(reader);
                other->ingest(this->stream(3)[2].view(), {});
            } catch (const InvalidInput& error) {
                ++refused;
            }
        }
    }
    EXPECT_GT(refused, saved.size() / 7) << "every cut, and what breaks a rule";
}

}  // namespace
}  // namespace fairstream::test
