/// Progress of long work, and its early end.

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include <fairstream/base/work_handle.hpp>

namespace fairstream {
namespace {

struct Listener {
    std::vector<WorkProgress> told;
    int most = 1'000'000;  // calls after which work is to end
    OnProgress listener = [this](const WorkProgress& progress) {
        told.push_back(progress);
        return static_cast<int>(told.size()) < most;
    };
};

TEST(WorkHandle, UnfollowedWorkIsSilent) {
    const WorkHandle handle;
    EXPECT_TRUE(handle.report_progress(0.5));
    EXPECT_TRUE(handle.part(0, 0.5, "first").report_progress(1));
    EXPECT_FALSE(handle.is_followed());
    EXPECT_FALSE(handle.stopped());
}

TEST(WorkHandle, APartTellsItsShareOfTheWhole) {
    Listener listener;
    FollowedWork work(listener.listener);
    const WorkHandle handle(work);
    const WorkHandle second = handle.part(0.5, 1, "second");
    EXPECT_TRUE(handle.part(0, 0.5, "first").report_progress(0.5, 3, 7));
    EXPECT_TRUE(second.part(0, 0.5).report_progress(1));
    ASSERT_EQ(listener.told.size(), 2U);
    EXPECT_EQ(listener.told[0].share, 0.25);
    EXPECT_EQ(listener.told[0].stage, "first");
    EXPECT_EQ(listener.told[0].rounds, 3);
    EXPECT_EQ(listener.told[0].most_rounds, 7);
    EXPECT_EQ(listener.told[1].share, 0.75);
    EXPECT_EQ(listener.told[1].stage, "second");
}

TEST(WorkHandle, ShareRisesToOne) {
    Listener listener;
    FollowedWork work(listener.listener);
    const WorkHandle handle(work);
    handle.report_progress(0.6);
    handle.report_progress(0.2);
    handle.report_progress(7);
    EXPECT_EQ(listener.told[1].share, 0.6);
    EXPECT_EQ(listener.told[2].share, 1);
}

TEST(WorkHandle, WhoSaysNoIsNotAskedAgain) {
    Listener listener;
    listener.most = 2;
    FollowedWork work(listener.listener);
    const WorkHandle handle(work), part = handle.part(0, 0.5);
    EXPECT_TRUE(part.report_progress(0.1));
    EXPECT_FALSE(handle.stopped());
    EXPECT_FALSE(part.report_progress(0.2));
    EXPECT_TRUE(handle.stopped());
    EXPECT_FALSE(handle.report_progress(1));
    EXPECT_EQ(listener.told.size(), 2U);
}

TEST(WorkBudget, EndsSearchesBeforeRepairsByWhatWasSettled) {
    WorkBudget budget(100);
    const WorkHandle handle(budget);
    handle.spend(80);
    EXPECT_FALSE(handle.stopped()) << "what others spend meanwhile decides nothing";
    handle.settle();
    EXPECT_TRUE(handle.stopped());
    EXPECT_FALSE(handle.report_progress(0.5)) << "whether or not anyone listens";
    EXPECT_FALSE(handle.ends_repairs());
    EXPECT_TRUE(handle.is_cut());
    handle.settle(20);
    EXPECT_TRUE(handle.ends_repairs());
    EXPECT_EQ(budget.spent(), 100U);
    handle.settle(5);
    EXPECT_EQ(handle.left(), 0U);
}

TEST(WorkBudget, WithoutALimitCountsAndEndsNothing) {
    WorkBudget budget;
    const WorkHandle handle(budget);
    handle.settle(1e12);
    EXPECT_EQ(budget.spent(), 1'000'000'000'000U);
    EXPECT_EQ(handle.left(), no_work_limit);
    EXPECT_FALSE(handle.stopped() || handle.ends_repairs() || handle.is_cut());
}

TEST(WorkShares, AreFixedBeforeTheyBegin) {
    WorkBudget budget(1000);
    const WorkHandle whole(budget);
    whole.settle(200);
    {
        WorkShares shares(whole, 4);
        EXPECT_EQ(shares[0].left(), 200U);
        shares[0].settle(180);
        EXPECT_TRUE(shares[0].stopped());
        EXPECT_EQ(shares[1].left(), 200U) << "whatever others spent";
        EXPECT_EQ(whole.left(), 800U) << "it counts when all have ended";
        shares[1].settle(10);
    }
    EXPECT_EQ(whole.left(), 610U);
    EXPECT_FALSE(whole.stopped());
    EXPECT_TRUE(whole.is_cut()) << "one of the searches ended early";
    WorkBudget unlimited;
    WorkShares shares(WorkHandle(unlimited), 4);
    EXPECT_EQ(shares[3].left(), no_work_limit);
}

TEST(WorkDone, EndsByTheShareOfWhoAdds) {
    Listener listener;
    FollowedWork work(listener.listener);
    WorkBudget budget(100);
    WorkDone whole(WorkHandle(work).under(budget), 10);
    WorkShares shares(whole.handle(), 2);
    WorkDone first(whole, shares[0]), second(whole, shares[1]);
    first.handle().settle(50);
    EXPECT_FALSE(first.add(2));
    EXPECT_TRUE(second.add(3));
    EXPECT_EQ(listener.told.back().share, 0.5) << "progress is that of the whole";
}

TEST(WorkDone, AddsUpWhatSeveralThreadsDo) {
    Listener listener;
    FollowedWork work(listener.listener);
    WorkDone done(WorkHandle(work), 100);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int j = 0; j < 25; ++j) done.add(1);
        });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(listener.told.size(), 100U);
    for (std::size_t i = 1; i < listener.told.size(); ++i)
        EXPECT_GE(listener.told[i].share, listener.told[i - 1].share);
    EXPECT_NEAR(listener.told.back().share, 1, 1e-12);
    done.add(50);
    EXPECT_EQ(listener.told.back().share, 1);
    done.uncounted().report_progress(0.5);
    EXPECT_EQ(listener.told.back().share, 1);
}

TEST(ResidualShare, FollowsToleranceAndLimit) {
    ResidualShare share(1e-4, 100);
    EXPECT_NEAR(share.after(1, 1.0), 0.01, 1e-12);
    EXPECT_NEAR(share.after(2, 1e-2), 0.5, 1e-12);
    EXPECT_NEAR(share.after(3, 1e-1), 0.5, 1e-12) << "never falls";
    EXPECT_NEAR(share.after(80, 1e-2), 0.8, 1e-12);
    EXPECT_EQ(share.after(81, 1e-5), 1);
    EXPECT_EQ(share.after(82, 0), 1);
}

}  // namespace
}  // namespace fairstream
