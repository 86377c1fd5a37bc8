/// Points with text ids, through the program: two texts of equal hash, and recordings that hash texts.

#include <algorithm>
#include <string>
#include <vector>

#include <fairstream/config/config.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/wire/text_id.hpp>

#include "command/recordings.hpp"
#include "support/twin_text.hpp"

namespace fairstream::command {
namespace {

using ::testing::HasSubstr;

std::string monitor_of_texts(const std::string& more = "") {
    return "[stream]\ncolumns = [\"score\"]\ntargets = \"later\"\nids = \"text\"\n" + more + R"([[stream.attribute]]
name = "sex"
groups = ["f", "m"]
[window]
capacity = 30
[[model]]
name = "monitor"
kind = "group_metrics"
[model.options]
prediction = "score"
)";
}

/// Returns a text with the hash of another, in bytes that delimited text can contain without quotes.
std::string twin_of(const std::string& text) {
    const auto is_plain = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte > ' ' && byte != '"' && byte != '\'' && byte != ',' && byte != ';' && byte != '|' && byte != 0x7f;
    };
    for (int i = 10;; ++i)
        if (std::string twin = test::text_with_hash(wire::text_id(text), "attack" + std::to_string(i));
            std::ranges::all_of(twin, is_plain))
            return twin;
}

std::string rows_of(const std::vector<std::string>& keys) {
    std::string text = "key,score,sex\n";
    for (const std::string& key : keys) text += key + ",0.75,f\n";
    return text;
}

std::vector<std::string> customers() {
    std::vector<std::string> keys;
    for (int i = 495; i < 505; ++i) keys.push_back("customer-" + std::to_string(i));
    return keys;
}

class TextIdSite : public Site {
public:
    using Site::Site;
    [[nodiscard]] json send(const std::string& who, const std::string& option, const std::string& text,
                            std::vector<std::string> more = {}) const {
        const std::string file = directory().write("sent.csv", text).string();
        more.insert(more.begin(), {option, file, "--id", "key", "--name", who});
        const test::Finished sent = test::run(send_arguments(more));
        EXPECT_EQ(sent.exit_code, 0) << sent.err;
        return json::parse(sent.out);
    }
};

TEST(TextIds, EqualHashesStayTwoPoints) {
    const std::string victim = "customer-500", twin = twin_of(victim);
    const TextIdSite site(monitor_of_texts());
    test::Process engine(site.serve_arguments());
    EXPECT_EQ(site.send("attacker", "--input", rows_of({twin}))["acked"], 1);
    EXPECT_EQ(site.send("honest", "--input", rows_of(customers()))["acked"], 1);
    const json judged =
        site.send("honest", "--outcomes", "key,paid\n" + victim + ",1\nnobody,0\n", {"--target", "paid"});
    EXPECT_EQ(judged["not_retained"], 1);
    (void)site.send("attacker", "--outcomes", "key,paid\n" + twin + ",0\n", {"--target", "paid"});
    Site::stop(engine);
    const std::string points = site.file("points.csv");
    const test::Finished exported = fairstream(
        {"export", site.recording(), "--points", points, "--events", "-", "--outcomes", site.file("outcomes.csv")});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    EXPECT_THAT(exported.out,
                Names({",outcome,," + victim + ",1\n", ",outcome,,nobody,0\n", ",outcome,," + twin + ",0\n"}));
    EXPECT_THAT(test::file_bytes(site.file("outcomes.csv")), Names({"," + victim + ",1\n", "," + twin + ",0\n"}));

    const TextIdSite again(monitor_of_texts());
    test::Process other(again.serve_arguments());
    EXPECT_EQ(json::parse(test::run(again.send_arguments({"--input", points, "--id", "id"})).out)["replaced"], 0);
    Site::stop(other);
}

TEST(TextIds, HashingRecordingContinues) {
    const TextIdSite site(monitor_of_texts("text_ids = \"hashed\"\n"));
    test::Process begun(site.serve_arguments());
    (void)site.send("desk", "--input", rows_of(customers()));
    Site::stop(begun);
    (void)site.directory().write("config.toml", monitor_of_texts());
    test::Process engine(site.serve_arguments());
    (void)site.send("desk", "--input", rows_of({"customer-900"}));
    EXPECT_EQ(site.send("desk", "--outcomes", "key,paid\ncustomer-500,1\n", {"--target", "paid"})["not_retained"], 0);
    Site::stop(engine);
    std::vector<PointId> ids;
    const auto recording = log::sqlite::Recording::open_read_only(site.recording());
    const EngineOptions given = config::load(site.config()).engine;
    ASSERT_FALSE(given.format.ids_are_hashes);
    (void)replay::run(recording, given, {}, {.before = {}, .after = {}, .update = {}, .end = [&](const Engine& after) {
                                                 const auto all = after.window().points().ids;
                                                 ids.assign(all.begin(), all.end());
                                             }});
    EXPECT_EQ(std::ranges::count(ids, wire::text_id("customer-500")), 1);
    EXPECT_THAT(fairstream({"export", site.recording(), "--outcomes", "-"}).out, HasSubstr(",customer-500,1\n"));
}

TEST(TextIds, FilesKeepCollidingTexts) {
    const std::string victim = "customer-500", twin = twin_of(victim);
    std::string text = "key,x,kind,sex\n";
    const auto row = [&](const std::string& key, int cluster, int i) {
        text += key + "," + std::to_string(100 * cluster + i % 3) + ",c" + std::to_string(cluster) +
                (i / 2 % 2 == 0 ? ",f\n" : ",m\n");
    };
    for (int i = 0; i < 60; ++i) row("p" + std::to_string(i * 7919), i % 2, i);
    row(victim, 0, 0);
    row(twin, 1, 1);
    row("p0", 1, 0);  // replaces the first one
    const test::TemporaryDirectory directory;
    const std::string labels = (directory / "labels.csv").string();
    const test::Finished fitted = fairstream({"fit", "safairkm", "--input", directory.write("p.csv", text).string(),
                                              "--id", "key", "--features", "x", "--group", "sex", "--clusters", "2",
                                              "--target", "kind", "--batch", "16", "--labels", labels, "--json"});
    EXPECT_THAT(fitted.err, one_note({"1 row "}));
    const json report = json::parse(fitted.out);
    EXPECT_EQ(report["points"], 62);
    EXPECT_EQ(report["accuracy"], 1);
    const std::string lines = test::file_bytes(labels);
    EXPECT_THAT(lines, Names({"\n" + victim + ",", "\n" + twin + ",", "\np0,"}));
    EXPECT_EQ(std::ranges::count(lines, '\n'), 63);
}

}  // namespace
}  // namespace fairstream::command
