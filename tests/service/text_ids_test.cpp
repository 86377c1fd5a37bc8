/// Producers of points with text ids: no text refuses, replaces or judges the point of another text.

#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/wire/text_id.hpp>

#include "fixture.hpp"
#include "support/twin_text.hpp"

namespace fairstream::service {
namespace {

using ::testing::HasSubstr;

const std::string victim = "customer-500";

/// The state of an engine after a recording.
struct Retained {
    std::map<std::string, float> targets;  // by text
    std::map<std::string, PointId> ids;
};

class TextIds : public ServiceTest {
protected:
    void SetUp() override {
        EngineOptions options = small_options();
        options.format.has_text_ids = options.format.has_targets = options.format.targets_come_later = true;
        begin({}, options);
    }
    /// Points with these texts; `hashes`: with the ids of a client that hashes them.
    PointColumns points_of(const std::vector<std::string>& texts, bool hashes) {
        PointColumns points = points_.next(texts.size());
        points.ids.clear();
        for (const std::string& text : texts) {
            points.id_texts.add(text);
            points.targets.push_back(std::numeric_limits<float>::quiet_NaN());
            if (hashes) points.ids.push_back(wire::text_id(text));
        }
        return points;
    }
    wire::Ack acked(const std::string& producer, std::uint64_t number, const Event& content) {
        const auto reply = send(*service_, event(producer, 1, number, content));
        const auto* const ack = std::get_if<wire::Ack>(&reply.value.body);
        if (ack == nullptr) ADD_FAILURE() << std::get<wire::Nack>(reply.value.body).text;
        return ack == nullptr ? wire::Ack{} : *ack;
    }
    wire::Ack judge(const std::string& producer, std::uint64_t number, const std::string& text, float target) {
        TextColumn texts;
        texts.add(text);
        return acked(producer, number, Outcomes{.targets = {&target, 1}, .id_texts = texts.view()});
    }
    Retained replayed() {
        service_.reset();
        Retained retained;
        const auto recording = log::sqlite::Recording::open_read_only(path_);
        (void)replay::run(recording, replay::recorded_options(recording), {},
                          {.before = {}, .after = {}, .update = {}, .end = [&](const Engine& engine) {
                               for (Slot slot = 0; slot < engine.window().size(); ++slot) {
                                   const std::string text(engine.id_text(engine.window().id(slot)));
                                   retained.targets[text] = engine.window().target(slot);
                                   retained.ids[text] = engine.window().id(slot);
                               }
                           }});
        return retained;
    }
};

TEST_F(TextIds, EqualHashesAreIndependent) {
    const std::string twin = text_with_hash(wire::text_id(victim));
    const PointColumns attack = points_of({twin}, true);
    acked("attacker", 1, attack.view());
    std::vector<std::string> hundred;
    for (int i = 450; i < 550; ++i) hundred.push_back("customer-" + std::to_string(i));
    const PointColumns honest = points_of(hundred, true);
    acked("honest", 1, honest.view());
    EXPECT_EQ(judge("honest", 2, victim, 1).counts.not_retained, 0U);
    EXPECT_EQ(judge("attacker", 2, twin, 0).counts.not_retained, 0U);
    const Retained retained = replayed();
    EXPECT_EQ(retained.targets.size(), 101U);
    EXPECT_EQ(retained.targets.at(victim), 1);
    EXPECT_EQ(retained.targets.at(twin), 0);
}

TEST_F(TextIds, AreTheIdentityWhateverNumberComesWithThem) {
    PointColumns points = points_of({victim, "customer-7"}, false);
    acked("honest", 1, points.view());
    points = points_of({"customer-8", "customer-9"}, false);
    points.ids = {1, 12345};  // 1 is the number of the victim
    EXPECT_EQ(acked("attacker", 1, points.view()).counts.replaced, 0U);
    const Retained retained = replayed();
    EXPECT_EQ(retained.ids,
              (std::map<std::string, PointId>{{victim, 1}, {"customer-7", 2}, {"customer-8", 3}, {"customer-9", 4}}));
}

TEST_F(TextIds, TextsAccompanyNumbers) {
    acked("p", 1, points_of({"a", "b", "c", "d", "e"}, true).view());
    const auto reply = ask(*service_, wire::SnapshotRequest{"labels.fair"});
    const auto& labels = std::get<wire::LabelUpdate>(std::get<wire::Publication>(reply.value.body).body);
    EXPECT_THAT(labels.ids, ::testing::ElementsAre(1, 2, 3, 4, 5));
    EXPECT_EQ(labels.id_texts[2], "c");
}

TEST_F(TextIds, AreNumberedOnAfterAKill) {
    acked("p", 1, points_of({"a", "b"}, true).view());
    service_->handle_ingest("sender", event("p", 1, 2, points_of({"lost"}, true).view()));
    reopen();
    acked("p", 1 + 1, points_of({"c", "b"}, false).view());
    EXPECT_EQ(replayed().ids, (std::map<std::string, PointId>{{"a", 1}, {"b", 2}, {"c", 3}}));
}

TEST_F(TextIds, OutcomesNeedTexts) {
    acked("p", 1, points_of({victim}, true).view());
    const PointId id = wire::text_id(victim);
    const float target = 1;
    const auto reply = send(*service_, event("p", 1, 2, Outcomes{{&id, 1}, {&target, 1}}));
    const auto& nack = std::get<wire::Nack>(reply.value.body);
    EXPECT_EQ(nack.reason, Reason::wrong_shape);
    EXPECT_THAT(nack.text, HasSubstr("texts"));
    EXPECT_EQ(nack.next_producer_sequence, 3U);
}

TEST_F(TextIds, HashingRecordingKeepsHashes) {
    EngineOptions options = options_;
    options.format.ids_are_hashes = true;
    service_.reset();
    std::filesystem::remove(path_);
    std::string config = config::write_toml(options);
    const std::string said = "text_ids = \"hashed\"\n";  // not stated at that time
    ASSERT_THAT(config, HasSubstr(said));
    config.erase(config.find(said), said.size());
    service_ = std::make_unique<Service>(log::sqlite::Recording::create(path_, config), options, Settings{});
    acked("p", 1, points_of({victim}, true).view());
    const PointId id = wire::text_id(victim);
    const float target = 1;
    TextColumn texts;  // from a client that does not know the engine
    texts.add("nobody");
    EXPECT_EQ(acked("p", 2, Outcomes{{&id, 1}, {&target, 1}, texts.view()}).counts.not_retained, 0U);
    const auto reply = send(*service_, event("q", 1, 1, points_of({text_with_hash(id)}, true).view()));
    EXPECT_EQ(std::get<wire::Nack>(reply.value.body).reason, Reason::id_collision);
    const Retained retained = replayed();
    EXPECT_EQ(retained.ids.at(victim), id);
    EXPECT_EQ(retained.targets.at(victim), 1);
}

}  // namespace
}  // namespace fairstream::service
