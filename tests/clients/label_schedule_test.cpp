/// A view against an engine whose updates are lost, repeated, delayed and reordered, whose answers are late, and which
/// other engines replace. At every moment the view equals the engine's as of its number. It reports consistency only
/// when it holds everything it may know of, and ends with exactly the engine's labels.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include <fairstream/zmq/point_view.hpp>

#include "clients/point_feed.hpp"

namespace fairstream::zmq {
namespace {

using namespace std::chrono_literals;
using test::contents;
using test::LabelFeed;
using test::Labels;
using Need = LabelView::Need;

struct LabelSchedule {
    std::uint64_t seed;
    bool orderly;
    int loss_percent;
    int replace_every;   // steps, on average, until another engine replaces it; 0: never
    std::uint64_t ring;  // updates that an engine keeps for ranges
    LabelView::Limits limits;
    int lost = 0;  // updates that the engine loses half-way
};

class Simulation {
public:
    explicit Simulation(const LabelSchedule& schedule)
        : schedule_(schedule), random_(schedule.seed), view_("labels.m", schedule.limits, 40ms) {
        replace_engine();
    }

    void run() {
        for (now_ = 0; now_ < 3000; ++now_) step(now_ < 2500);
        EXPECT_TRUE(view_.complete());
        EXPECT_EQ(contents(view_.outputs()), engine().now());
        EXPECT_EQ(view_.sequence(), engine().sequence());
        EXPECT_GT(complete_, 0) << "it was never complete on the way";
        EXPECT_TRUE(losses_ > 0 || !knew_of_lost_) << "it had updates that the engine lost";
        EXPECT_TRUE(losses_ == 0 || schedule_.lost > 0 || schedule_.replace_every > 0) << "nothing was lost";
    }
    [[nodiscard]] bool knew_of_lost() const { return knew_of_lost_; }
    [[nodiscard]] const ViewStatistics& statistics() const { return view_.statistics(); }

private:
    LabelFeed& engine() { return *engines_.back(); }
    bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }

    void replace_engine() {
        engines_.push_back(std::make_unique<LabelFeed>(static_cast<int>(engines_.size()) + 1, random_()));
        engine().tell_hashes();
    }

    /// Sends over the channel of updates, which may lose messages.
    void send(wire::AlignedMessage message, bool troubled) {
        if (troubled && chance(schedule_.loss_percent)) return;
        int at = now_ + 1 + static_cast<int>(random_() % 6);
        if (schedule_.orderly || !troubled) at = last_ = std::max(at, last_);
        if (troubled && chance(schedule_.loss_percent / 3)) updates_.emplace(at, message);
        updates_.emplace(at, std::move(message));
    }

    void step(bool troubled) {
        if (troubled && schedule_.replace_every != 0 &&
            random_() % static_cast<unsigned>(schedule_.replace_every) == 0) {
            replace_engine();
        }
        if (now_ == 1200 && schedule_.lost > 0) lose(static_cast<std::size_t>(schedule_.lost));
        if (troubled && chance(60)) {
            const std::size_t before = engine().updates.size();
            engine().step();
            if (engine().updates.size() > before) send(engine().updates.back(), troubled);
        }
        if (now_ % 10 == 0) send(engine().status(), troubled);
        ask(troubled);
        deliver();
        check();
    }

    void lose(std::size_t updates) {
        LabelFeed& from = engine();
        const std::size_t kept = from.updates.size() - std::min(updates, from.updates.size());
        knew_of_lost_ = view_.complete() && view_.topic_sequence() > kept;
        before_loss_ = from.by_topic_sequence;
        from.lose_after(kept);
    }

    /// Asks one question at a time. It, or its answer, may be lost, and is given up after a while.
    void ask(bool troubled) {
        const Need need = view_.need();
        if (need.kind == Need::Kind::nothing || now_ < patience_until_) return;
        patience_until_ = now_ + 20;
        if (troubled && chance(schedule_.loss_percent)) return;
        // The answer is as of now; it arrives later, perhaps after another engine took over.
        answer_at_ = now_ + 1 + static_cast<int>(random_() % 8);
        LabelFeed& from = engine();
        known_.reset();
        if (need.kind == Need::Kind::known) {
            known_ = from.has(need.known);
            asked_ = need;
            return;
        }
        const std::uint64_t kept_from =
            from.updates.size() - std::min<std::uint64_t>(schedule_.ring, from.updates.size());
        if (need.kind == Need::Kind::range && need.first > kept_from) {
            range_.clear();  // copies: the engine may lose them before they arrive
            for (const wire::Bytes update : from.range(need.first, need.last).messages) range_.emplace_back(update);
            snapshot_.reset();
        } else {
            snapshot_ = from.snapshot();
        }
    }

    void deliver() {
        while (!updates_.empty() && updates_.begin()->first <= now_) {
            const auto message = updates_.extract(updates_.begin()).mapped();
            const auto publication = wire::read_publication(message);
            if (publication.topic == "status") {
                view_.on_status(publication, LabelView::Time(std::chrono::milliseconds(now_)));
            } else {
                view_.on_update(publication, message, changes_);
            }
        }
        if (answer_at_ != now_) return;
        if (known_) {
            if (view_.need() == asked_) view_.on_known_answer(*known_);
        } else if (snapshot_) {
            view_.on_snapshot(wire::read_publication(*snapshot_), changes_);
        } else {
            wire::Publications range;
            for (const wire::AlignedMessage& update : range_) range.messages.push_back(update.bytes());
            view_.on_range(range, changes_);
        }
        patience_until_ = 0;
        losses_ += view_.take_loss().has_value();
    }

    void check() {
        for (const LabelChanges& change : changes_) {
            if (change.replaced) folded_.clear();
            for (const PointId id : change.departed) folded_.erase(id);
            for (std::size_t i = 0; i < change.ids.size(); ++i) folded_[change.ids[i]] = change.outputs[i];
        }
        changes_.clear();
        ASSERT_EQ(contents(view_.outputs()), folded_) << "the changes reported do not give the view";
        bool exact = view_.statistics().snapshots == 0;
        for (const auto& engine : engines_) {
            exact |= view_.topic_sequence() <= engine->updates.size() &&
                     engine->by_topic_sequence[view_.topic_sequence()] == folded_;
        }
        exact |= view_.topic_sequence() < before_loss_.size() && before_loss_[view_.topic_sequence()] == folded_;
        ASSERT_TRUE(exact) << "no engine had these labels at number " << view_.topic_sequence();
        if (!view_.complete()) return;
        ++complete_;
        if (schedule_.lost > 0 && now_ >= 1200) return;  // it may hold lost updates, but not at the end
        for (const auto& engine : engines_) {
            if (engine->id() != view_.recording()) continue;
            ASSERT_EQ(folded_, engine->by_topic_sequence.at(view_.topic_sequence()));
            ASSERT_EQ(folded_, engine->by_sequence.at(view_.sequence()));
        }
    }

    LabelSchedule schedule_;
    std::mt19937_64 random_;
    LabelView view_;
    std::vector<std::unique_ptr<LabelFeed>> engines_;
    std::multimap<int, wire::AlignedMessage> updates_;  // by time of arrival
    std::optional<wire::AlignedMessage> snapshot_;
    std::vector<wire::AlignedMessage> range_;
    std::optional<bool> known_;
    Need asked_;
    std::vector<Labels> before_loss_;  // by topic sequence
    bool knew_of_lost_ = false;
    int losses_ = 0;
    std::vector<LabelChanges> changes_;
    Labels folded_;
    int now_ = 0;
    int last_ = 0;
    int answer_at_ = -1;
    int patience_until_ = 0;
    int complete_ = 0;
};

TEST(LabelSchedules, ViewIsExactAtEveryMoment) {
    ViewStatistics sum;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Simulation simulation({.seed = seed,
                               .orderly = seed % 2 == 0,
                               .loss_percent = static_cast<int>(seed % 4) * 8,
                               .replace_every = seed % 3 == 0 ? 400 : 0,
                               .ring = seed % 5 == 0 ? 3U : 1000U,
                               .limits = {.messages = seed % 7 == 0 ? 3U : 1000U, .bytes = 1 << 20}});
        simulation.run();
        if (testing::Test::HasFailure()) return;
        const ViewStatistics& one = simulation.statistics();
        sum.repeated += one.repeated, sum.gaps += one.gaps, sum.repairs += one.repairs;
        sum.snapshots += one.snapshots, sum.overflows += one.overflows, sum.restarts += one.restarts;
    }
    // The schedules must have covered every kind of trouble.
    for (const std::uint64_t count : {sum.repeated, sum.gaps, sum.repairs, sum.overflows, sum.restarts})
        EXPECT_GT(count, 20U);
    EXPECT_GT(sum.snapshots, 60U);
}

TEST(LabelSchedules, ViewReportsExactlyLostEvents) {
    int knew = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        SCOPED_TRACE(seed);
        Simulation simulation({.seed = seed,
                               .orderly = true,
                               .loss_percent = static_cast<int>(seed % 4) * 8,
                               .replace_every = 0,
                               .ring = seed % 3 == 0 ? 3U : 1000U,
                               .limits = {.messages = seed % 7 == 0 ? 3U : 1000U, .bytes = 1 << 20},
                               .lost = static_cast<int>(seed % 6) * 3});
        simulation.run();
        if (testing::Test::HasFailure()) return;
        knew += simulation.knew_of_lost();
    }
    EXPECT_GT(knew, 20);
}

}  // namespace
}  // namespace fairstream::zmq
