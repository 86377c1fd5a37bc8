/// Properties that every model must keep, checked on all of them.

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models.hpp>

#include "model_checks.hpp"
#include "models_under_check.hpp"

namespace fairstream::test {

namespace {

TYPED_TEST_SUITE(ModelChecks, Models, NameOfModel);

TYPED_TEST(ModelChecks, IsReproducibleAtAnyThreadCount) {
    const auto one = this->engine(ModelStream<TypeParam>::options(), 1),
               four = this->engine(ModelStream<TypeParam>::options(), 4);
    for (const PointColumns& batch : this->stream()) {
        const auto first = this->changes(one->ingest(batch.view(), {}));
        EXPECT_EQ(first, this->changes(four->ingest(batch.view(), {})));
        ASSERT_EQ(this->bytes(*one), this->bytes(*four));
    }
}

TYPED_TEST(ModelChecks, ACopiedStateIsIndependent) {
    const auto core = this->engine();
    for (const PointColumns& batch : this->stream(3)) core->ingest(batch.view(), {});
    const auto copy = this->state(*core);
    const auto written = [&] {
        StateWriter writer;
        writer(1, copy);
        return writer.take();
    };
    const std::vector<std::byte> before = written();
    EXPECT_EQ(copy, this->state(*core));
    core->ingest(this->stream(4)[3].view(), {});
    EXPECT_EQ(written(), before);
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

TYPED_TEST(ModelChecks, GroupOptionIsNamedIfStreamWithoutGroupsIsRefused) {
    StreamFormat without = this->format();
    without.attributes.clear();
    for (const OtherValue& other : TestFixture::Stream::other_values()) {
        ModelOptions options = TestFixture::Stream::options();
        const ModelKind& kind = options.kind();
        for (const auto& [name, value] : other.base) kind.set_option(options, name, value);
        kind.set_option(options, other.name, other.value);
        EXPECT_NO_THROW(kind.check(options, this->format()));
        const bool needs_groups = !kind.group_option(options).empty();
        if (needs_groups || other.name == "attribute") continue;  // an index is refused without its attribute
        EXPECT_NO_THROW(kind.check(options, without)) << other.name << " = " << other.value;
    }
}

TYPED_TEST(ModelChecks, PredictIsDefinedAndPure) {
    const auto core = this->engine();
    const PointColumns points = mixture(this->format(), 20, 1);
    using Given = typename TypeParam::Output;
    EXPECT_EQ(this->predicted(*core, points), std::vector<Given>(20, absent<Given>()));
    for (const PointColumns& batch : this->stream(3)) core->ingest(batch.view(), {});
    const auto before = this->bytes(*core);
    const std::vector<Given> first = this->predicted(*core, points);
    EXPECT_EQ(first, this->predicted(*core, points));
    EXPECT_EQ(before, this->bytes(*core));
    for (std::size_t i = 0; i < 20; ++i) {
        const PointBatch row = points.view().slice(i, 1);
        Given alone = absent<Given>();
        this->session(*core).model().predict(row.features, row.groups, {&alone, 1});
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
        ASSERT_TRUE(this->state(*resumed) == this->state(*whole)) << "a part of the state is not saved";
        ASSERT_TRUE(this->described(*resumed) == this->described(*whole));
        const auto changes = this->changes(whole->ingest(stream[b].view(), {}));
        const auto later = this->changes(resumed->ingest(stream[b].view(), {}));
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
    const PointColumns good = mixture(this->format(), 10, 3, 5000);
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
    refused(Reason::wrong_shape, [](PointColumns& p) { p.targets.resize(p.targets.empty() ? 10 : 0); });
    refused(Reason::wrong_shape, [](PointColumns& p) { p.ids.clear(); });
    refused(Reason::unknown_group, [](PointColumns& p) { p.groups[3] = 3; });
    refused(Reason::repeated_id, [](PointColumns& p) { p.ids[9] = p.ids[2]; });
    refused(Reason::reserved_id, [](PointColumns& p) { p.ids[4] = no_point; });
    core->ingest(good.view(), {});
}

TYPED_TEST(ModelChecks, ChangesReplayedGiveWhatIsVisible) {
    const auto core = this->engine();
    std::map<PointId, typename TypeParam::Output> view;
    for (PointColumns batch : this->stream(20)) {
        // Some retained ids come again, including the oldest: the same batch may evict it.
        for (std::size_t i = 0; i < 5 && core->window().size() > 100; ++i)
            batch.ids[10 * i + 3] =
                core->window().id(static_cast<Slot>((i * 61 + core->sequence() * 70) % core->window().size()));
        this->fold(view, this->changes(core->ingest(batch.view(), {})));
        ASSERT_EQ(view, this->seen(*core));
    }
}

TYPED_TEST(ModelChecks, ABatchAboveCapacityListsNetChanges) {
    const auto core = this->engine(ModelStream<TypeParam>::options(), 1, 50);
    std::map<PointId, typename TypeParam::Output> view;
    for (const PointColumns& batch : this->stream(6)) {
        this->fold(view, this->changes(core->ingest(batch.view(), {})));
        ASSERT_EQ(view, this->seen(*core));
        ASSERT_EQ(core->window().size(), 50U);
    }
}

TYPED_TEST(ModelChecks, FairnessEqualsOneRecomputedFromScratch) {
    const auto core = this->engine();
    for (const PointColumns& batch : this->stream()) {
        const Update& update = core->ingest(batch.view(), {});
        this->expect_counted_fairness(*core, update.models[0]);
    }
}

TYPED_TEST(ModelChecks, ConvergedMeansWhatItSays) {
    using Known = ModelStream<TypeParam>;
    const auto options = Known::converging();
    const auto core = this->engine(options);
    std::size_t converged = 0;
    for (const PointColumns& batch : this->stream()) {
        const ModelUpdate& update = core->ingest(batch.view(), {}).models[0];
        if (update.solve.outcome != Outcome::converged) continue;
        ++converged;
        EXPECT_TRUE(Known::is_converged(options, this->state(*core), core->window()));
    }
    EXPECT_GT(converged, 0U) << "or the test shows nothing";
    EXPECT_FALSE(Known::is_converged(options, TypeParam::start(options, core->window()), core->window()));
}

TYPED_TEST(ModelChecks, FiguresMatchDeclaration) {
    const auto core = this->engine();
    EXPECT_TRUE(core->ingest(PointBatch{}, {}).models[0].figures.empty()) << "while warming there are none";
    for (const PointColumns& batch : this->stream()) {
        auto declared = TypeParam::about.figures.begin();
        for (const Figure& figure : core->ingest(batch.view(), {}).models[0].figures) {
            declared = std::find_if(declared, TypeParam::about.figures.end(),
                                    [&](const FigureText& text) { return text.name == figure.name; });
            ASSERT_NE(declared, TypeParam::about.figures.end()) << figure.name << " is not declared, or out of order";
            EXPECT_FALSE(declared->meaning.empty()) << figure.name;
            ++declared;
        }
    }
    EXPECT_FALSE(TypeParam::about.cost.empty());
}

TYPED_TEST(ModelChecks, StateStopsGrowingOnceTheWindowIsFull) {
    const auto core = this->engine();
    std::size_t full = 0;
    for (std::size_t round = 0; const PointColumns& batch : this->stream(60)) {
        core->ingest(batch.view(), {});
        const std::size_t size = this->bytes(*core).size();
        // Parts of a state come and go: results of background work, and what is saved for later.
        if (++round <= 30)
            full = std::max(full, size);
        else
            EXPECT_LE(size, full);
    }
}

TYPED_TEST(ModelChecks, WarmingRetainsPointsAndGivesThemNothing) {
    const auto core = this->engine();
    const std::size_t needed = ModelStream<TypeParam>::points_to_start(ModelStream<TypeParam>::options());
    PointColumns points = mixture(this->format(), needed, 1);
    // The last one is the first of its class.
    for (std::size_t i = 0; i < points.targets.size(); ++i) points.targets[i] = i + 1 < needed ? -1 : 1;
    for (std::size_t i = 0; i < needed; ++i) {
        const Update& update = core->ingest(points.view().slice(i, 1), {});
        const bool warming = i + 1 < needed;
        EXPECT_EQ(update.models[0].solve.outcome == Outcome::warming, warming);
        EXPECT_EQ(this->changes(update).ids.size(), warming || MonitoringModel<TypeParam> ? 0 : needed);
    }
}

TYPED_TEST(ModelChecks, EmptyBatchesAreTaken) {
    const auto core = this->engine();
    EXPECT_TRUE(this->changes(core->ingest(PointBatch{}, {})).empty());
    core->ingest(this->stream(1)[0].view(), {});
    core->ingest(PointBatch{}, {});
    EXPECT_EQ(core->sequence(), 3U);
    EXPECT_EQ(core->window().size(), 70U);
}

TYPED_TEST(ModelChecks, OneGroupAndEqualPointsAreTaken) {
    const auto core = this->engine(ModelStream<TypeParam>::options(), 1, 40,
                                   {2, {{"only", {"one"}}, {"age", {"a", "b", "c"}}}, this->has_targets});
    PointColumns same;
    for (PointId id = 0; id < 90; ++id) {
        same.ids.push_back(id);
        same.features.insert(same.features.end(), {1.5F, -2});
        same.groups.insert(same.groups.end(), {0, 1});
        if (this->has_targets) same.targets.push_back(id % 3 == 0 ? 1.0F : 0.0F);
    }
    std::map<PointId, typename TypeParam::Output> view;
    for (std::size_t first = 0; first < 90; first += 30)
        this->fold(view, this->changes(core->ingest(same.view().slice(first, 30), {})));
    EXPECT_EQ(view, this->seen(*core));
    EXPECT_EQ(view.size(), MonitoringModel<TypeParam> ? 0U : 40U);
}

TYPED_TEST(ModelChecks, EveryOptionHasAnEffect) {
    std::vector<std::string> tried{"clusters"};
    const auto run = [&](const typename TypeParam::Options& options) {
        const auto core = this->engine(options);
        for (const PointColumns& batch : this->stream(8)) core->ingest(batch.view(), {});
        const auto streamed = this->seen(*core);
        if constexpr (Refinable<TypeParam>) core->ingest(Refinement{"model", 0}, {});
        return std::tuple(streamed, this->seen(*core), this->fairness_of(*core),
                          TypeParam::objective(this->state(*core)));
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
    for (const OptionText& option : list_options_of(ModelStream<TypeParam>::options())) {
        if (option.name == "effort") continue;
        if (option.name == "false_alarms") continue;  // needs a changing stream to have an effect
        EXPECT_TRUE(std::ranges::find(tried, option.name) != tried.end()) << option.name << " is not tried";
    }
}

TYPED_TEST(ModelChecks, EveryIllegalOptionValueIsRefusedByName) {
    for (const OptionText& option : list_options_of(ModelStream<TypeParam>::options())) {
        if (option.name == "prediction") continue;  // any text may be the name of a column
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
