/// A property of every model: a copy that only answers, without the data kept of the points, gives the same answers.

#include <gtest/gtest.h>

#include <vector>

#include "model_checks.hpp"
#include "models_under_check.hpp"

namespace fairstream::test {
namespace {

template <class M> class AnswersChecks : public ModelChecks<M> {
protected:
    using Output = typename M::Output;
    using Running = std::conditional_t<std::same_as<Output, ClusterId>, Clusterer, Scorer>;

    // Returns the groups of the attributes that a model balances, from points with all groups.
    static std::vector<GroupId> balanced(const ModelOptions& options, const PointColumns& points, std::size_t all) {
        std::vector<GroupId> groups;
        for (std::size_t i = 0; i < points.ids.size(); ++i)
            for (const int attribute : options.kind().protected_attributes(options))
                groups.push_back(points.groups[i * all + static_cast<std::size_t>(attribute)]);
        return groups;
    }
    static void expect_same(const StreamFormat& format, const Running& model, const PointColumns& points) {
        const std::unique_ptr<const Running> copy = model.predictor();
        EXPECT_EQ(copy->options(), model.options());
        std::vector<Output> expected(points.ids.size()), answered(points.ids.size());
        model.predict(points.features, points.groups, expected);
        copy->predict(points.features, points.groups, answered);
        EXPECT_EQ(answered, expected);
        if constexpr (std::same_as<Running, Clusterer>) {
            const std::vector<GroupId> groups = balanced(model.options(), points, format.attributes.size());
            model.assign_fair(format, points.features, groups, expected);
            copy->assign_fair(format, points.features, groups, answered);
            EXPECT_EQ(answered, expected);
            if (!model.options().kind().has_memberships()) return;
            const auto k = static_cast<std::size_t>(model.options().kind().cluster_count(model.options()));
            std::vector<float> before(k * expected.size()), after(before.size());
            model.predict_rows(RowKind::memberships, points.features, before);
            copy->predict_rows(RowKind::memberships, points.features, after);
            EXPECT_EQ(after, before);
        }
    }
};

TYPED_TEST_SUITE(AnswersChecks, Models, NameOfModel);

TYPED_TEST(AnswersChecks, AnsweringCopyMatchesModel) {
    if constexpr (GivesOutputs<TypeParam>) {
        const std::vector<PointColumns> batches = this->stream(4);
        const auto core = this->engine(ModelStream<TypeParam>::options());
        for (const PointColumns& batch : batches) {
            const auto& session =
                dynamic_cast<const core::SessionOf<typename TestFixture::Running>&>(core->session("model"));
            TestFixture::expect_same(core->window().format(), session.model(), batches.back());
            (void)core->ingest(batch.view(), {});
            TestFixture::expect_same(core->window().format(), session.model(), batches.back());
        }
    }
}

}  // namespace
}  // namespace fairstream::test
