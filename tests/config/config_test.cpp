#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include <fairstream/config/config.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>
#include <fairstream/models/safairkm/live_front/live_front.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/options.hpp>
#include <fairstream/wire/messages.hpp>
#include <support/names.hpp>
#include <support/refusal.hpp>
#include <support/temporary_directory.hpp>

namespace fairstream::config {
namespace {

using test::Names;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view smallest = R"([stream]
dimensions = 2
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
[[model]]
kind = "safairkm"
)";

std::string refused(std::string_view text) {
    try {
        (void)parse(text, "a.toml");
    } catch (const InvalidInput& error) {
        return error.what();
    }
    ADD_FAILURE() << "accepted: " << text;
    return {};
}
std::string refused_after_smallest(std::string_view text) {
    return refused(std::string(smallest) + std::string(text));
}

/// Returns a value in an option's range, from the range's text: "local|global", "0 to 1", "pairs of different ids,
/// ...".
std::string value_in(const std::string& range, std::mt19937_64& random) {
    if (range.starts_with("a network")) return "none";
    if (range.starts_with("pairs")) return random() % 2 ? "none" : "3:17,18446744073709551614:5";
    if (range.find('|') != std::string::npos) {
        std::vector<std::string> names{""};
        for (const char c : range)
            if (c == '|')
                names.emplace_back();
            else
                names.back() += c;
        return names[random() % names.size()];
    }
    const std::size_t to = range.find(" to ");
    if (range.ends_with(" or auto") && random() % 4 == 0) return "auto";
    const double low = std::stod(range.substr(0, to)), high = std::min(std::stod(range.substr(to + 4)), low + 255);
    return number_text(low + (high - low) * static_cast<double>(random() % 1025) / 1024);
}

std::string random_name(std::mt19937_64& random) {
    static const std::vector<std::string> parts = {"a", "b1", "\"", "\\", "\n", "\x01", "\x7f", "#",
                                                   "=", "]",  "é",  "漢", "😀",  " ",    "'"};
    std::string name = "x" + std::to_string(random() % 100'000);
    for (std::size_t i = random() % 6; i > 0; --i) name += parts[random() % parts.size()];
    return name;
}

double random_number(std::mt19937_64& random) {
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -40 - static_cast<int>(random() % 20));
}

ColumnPreparation random_preparation(std::mt19937_64& random) {
    ColumnPreparation how;
    if (random() % 3 == 0) how.at_least = random_number(random);
    if (random() % 3 == 0) how.at_most = std::max(how.at_least, 0.0) + 1 + std::abs(random_number(random));
    how.log = random() % 2;
    how.scale = static_cast<Scale>(random() % 4);
    if (how.scale == Scale::first) how.first = 1 + random();
    if (how.scale != Scale::none && random() % 2) how.unit = ScaleUnit::range;
    if (how.scale == Scale::fixed && how.unit == ScaleUnit::range) {
        how.low = random_number(random);
        how.high = how.low + 0.5 + std::abs(random_number(random));
    } else if (how.scale == Scale::fixed) {
        how.mean = random_number(random);
        how.deviation = 0.5 + std::abs(random_number(random));
    }
    return how;
}

/// Gives the columns names, levels and gaps, or none of these, and sets their preparation, or not.
void prepare_randomly(EngineOptions& options, std::mt19937_64& random) {
    StreamFormat& format = options.format;
    const bool named = random() % 2, prepared = random() % 2;
    for (std::uint32_t column = 0; named && column < format.dimensions; ++column)
        format.columns.push_back({random_name(random) + std::to_string(column)});
    if (!prepared) return;
    options.prepare.renew_every = random() % 2 ? 0 : random() >> 1;
    const bool alike = random() % 2;
    const ColumnPreparation usual = random_preparation(random);
    for (std::uint32_t column = 0; column < format.dimensions; ++column) {
        ColumnPreparation& how = options.prepare.columns.emplace_back(alike ? usual : random_preparation(random));
        if (!named) continue;
        FeatureColumn& named_column = format.columns[column];
        named_column.may_be_missing = random() % 2;
        const std::uint64_t kind = random() % 8;  // above 4: numbers
        if (kind <= 1)
            for (std::size_t l = 1 + random() % 3; l > 0; --l)
                named_column.levels.push_back(random_name(random) + std::to_string(l));
        if (kind == 2) named_column.buckets = 2 + static_cast<std::uint32_t>(random() % 5000);
        if (kind == 3) named_column.dates = static_cast<DateUnit>(1 + random() % 4);
        if (kind == 1) how.encoding = Encoding::ordinal;
        if (kind == 0 || kind == 2) {
            how = {.missing = Missing::most_frequent};
            if (named_column.may_be_missing && random() % 2) how.missing = Missing::indicator;
        } else if (named_column.may_be_missing) {
            how.missing = static_cast<Missing>(random() % 3);
        }
    }
    options.prepare.unit_rows = random() % 4 == 0;
    try {
        check(options.prepare, format);
    } catch (const InvalidInput&) {
        options.prepare.unit_rows = false;  // a column follows the stream
    }
}

EngineOptions random_options(std::mt19937_64& random) {
    EngineOptions options;
    options.event_work_limit = no_work_limit;
    const bool described = random() % 2;
    options.format.dimensions = 1 + static_cast<std::uint32_t>(random() % (described ? 9 : 65536));
    options.format.has_weights = random() % 2;
    if (described) prepare_randomly(options, random);
    options.format.has_text_ids = random() % 2;
    options.format.ids_are_hashes = options.format.has_text_ids && random() % 2;
    options.format.has_targets = random() % 2;
    for (std::size_t a = 1 + random() % 3; a > 0; --a) {
        Attribute attribute{random_name(random) + std::to_string(a), {}};
        for (std::size_t g = 2 + random() % 5; g > 0; --g)
            attribute.groups.push_back(random_name(random) + std::to_string(g));
        attribute.has_unknown = attribute.groups.size() > 2 && random() % 2;
        options.format.attributes.push_back(attribute);
    }
    options.window.capacity = 40'000 + static_cast<Slot>(random() % 1000);
    options.window.policy = random() % 2 ? WindowPolicy::sliding : WindowPolicy::reservoir;
    options.window.seed = random();
    if (options.window.policy == WindowPolicy::sliding) {
        if (random() % 2) options.window.max_age = 1 + static_cast<std::int64_t>(random() >> 12);
        if (random() % 3 == 0)
            options.window.half_life.time = 1 + static_cast<std::int64_t>(random() >> 12);
        else if (random() % 2)
            options.window.half_life.points = 1 + static_cast<double>(random() % 1000) / 8;
    }
    for (std::size_t m = 1 + random() % 3; m > 0; --m) {
        std::vector<std::string> kinds = model_names();
        // A monitor measures a column of the stream; another test covers it.
        std::erase_if(kinds, [](const std::string& kind) { return !gives_outputs(default_options(kind)); });
        ModelSetup model{"model-" + std::to_string(m), default_options(kinds[random() % kinds.size()]), {}};
        for (const OptionText& option : list_options(model.options)) {
            if (option.name == "attribute" || option.name == "published" || random() % 2) continue;
            const std::string value = value_in(option.range, random);
            try {
                set_option(model.options, option.name, value);
            } catch (const InvalidInput&) {  // a real where an integer is needed
                set_option(model.options, option.name, value.substr(0, value.find('.')));
            }
        }
        const bool by_swaps = model_name(model.options) == "safairkm" || keeps_front(model.options);
        const auto options_there = list_options(model.options);
        if (std::ranges::count(options_there, "named_groups", &OptionText::name) > 0) {
            set_option(model.options, "named_groups", random() % 2 ? "-1" : "0,1");
            set_option(model.options, "size_at_most", random() % 2 ? "0" : "300");
            // Contradictory bounds are refused.
            if (random() % 2)
                set_option(model.options, "share_at_least", "0");
            else
                set_option(model.options, "share_at_most", "1");
        }
        if (by_swaps) {
            // The paper's swaps allow no other target.
            set_option(model.options, "swap", "exact_change");
            if (random() % 4 == 0)
                for (const auto& [name, value] :
                     {std::pair("swap", "nearest"), std::pair("parity_at_least", "0"), std::pair("share_delta", "1"),
                      std::pair("share_at_least", "0"), std::pair("share_at_most", "1"),
                      std::pair("size_at_least", "0"), std::pair("size_at_most", "0")})
                    set_option(model.options, name, value);
        }
        if (keeps_front(model.options)) {
            set_option(model.options, "balance_at_least", "0.1,0.25,0.5");
            set_option(model.options, "swaps", random() % 2 ? "3" : "1,2,3");
            set_option(model.options, "kmeans_updates", "5");
            set_option(model.options, "published", std::to_string(random() % 3));
        }
        if (gives_numbers(model.options)) options.format.has_targets = true;
        // 0, the end of its range, is refused.
        if (gives_predictions(model.options)) set_option(model.options, "ks_at_most", random() % 2 ? "0.05" : "1");
        if (gives_numbers(model.options) && !gives_predictions(model.options)) {
            set_option(model.options, "interval", random() % 2 ? "0.1,0.25" : "0,0.25,0.5,1");
            set_option(model.options, "interval_for", "all");
            set_option(model.options, "metric", random() % 2 ? "psp" : "eod");
            set_option(model.options, "false_positives", "0.1,0.75");
            set_option(model.options, "loss", random() % 2 ? "logistic" : "squared");
        }
        model.schedule = {random() % 4 ? 0 : random(), random() % 2 ? WhenBusy::wait : WhenBusy::skip};
        options.models.push_back(model);
    }
    return options;
}

constexpr std::string_view predicting = R"([stream]
dimensions = 2
targets = true
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
[[model]]
kind = "esvd_fair"
[model.options]
)";

constexpr std::string_view network_file =
    R"({"layers": [{"weights": [[0.1, -2]], "bias": [1e-7], "activation": "identity"}]})";

TEST(ConfigNetwork, IsReadFromFileAndKept) {
    const test::TemporaryDirectory directory;
    const std::string file = directory.write("net.json", network_file).string();
    const std::string text = std::string(predicting) + "network = \"@" + file + "\"\n";
    const EngineOptions options = parse(text, "a.toml").engine;
    const auto network_of = [](const EngineOptions& engine) {
        for (const OptionText& option : list_options(engine.models.at(0).options))
            if (option.name == "network") return option.value;
        return std::string();
    };
    EXPECT_EQ(network_of(options), "identity 1x2 0.1,-2 1e-07");
    std::filesystem::remove(file);
    const std::string kept = write_toml(options);
    EXPECT_EQ(differences(kept, write_toml(parse(predicting, "a.toml").engine)).size(), 2U);
    EXPECT_THAT(kept, HasSubstr("identity 1x2 0.1,-2 1e-07"));
    EXPECT_EQ(parse_recorded(kept, "recorded").models, options.models);
    EXPECT_EQ(parse(write_config(options), "again").engine, options);
}

TEST(ConfigNetwork, BadFileIsNamedWithLine) {
    const test::TemporaryDirectory directory;
    const std::string none = std::string(predicting) + "network = \"@none.json\"\n";
    EXPECT_THAT(refused(none),
                AllOf(StartsWith("a.toml:10:11: "), HasSubstr("network = @none.json: none.json: No such")));
    const std::string bad = directory.write("bad.json", R"({"layers": [{"weights": []}]})").string();
    EXPECT_THAT(refused(std::string(predicting) + "network = \"@" + bad + "\"\n"), HasSubstr("layer 1: has no 'bias'"));
    EXPECT_THAT(refused(std::string(predicting) + "network = \"net.json\"\n"), HasSubstr("@FILE"));
    EXPECT_THAT(refused(std::string(predicting) + "means = \"@" + bad + "\"\n"), HasSubstr("means = @"));
}

TEST(ConfigNetwork, LongValueIsCutInDifferences) {
    std::string row = "1";
    for (int i = 0; i < 999; ++i) row += ",1";
    EngineOptions options = parse(predicting, "a.toml").engine;
    const std::string without = write_toml(options);
    set_option(options.models[0].options, "network", "identity 1x1000 " + row + " 0");
    const std::vector<std::string> lines = differences(without, write_toml(options));
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_THAT(lines[1], AllOf(HasSubstr("network = \"identity 1x1000 1,1"), EndsWith(" characters)")));
    EXPECT_LT(lines[1].size(), 250U);
}

TEST(ConfigNetwork, OfARecordingNamesNoFile) {
    const test::TemporaryDirectory directory;
    const std::string file = directory.write("net.json", network_file).string();
    EXPECT_THROW((void)parse_recorded(std::string(predicting) + "network = \"@" + file + "\"\n", "recorded"),
                 InvalidInput);
}

TEST(ConfigText, ReadsBackToEqualOptionsWhateverTheyAre) {
    std::mt19937_64 random(99);
    for (int trial = 0; trial < 300; ++trial) {
        const EngineOptions options = random_options(random);
        const std::string text = write_toml(options);
        EngineOptions again = parse_recorded(text, "again");
        EXPECT_EQ(again.event_work_limit, no_work_limit);
        ASSERT_EQ(again, options) << text;
        ASSERT_EQ(write_toml(again), text);
        ASSERT_EQ(parse(write_config(options), "config").engine, options) << write_config(options);
    }
}

TEST(ConfigText, MonitorReadsBackEqual) {
    for (const std::string name : {"score", "0", "true", "the score, as sent"}) {
        EngineOptions options{.format = {.dimensions = 1, .attributes = {{"sex", {"f", "m"}}}, .has_targets = true},
                              .window = {.capacity = 100},
                              .models = {{"monitor", default_options("group_metrics"), {}}}};
        options.format.columns = {{name}};
        options.format.targets_come_later = true;
        set_option(options.models[0].options, "prediction", name);
        set_option(options.models[0].options, "parity_difference_at_most", "0.1");
        options.event_work_limit = no_work_limit;
        EXPECT_EQ(parse_recorded(write_toml(options), "again"), options) << write_toml(options);
    }
    EXPECT_THROW((void)parse("[stream]\ndimensions = 1\ntargets = \"soon\"\n", "config"), InvalidInput);
}

TEST(ConfigText, OldRecordingsHashTexts) {
    const auto with = [](const std::string& ids) {
        std::string text(smallest);
        return text.insert(text.find("[stream]\n") + 9, ids);
    };
    const std::string texts = with("ids = \"text\"\n");
    EXPECT_TRUE(parse_recorded(texts, "old").format.ids_are_hashes);
    EngineOptions given = parse(texts, "given").engine;
    EXPECT_TRUE(given.format.numbers_texts());
    EXPECT_THAT(write_toml(given), HasSubstr("ids = \"text\"\ntext_ids = \"numbered\"\n"));
    EXPECT_THAT(renewed(texts), HasSubstr("ids = \"text\"\ntext_ids = \"hashed\"\n"));
    keep_hashed_ids(parse_recorded(texts, "old").format, given.format);
    EXPECT_EQ(given.format, parse_recorded(renewed(texts), "again").format);
    EXPECT_THAT(refused(with("ids = \"text\"\ntext_ids = \"salted\"\n")), Names({"numbered", "hashed"}));
    EXPECT_THAT(refused(with("text_ids = \"hashed\"\n")), HasSubstr("ids = \"text\""));
}

TEST(ConfigText, MissingOptionsKeepOldBehaviour) {
    const std::string text = std::string(smallest) + "[model.options]\nclusters = 3\nswaps = 16\nstarts = 1\n";
    const auto old = parse_recorded(text, "old").models[0].options.get<safairkm::Options>();
    EXPECT_EQ(old.clusters, 3);
    EXPECT_EQ(old.targets.parity_at_least, OneOrMore<double>(0));
    EXPECT_EQ(old.effort, 0);
    EXPECT_EQ(old.targets.rare_below, 0);
    EXPECT_EQ(old.targets.named_groups, OneOrMore<int>(-1));
    EXPECT_EQ(old.targets.share_delta, OneOrMore<double>(1));
    const auto now = parse(text, "now").engine.models[0].options.get<safairkm::Options>();
    EXPECT_EQ(now.targets.parity_at_least, OneOrMore<double>(automatic));
    EXPECT_EQ(now.effort, safairkm::Options().effort);
    EXPECT_EQ(now.targets.rare_below, 5);
    const EngineOptions recorded = parse_recorded(text, "old");
    EXPECT_EQ(write_toml(recorded).find("parity_at_least"), std::string::npos) << "nor are they written";
    EXPECT_EQ(parse_recorded(write_toml(recorded), "again"), recorded);
    const EngineOptions chosen = parse(text, "now").engine;
    EXPECT_NE(write_toml(chosen).find("parity_at_least = \"auto\""), std::string::npos);
    EngineOptions again = parse_recorded(write_toml(chosen), "again");
    EXPECT_EQ(again.event_work_limit, no_work_limit) << "what was taken in once is taken in again";
    again.event_work_limit = chosen.event_work_limit;
    EXPECT_EQ(again, chosen);
}

TEST(ConfigText, ListsAreReadAsListsOrAsTexts) {
    const std::string head =
        "[stream]\ndimensions = 2\n[[stream.attribute]]\nname = \"sex\"\ngroups = [\"f\", \"m\"]\n"
        "[[model]]\nkind = \"live_front\"\n[model.options]\n";
    const EngineOptions list = parse(head + "balance_at_least = [0, 0.25, 0.4]\nswaps = [8]\n", "a.toml").engine;
    const auto& front = list.models[0].options.get<live_front::Options>();
    EXPECT_EQ(front.balance_at_least, (OneOrMore<double>{0, 0.25, 0.4}));
    EXPECT_EQ(front.swaps, OneOrMore<int>(8));
    EXPECT_EQ(parse(head + "balance_at_least = \"0,0.25,0.4\"\nswaps = 8\n", "a.toml").engine, list);
    EXPECT_THROW((void)parse(head + "balance_at_least = []\n", "a.toml"), InvalidInput);
    EXPECT_THROW((void)parse(head + "balance_at_least = [[0.1], 0.2]\n", "a.toml"), InvalidInput);
}

TEST(ConfigText, AttributesAreWrittenByName) {
    const std::string head =
        "[stream]\ndimensions = 2\n[[stream.attribute]]\nname = \"sex\"\ngroups = [\"f\", \"m\"]\n"
        "[[stream.attribute]]\nname = \"race\"\ngroups = [\"a\", \"b\"]\n"
        "[[model]]\nkind = \"safairkm\"\n[model.options]\nattribute = ";
    const EngineOptions race = parse(head + "1\n", "a.toml").engine;
    for (const char* text : {"\"race\"", "\"1\"", "[1]", "[\"race\"]"})
        EXPECT_EQ(parse(head + text + "\n", "a.toml").engine, race) << text;
    EXPECT_EQ(parse(head + "\"sex,race\"\n", "a.toml").engine, parse(head + "[0, \"race\"]\n", "a.toml").engine);
    EXPECT_THAT(write_toml(race), HasSubstr("attribute = \"race\"\n"));
    EXPECT_EQ(parse_recorded(write_toml(race), "recorded").models, race.models);
    EXPECT_THAT(refused(head + "\"age\"\n"), Names({"attribute = age:", "sex, race"}));
}

// A recording of an older version has indices in place of names, and options under names that have changed since.
TEST(ConfigText, OfAnOlderVersionIsRenewed) {
    const EngineOptions engine = parse(smallest, "a.toml").engine;
    const std::string now = write_toml(engine);
    std::string old = now;
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>("attribute = \"sex\"", "attribute = 0"), {"swap_with = ", "target = "}}) {
        ASSERT_THAT(old, HasSubstr(from));
        old.replace(old.find(from), from.size(), to);
    }
    EXPECT_NE(old, now);
    EXPECT_EQ(renewed(old), now);
    EXPECT_EQ(renewed(now), now);
    EXPECT_THROW((void)renewed("[stream]\n"), InvalidInput);
}

TEST(ConfigText, ScoresNeedTargets) {
    const std::string head =
        "[stream]\ndimensions = 2\ntargets = true\n[[stream.attribute]]\nname = \"sex\"\n"
        "groups = [\"f\", \"m\"]\n[[model]]\nname = \"credit\"\nkind = \"partial_fair_scorer\"\n[model.options]\n"
        "interval = [0.05, 0.3]\nkappa = 0.1\nmetric = \"pdp\"\n";
    EngineOptions options = parse(head, "a.toml").engine;
    const auto& scorer = options.models[0].options.get<partial_fair_scorer::Options>();
    EXPECT_EQ(scorer.interval, (OneOrMore<double>{0.05, 0.3}));
    EXPECT_EQ(scorer.kappa, 0.1);
    EXPECT_EQ(scorer.metric, partial_fair_scorer::Metric::pdp);
    EXPECT_TRUE(options.format.has_targets);
    check(options);
    options.format.has_targets = false;
    EXPECT_THROW(check(options), InvalidInput);
}

TEST(ConfigText, DiffersForDifferentOptionsAndSaysWhere) {
    EngineOptions options = parse(smallest, "a.toml").engine;
    const std::string before = write_toml(options);
    EXPECT_THAT(differences(before, before), IsEmpty());
    set_option(options.models[0].options, "clusters", "3");
    options.window.seed = 7;
    EXPECT_THAT(differences(before, write_toml(options)),
                ElementsAre("- [window] seed = 1", "- [model.options] \"safairkm\": clusters = 8",
                            "+ [window] seed = 7", "+ [model.options] \"safairkm\": clusters = 3"));
    options.models.push_back(options.models[0]);
    options.models[1].name = "b";
    EXPECT_THAT(differences(before, write_toml(options)), ::testing::Contains("+ [[model]] \"b\": name = \"b\""));
}

TEST(ConfigText, HasEachChangedSettingWithBothValues) {
    EngineOptions options = parse(smallest, "a.toml").engine;
    const std::string before = write_toml(options);
    EXPECT_THAT(changed_settings(before, before), IsEmpty());
    set_option(options.models[0].options, "clusters", "3");
    options.window.seed = 7;
    options.window.max_age = 3'600'000'000;
    options.models[0].schedule.every = 5;
    const std::string after = write_toml(options);
    const Difference seed{"", "window.seed", "1", "7", false}, age{"", "window.max_age", "", "\"1h\"", false},
        every{"safairkm", "every", "0", "5", false}, clusters{"safairkm", "clusters", "8", "3", true};
    EXPECT_THAT(changed_settings(before, after), ElementsAre(seed, every, clusters, age));
    options.models.push_back(options.models[0]);
    options.models[1].name = "b";
    EXPECT_THAT(changed_settings(after, write_toml(options)),
                ::testing::Contains(Difference{"b", "clusters", "", "3", true}));
}

TEST(ConfigText, AnotherOrderIsADifference) {
    EngineOptions options = parse(smallest, "a.toml").engine;
    options.models.push_back(options.models[0]);
    options.models[1].name = "b";
    const std::string before = write_toml(options);
    std::swap(options.models[0], options.models[1]);
    EXPECT_THAT(differences(before, write_toml(options)), ElementsAre("! attributes or models in another order"));
}

TEST(ConfigText, EqualOptionsHaveEqualText) {
    EngineOptions zero = parse(smallest, "a.toml").engine, negative = zero;
    set_option(zero.models[0].options, "balance_at_least", "0");
    set_option(negative.models[0].options, "balance_at_least", "-0");
    ASSERT_EQ(zero, negative);
    EXPECT_EQ(write_toml(zero), write_toml(negative));
}

TEST(ConfigText, RefusesNamesThatAreNotUtf8) {
    for (const char* name : {"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80"}) {
        EngineOptions options = parse(smallest, "a.toml").engine;
        options.format.attributes[0].groups[1] = name;
        EXPECT_THROW((void)write_toml(options), InvalidInput) << name;
    }
}

TEST(ConfigFile, MissingKeysHaveTheirDefaults) {
    const ProcessOptions options = parse(smallest, "a.toml");
    ProcessOptions expected;
    expected.engine.format = {2, {{"sex", {"f", "m"}}}, false};
    expected.engine.models = {{"safairkm", default_options("safairkm"), {}}};
    EXPECT_EQ(options, expected);
}

TEST(ConfigFile, EveryKeyHasAnEffect) {
    const std::string key(40, 'x');
    const std::string quoted_key = "\"" + key + "\"";
    const std::string text = R"(threads = 3
event_work_limit = 1100000000000
step_work_limit = 1200000000
[stream]
dimensions = 5
targets = true
attribute = [{name = "g", groups = ["a", "b"]}]
[window]
capacity = 77
policy = "reservoir"
seed = "18446744073709551615"
[[model]]
name = "m"
kind = "safairkm"
every = 9
when_busy = "skip"
options = {clusters = 4, swap = "nearest", balance_at_least = 0.25, seed = 12}
[recording]
path = "r.fairstream"
keep_events = 1
keep_for = "30d"
keep_bytes = 15
checkpoint_events = 2
checkpoint_bytes = 3
checkpoint_work = 14
refused_rows = 4
refused_bytes = 5
any_cpu_level = true
[ingest]
endpoint = "ipc://i"
credit = 6
producer_idle_events = 11
producers = 12
commit_events = 9
ahead_at_most = "2h"
max_message_bytes = 4097
connections = 11
[updates]
endpoint = "ipc://u"
connections = 12
queue = 10
ring_messages = 7
ring_bytes = 8
[control]
endpoint = "ipc://c"
connections = 13
[clients]
names = 14
connections = 15
subscriptions = 16
[security]
keys = "engine.keys"
clients = [)" + quoted_key + "]\nproducers = [" +
                             quoted_key + ", 'loan=desk=" + key + "', {key = " + quoted_key +
                             ", names = 17}]\nsubscribers = [" + quoted_key + "]\ncontrollers = [" + quoted_key +
                             "]\nallow_plain_network = true\n";
    ProcessOptions expected;
    expected.threads = 3;
    expected.engine.event_work_limit = 1'100'000'000'000;
    expected.engine.step_work_limit = 1'200'000'000;
    expected.engine.format = {5, {{"g", {"a", "b"}}}, true};
    expected.engine.window = {77, WindowPolicy::reservoir, ~std::uint64_t{0}};
    ModelOptions model = default_options("safairkm");
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"clusters", "4"}, {"swap", "nearest"}, {"balance_at_least", "0.25"}, {"seed", "12"}}) {
        set_option(model, name, value);
    }
    expected.engine.models = {{"m", model, {9, WhenBusy::skip}}};
    expected.recording = {"r.fairstream", 1, 2'592'000'000'000, 15, 2, 3, 14, 4, 5, true};
    expected.wire = {"ipc://i", "ipc://u", "ipc://c", 6, 9, 4097, 11, 12, 13, 10, 7, 8, 11, 12, 7'200'000'000};
    expected.security = {"engine.keys", {key}, {{key, ""}, {key, "loan=desk"}, {key, "", 17}}, {key}, {key}, true};
    expected.clients = {14, 15, 16};
    EXPECT_EQ(parse(text, "a.toml"), expected);
}

TEST(ConfigFile, TimesAreNumbersWithUnits) {
    const auto window = [](const std::string& text) {
        return parse(std::string(smallest) + "[window]\n" + text, "a.toml").engine.window;
    };
    EXPECT_EQ(window("max_age = \"7d\"\n").max_age, 604'800'000'000);
    EXPECT_EQ(window("max_age = \"1d12h\"\n").max_age, 129'600'000'000);
    EXPECT_EQ(window("max_age = \"1m1s1ms1us\"\n").max_age, 61'001'001);
    EXPECT_EQ(window("half_life = \"90m\"\n").half_life, (HalfLife{.points = 0, .time = 5'400'000'000}));
    EXPECT_EQ(window("half_life = 10000\n").half_life, (HalfLife{.points = 10'000, .time = 0}));
    EXPECT_EQ(window("half_life = 1.5\n").half_life, (HalfLife{.points = 1.5, .time = 0}));
    for (const char* time :
         {"", "7", "d", "1h1d", "1h1h", "-1d", "1.5h", "1 d", "1w", "0s", "52125d", "1d ", "99999999999999999999d"})
        EXPECT_THAT(refused_after_smallest("[window]\nmax_age = \"" + std::string(time) + "\"\n"),
                    StartsWith("a.toml:9:11: window.max_age = "));
    EXPECT_THAT(refused_after_smallest("[window]\nmax_age = 86400\n"),
                Names({"a.toml:9:11: window.max_age = 86400: ", "\"7d\""}));
    for (const char* half_life : {"0", "0.5", "1e13", "true"})
        EXPECT_THAT(refused_after_smallest("[window]\nhalf_life = " + std::string(half_life) + "\n"),
                    AllOf(StartsWith("a.toml:9:13: window.half_life = "), Names({"1 to 1e12", "\"2h\""})));
}

TEST(ConfigFile, TimeAheadIsDurationOrAny) {
    const auto ahead = [](const std::string& value) {
        return parse(std::string(smallest) + "[ingest]\nahead_at_most = " + value + "\n", "a.toml").wire.ahead_at_most;
    };
    EXPECT_EQ(parse(smallest, "a.toml").wire.ahead_at_most, 0) << "a day or max_age";
    EXPECT_EQ(ahead("\"90m\""), 5'400'000'000);
    EXPECT_EQ(ahead("\"any\""), wire::any_time_ahead);
    EXPECT_THAT(refused_after_smallest("[ingest]\nahead_at_most = 60\n"),
                Names({"a.toml:9:17: ingest.ahead_at_most = 60: ", "\"1h\"", "\"any\""}));
    EXPECT_THAT(refused_after_smallest("[ingest]\nahead_at_most = \"all\"\n"),
                StartsWith("a.toml:9:17: ingest.ahead_at_most = all:"));
}

constexpr std::string_view described = R"([stream]
columns = ["age", "income", "job"]
weights = true
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
unknown = "not said"
[[model]]
kind = "safairkm"
[prepare]
scale = "first:1000"
missing = "mean"
clip = [-5, inf]
every = 50
[[prepare.column]]
name = "income"
log = true
scale = "fixed"
mean = 8
deviation = 0.5
missing = "indicator"
[[prepare.column]]
name = "job"
levels = ["nurse", "other"]
)";

TEST(ConfigFile, PreparationHasDefaultsAndExceptions) {
    const EngineOptions options = parse(described, "a.toml").engine;
    EXPECT_EQ(options.format,
              (StreamFormat{.dimensions = 3,
                            .attributes = {{"sex", {"f", "m", "not said"}, true}},
                            .has_weights = true,
                            .columns = {{"age", {}, true}, {"income", {}, true}, {"job", {"nurse", "other"}, true}}}));
    EXPECT_EQ(options.prepare.renew_every, 50U);
    ASSERT_EQ(options.prepare.columns.size(), 3U);
    EXPECT_EQ(options.prepare.columns[0],
              (ColumnPreparation{.at_least = -5, .scale = Scale::first, .first = 1000, .missing = Missing::mean}));
    EXPECT_EQ(options.prepare.columns[1], (ColumnPreparation{.at_least = -5,
                                                             .log = true,
                                                             .scale = Scale::fixed,
                                                             .mean = 8,
                                                             .deviation = 0.5,
                                                             .missing = Missing::indicator}));
    EXPECT_EQ(options.prepare.columns[2], (ColumnPreparation{.missing = Missing::most_frequent}));
    EngineOptions again = parse_recorded(write_toml(options), "again");
    again.event_work_limit = options.event_work_limit;
    EXPECT_EQ(again, options);
}

constexpr std::string_view kinds = R"(
[stream]
columns = ["age", "size", "city", "joined", "left"]
[window]
capacity = 10
[prepare]
scale = "running"
missing = "mean"
[[prepare.column]]
name = "size"
levels = ["s", "m", "l"]
encoding = "ordinal"
[[prepare.column]]
name = "city"
hash = 16
[[prepare.column]]
name = "joined"
dates = "years"
[[prepare.column]]
name = "left"
dates = "days"
missing = "indicator"
[[model]]
name = "plain"
kind = "safairkm"
)";

TEST(ConfigFile, TextAndDateColumnsRoundTrip) {
    const EngineOptions options = parse(kinds, "a.toml").engine;
    EXPECT_EQ(options.format.columns,
              (std::vector<FeatureColumn>{{.name = "age", .may_be_missing = true},
                                          {.name = "size", .levels = {"s", "m", "l"}, .may_be_missing = true},
                                          {.name = "city", .may_be_missing = true, .buckets = 16},
                                          {.name = "joined", .may_be_missing = true, .dates = DateUnit::years},
                                          {.name = "left", .may_be_missing = true, .dates = DateUnit::days}}));
    EXPECT_EQ(options.prepare.columns,
              (std::vector<ColumnPreparation>{{.scale = Scale::running},
                                              {.encoding = Encoding::ordinal, .scale = Scale::running},
                                              {.missing = Missing::most_frequent},
                                              {.scale = Scale::running},
                                              {.scale = Scale::running, .missing = Missing::indicator}}));
    EngineOptions again = parse_recorded(write_toml(options), "again");
    again.event_work_limit = options.event_work_limit;
    EXPECT_EQ(again, options);
}

TEST(ConfigFile, ReaderSettingsAreNotEngineOptions) {
    const std::string files =
        "[files]\nmissing_texts = [\"-999\", \"age=0\"]\ndecimal_mark = \"comma\"\nday_first = "
        "[\"left\"]\nmonth_first = [\"joined\"]\n";
    const ProcessOptions options = parse(std::string(kinds) + files, "a.toml");
    EXPECT_EQ(options.engine, parse(kinds, "a.toml").engine);
    EXPECT_EQ(options.reader, (files::ReaderSettings{{"-999", "age=0"},
                                                     files::DecimalMark::comma,
                                                     {files::DateOrder::year_first, files::DateOrder::year_first,
                                                      files::DateOrder::year_first, files::DateOrder::month_first,
                                                      files::DateOrder::day_first}}));
    EXPECT_EQ(parse(write_config(options.engine, options.reader), "again").reader, options.reader);
    const std::string recorded = write_toml(options.engine, options.reader);
    EXPECT_EQ(recorded_reader_settings(recorded, "recorded"), options.reader);
    EXPECT_EQ(renewed(recorded), write_toml(options.engine)) << "a recording may go on with files written otherwise";
    const auto refused_after = [](const std::string& text) { return refused(std::string(kinds) + text); };
    EXPECT_THAT(refused_after("[files]\nday_first = [\"age\"]\n"),
                Names({"a.toml:27:13: files.day_first = [age]: ", "'age'", "[prepare]"}));
    EXPECT_THAT(refused_after("[files]\ndecimal_mark = \"dot\"\n"),
                Names({"a.toml:27:16: files.decimal_mark = dot: ", "point", "comma"}));
    EXPECT_THAT(refused_after("[files]\nmissing_texts = [\"\"]\n"),
                StartsWith("a.toml:27:17: files.missing_texts = []: "));
}

TEST(ConfigFile, ReaderSettingsAreReadFromOldPlace) {
    std::string text(kinds);
    text.replace(text.find("[stream]\n"), 9, "[stream]\nmissing_texts = [\"-999\"]\ndecimal_mark = \"comma\"\n");
    text.replace(text.find("dates = \"days\"\n"), 15, "dates = \"days\"\ndate_order = \"day_first\"\n");
    files::ReaderSettings wanted{{"-999"}, files::DecimalMark::comma};
    wanted.set_date_order(4, files::DateOrder::day_first);
    EXPECT_EQ(parse(text, "a.toml").reader, wanted);
    EXPECT_EQ(recorded_reader_settings(text, "recorded"), wanted);
    EXPECT_EQ(renewed(text), renewed(kinds));
}

TEST(ConfigFile, WhatIsFilledInIsReadAndWritten) {
    const std::string filled = std::string(kinds) + "[[prepare.column]]\nname = \"age\"\nfill = 41.5\n" +
                               "[[model]]\nname = \"other\"\n"
                               "kind = \"safairkm\"\n";
    std::string text = filled;
    text.replace(text.find("hash = 16\n"), 10, "hash = 16\nfill = 3\n");
    text.replace(text.find("encoding = \"ordinal\"\n"), 21, "encoding = \"ordinal\"\nfill = \"m\"\n");
    const EngineOptions options = parse(text, "a.toml").engine;
    EXPECT_EQ(options.prepare.columns[0].fill, 41.5);
    EXPECT_EQ(options.prepare.columns[1].fill, 1) << "the number of the level";
    EXPECT_EQ(options.prepare.columns[2].fill, 3);
    EXPECT_EQ(options.prepare.columns[3].fill, std::nullopt);
    EngineOptions again = parse_recorded(write_toml(options), "again");
    again.event_work_limit = options.event_work_limit;
    EXPECT_EQ(again, options);
    const std::string age = std::string(kinds) + "[[prepare.column]]\nname = \"age\"\n";
    EXPECT_THAT(refused(age + "missing = \"refuse\"\nfill = 1\n"),
                Names({"prepare.column.fill = 1:", "missing = refuse"}));
    EXPECT_THAT(refused(age + "levels = [\"x\"]\nfill = \"y\"\n"), HasSubstr("fill = y"));
}

TEST(ConfigFile, WrongColumnKindsAreRefusedWithPlace) {
    const auto refused_after = [](std::string_view text) { return refused(std::string(kinds) + std::string(text)); };
    const std::string column = "[[prepare.column]]\nname = \"age\"\n";
    EXPECT_THAT(refused_after(column + "dates = \"weeks\"\n"),
                Names({"a.toml:28:9: prepare.column.dates = weeks: ", "seconds, hours, days"}));
    EXPECT_THAT(refused_after(column + "dates = \"days\"\ndate_order = \"dmy\"\n"),
                Names({"a.toml:29:14: prepare.column.date_order = dmy: ", "year_first, day_first"}));
    EXPECT_EQ(refused_after(column + "date_order = \"day_first\"\n"),
              "a.toml:28:14: prepare.column.date_order = day_first: needs dates");
    EXPECT_EQ(refused_after(column + "encoding = \"ordinal\"\n"),
              "a.toml:28:12: prepare.column.encoding = ordinal: needs levels");
    EXPECT_THAT(refused_after(column + "levels = [\"x\"]\nencoding = \"target\"\n"),
                Names({"a.toml:29:12: prepare.column.encoding = target: ", "onehot", "ordinal"}));
    EXPECT_THAT(refused_after(column + "hash = 1\n"), Names({"a.toml:28:8: prepare.column.hash = 1: ", "2 to 65535"}));
    EXPECT_THAT(refused_after(column + "hash = 4\nlevels = [\"x\"]\n"), Names({"levels", "hash", "dates"}));
    EXPECT_THAT(refused_after(column + "hash = 4\nscale = \"none\"\n"), HasSubstr("has categories"));
}

TEST(ConfigFile, UnnamedColumnsMayBeNumbered) {
    const EngineOptions options =
        parse(std::string(smallest) + "[prepare]\n[[prepare.column]]\nname = 1\nscale = \"running\"\n", "a.toml")
            .engine;
    EXPECT_TRUE(options.format.columns.empty());
    EXPECT_EQ(options.prepare.columns, (std::vector<ColumnPreparation>{{}, {.scale = Scale::running}}));
}

TEST(ConfigFile, WrongPreparationIsRefusedWithItsPlace) {
    const auto refused_after = [](std::string_view text) {
        return refused(std::string(described) + std::string(text));
    };
    EXPECT_THAT(refused_after("[[prepare.column]]\nname = \"jobs\"\n"),
                Names({"a.toml:26:8: prepare.column.name = jobs: ", "[stream] columns"}));
    EXPECT_THAT(refused_after("[[prepare.column]]\nname = \"job\"\n"), StartsWith("a.toml:26:8: "));
    EXPECT_THAT(refused_after("[[prepare.column]]\nname = 3\n"), StartsWith("a.toml:26:8: "));
    EXPECT_THAT(refused_after("[[prepare.column]]\nscale = \"none\"\n"), HasSubstr("no name"));
    EXPECT_THAT(refused_after("scale = \"none\"\n"), AllOf(StartsWith("a.toml:25:9: "), HasSubstr("has categories")));
    EXPECT_THAT(refused_after("missing = \"mean\"\n"),
                AllOf(StartsWith("a.toml:25:11: "), HasSubstr("has categories")));
    EXPECT_THAT(refused_after("width = 1\n"), Names({"a.toml:25:1: ", "'width'", "[[prepare.column]]"}));
    for (const char* scale :
         {"first", "first:", "first:0", "first:-1", "first:1x", "standard", "range:", "range:0", "ranges"})
        EXPECT_THAT(refused_after_smallest("[prepare]\nscale = \"" + std::string(scale) + "\"\n"),
                    StartsWith("a.toml:9:9: prepare.scale = " + std::string(scale)));
    EXPECT_THAT(refused_after_smallest("[prepare]\nclip = [5, 1.5]\n"),
                Names({"a.toml:9:8: prepare.clip = [5, 1.5]: ", "[low, high]"}));
    EXPECT_THAT(refused_after_smallest("[prepare]\nclip = [1, 2, 3, 4, 5, 6, 7, 8, 9]\n"),
                HasSubstr("prepare.clip = [1, 2, 3, 4, 5, 6, 7, 8, ...]: "));
    EXPECT_THAT(refused_after_smallest("[prepare]\nclip = [1, 1]\n"), StartsWith("a.toml:9:8: prepare.clip"));
    EXPECT_THAT(refused_after_smallest("[prepare]\nclip = [1]\n"), StartsWith("a.toml:9:8: prepare.clip"));
    EXPECT_THAT(refused_after_smallest("[prepare]\nclip = [nan, 1]\n"), StartsWith("a.toml:9:8: prepare.clip"));
    EXPECT_THAT(refused_after_smallest("[prepare]\nmean = 1\n"), StartsWith("a.toml:9:8: prepare.mean"));
    EXPECT_THAT(refused_after_smallest("[prepare]\nscale = \"fixed\"\ndeviation = 0\n"),
                StartsWith("a.toml:10:13: prepare.deviation"));
    const std::string fixed = "[prepare]\nscale = \"fixed\"\n";
    for (const char* range : {"[1, 1]", "[2, 1]", "[1]", "[nan, 1]", "[0, 2e15]"})
        EXPECT_THAT(refused_after_smallest(fixed + "range = " + range + "\n"),
                    StartsWith("a.toml:10:9: prepare.range"));
    EXPECT_THAT(refused_after_smallest(fixed + "mean = 1\nrange = [0, 1]\n"), StartsWith("a.toml:11:9: prepare.range"));
    EXPECT_THAT(refused_after_smallest("[prepare]\nscale = \"range\"\nrange = [0, 1]\n"),
                Names({"a.toml:10:9: prepare.range", "fixed"}));
    EXPECT_THAT(refused_after_smallest("[prepare]\nmissing = \"zero\"\n"), StartsWith("a.toml:9:11: prepare.missing"));
    EXPECT_THAT(refused_after_smallest("[prepare]\nmissing = \"mean\"\n"), HasSubstr("needs [stream] columns"));
    EXPECT_THAT(refused("[stream]\ndimensions = 2\ncolumns = [\"a\"]\n"), StartsWith("a.toml:3:11: stream.columns"));
    EXPECT_THAT(refused("[stream]\ncolumns = [\"age\", \"job\", \"age\"]\n"),
                Names({"a.toml:2:11: stream.columns = [age, job, age]: ", "'age'"}));
}

TEST(ConfigFile, RangeScales) {
    const auto prepared = [](const std::string& text) {
        return parse(std::string(smallest) + "[prepare]\n" + text, "a.toml").engine.prepare.columns[0];
    };
    EXPECT_EQ(prepared("scale = \"range\"\n"), (ColumnPreparation{.scale = Scale::running, .unit = ScaleUnit::range}));
    EXPECT_EQ(prepared("scale = \"range:40\"\n"),
              (ColumnPreparation{.scale = Scale::first, .unit = ScaleUnit::range, .first = 40}));
    EXPECT_EQ(prepared("scale = \"fixed\"\nrange = [-2, 5.5]\n"),
              (ColumnPreparation{.scale = Scale::fixed, .unit = ScaleUnit::range, .low = -2, .high = 5.5}));
    EXPECT_EQ(prepared("scale = \"range:40\"\n[[prepare.column]]\nname = 0\nscale = \"running\"\n"),
              (ColumnPreparation{.scale = Scale::running}))
        << "a column's scale replaces all of the usual one";
}

TEST(ConfigFile, FixedScaleTakesRangeEnds) {
    const auto fixed = [](const std::string& text) { return "[prepare]\nscale = \"fixed\"\n" + text; };
    const auto prepared = [&](const std::string& text) {
        return parse(std::string(smallest) + fixed(text), "a.toml").engine.prepare.columns[0];
    };
    EXPECT_EQ(prepared("mean = 1e15\ndeviation = 1e-15\n").mean, 1e15);
    EXPECT_EQ(prepared("mean = -1e15\ndeviation = 1e-15\n").deviation, 1e-15);
    EXPECT_EQ(prepared("deviation = 1e15\n").deviation, 1e15);
    EXPECT_THAT(refused_after_smallest(fixed("mean = 2e15\n")),
                Names({"a.toml:10:8: prepare.mean = 2e+15: ", "-1e15 to 1e15"}));
    EXPECT_THAT(refused_after_smallest(fixed("deviation = 1e-16\n")),
                Names({"a.toml:10:13: prepare.deviation = 1e-16: ", "1e-15 to 1e15"}));
}

TEST(ConfigFile, StreamIsReadWithoutModels) {
    const test::TemporaryDirectory directory;
    const std::string text(described);
    const std::size_t model = text.find("[[model]]"), prepare = text.find("[prepare]");
    const StreamOptions stream = load_stream(directory.write("a.toml", text.substr(0, model) + text.substr(prepare)));
    const EngineOptions whole = parse(described, "a.toml").engine;
    EXPECT_EQ(stream, (StreamOptions{whole.format, whole.prepare}));
    EXPECT_EQ(stream, load_stream(directory.write("b.toml", text)));
    test::expect_refused(Reason::unknown_option, {"c.toml:3:", "unknown key 'streem'"},
                         [&] { (void)load_stream(directory.write("c.toml", "[stream]\ndimensions = 2\n[streem]\n")); });
    test::expect_refused(Reason::bad_option, {"d.toml: ", "dimensions"},
                         [&] { (void)load_stream(directory.write("d.toml", "")); });
}

TEST(ConfigFile, MaySayNothingOfTheEngine) {
    const test::TemporaryDirectory directory;
    const ProcessOptions own = load_process(directory.write(
        "own.toml", "threads = 2\nevent_work_limit = 7\n[ingest]\nendpoint = \"tcp://127.0.0.1:7500\"\n"));
    EXPECT_TRUE(is_without_engine(own));
    EXPECT_EQ(own.threads, 2);
    EXPECT_EQ(own.engine.event_work_limit, 7U);
    EXPECT_EQ(own.wire.ingest, "tcp://127.0.0.1:7500");
    const std::filesystem::path whole = directory.write("whole.toml", std::string(smallest));
    EXPECT_FALSE(is_without_engine(load_process(whole)));
    EXPECT_EQ(load_process(whole), load(whole));
    for (const char* half :
         {"[stream]\ndimensions = 2\n", "[[model]]\nkind = \"safairkm\"\n", "[window]\ncapacity = 5\n"})
        test::expect_refused(Reason::bad_option, {"half.toml: "},
                             [&] { (void)load_process(directory.write("half.toml", half)); });
}

TEST(ConfigText, OmitsUnlimitedStepWork) {
    EngineOptions options = parse(smallest, "a.toml").engine;
    EXPECT_EQ(options.step_work_limit, EngineOptions{}.step_work_limit);
    const std::string limited = write_toml(options);
    EXPECT_THAT(limited, StartsWith("step_work_limit = 2000000000\n\n[stream]\n"));
    EXPECT_EQ(parse_recorded(limited, "recorded").step_work_limit, options.step_work_limit);
    options.step_work_limit = no_work_limit;
    const std::string unlimited = write_toml(options);
    EXPECT_THAT(unlimited, StartsWith("[stream]\n"));
    EXPECT_EQ(parse_recorded(unlimited, "recorded").step_work_limit, no_work_limit) << "as before there was one";
    EXPECT_THAT(changed_settings(unlimited, limited), ElementsAre(Difference{"", "step_work_limit", "", "2000000000"}));
    EXPECT_EQ(parse(write_config(options), "again").engine.step_work_limit, no_work_limit);
    EXPECT_THROW((void)parse("step_work_limit = 0\n" + std::string(smallest), "a.toml"), InvalidInput);
}

TEST(ConfigText, WithoutPreparationIsUnchanged) {
    EngineOptions options = parse(smallest, "a.toml").engine;
    options.step_work_limit = no_work_limit;
    EXPECT_THAT(write_toml(options),
                StartsWith("[stream]\ndimensions = 2\ntargets = false\n\n[[stream.attribute]]\nname = \"sex\"\n"
                           "groups = [\"f\", \"m\"]\n\n[window]\ncapacity = 100000\npolicy = \"sliding\"\nseed = 1\n"
                           "\n[[model]]\n"));
}

TEST(ConfigText, DifferencesOfPreparationNameTheColumn) {
    const EngineOptions options = parse(described, "a.toml").engine;
    EngineOptions other = options;
    other.prepare.columns[1].mean = 9;
    other.window.max_age = 1000;
    EXPECT_THAT(differences(write_toml(options), write_toml(other)),
                ElementsAre("- [[prepare.column]] \"income\": mean = 8", "+ [window] max_age = \"1ms\"",
                            "+ [[prepare.column]] \"income\": mean = 9"));
}

TEST(ConfigFile, UnknownKeysAreRefusedWithPlace) {
    EXPECT_THAT(refused_after_smallest("[window]\nsize = 3\n"),
                Names({"a.toml:9:1: ", "'size'", "[window]", ": capacity, policy, seed, max_age, half_life"}));
    EXPECT_THAT(refused("thread = 3\n" + std::string(smallest)),
                Names({"a.toml:1:1: ", "'thread'", "'threads'?", ": threads, stream"}));
    EXPECT_THAT(refused_after_smallest("swaps = 3\n"), Names({"a.toml:8:1: ", "'swaps'", "[[model]]", ": kind"}));
    EXPECT_THAT(refused_after_smallest("[[stream.attribute]]\nname = \"x\"\ngroups = [\"a\"]\nnames = 1\n"),
                Names({"a.toml:11:1: ", "'names'", "[[stream.attribute]]", "'name'?", ": name, groups"}));
    for (const char* section : {"recording", "ingest", "updates", "control", "security"}) {
        EXPECT_THAT(refused_after_smallest("[" + std::string(section) + "]\n  nonsense = 1\n"),
                    Names({"a.toml:9:3: ", "'nonsense'", "[" + std::string(section) + "]"}));
    }
}

TEST(ConfigFile, BadModelOptionsAreRefusedWithPlace) {
    EXPECT_THAT(refused_after_smallest("[model.options]\nclustres = 3\n"),
                AllOf(StartsWith("a.toml:9:1: "), Names({"clustres", "kmeans_updates"})));
    EXPECT_THAT(refused_after_smallest("[model.options]\nclusters = 0\n"),
                AllOf(StartsWith("a.toml:9:12: clusters = 0"), HasSubstr("1 to 32767")));
    EXPECT_THAT(refused_after_smallest("[model.options]\nclusters = 2.5\n"), StartsWith("a.toml:9:12: clusters = 2.5"));
    EXPECT_THAT(refused_after_smallest("[model.options]\nclusters = [2]\n"), StartsWith("a.toml:9:12: "));
    EXPECT_THAT(refused("[stream]\ndimensions = 2\n[[model]]\nkind = \"kmeans\"\n"),
                AllOf(StartsWith("a.toml:4:8: "), Names({"kmeans", "safairkm"})));
    EXPECT_THAT(refused("[stream]\ndimensions = 2\n[[model]]\nname = \"a\"\n"), Names({"[[model]]", "kind"}));
}

TEST(ConfigFile, BadValuesAreRefusedWithPlace) {
    EXPECT_THAT(refused_after_smallest("[window]\ncapacity = 0\n"),
                Names({"a.toml:9:12: window.capacity = 0: ", "1 to 2147483647"}));
    EXPECT_THAT(refused_after_smallest("[window]\ncapacity = -1\n"), HasSubstr("window.capacity = -1:"));
    EXPECT_THAT(refused_after_smallest("[window]\ncapacity = 1.5\n"), HasSubstr("window.capacity = 1.5:"));
    EXPECT_THAT(refused_after_smallest("[window]\nseed = \"18446744073709551616\"\n"), HasSubstr("window.seed"));
    EXPECT_THAT(refused_after_smallest("[window]\npolicy = \"newest\"\n"),
                Names({"window.policy = newest:", "sliding, reservoir"}));
    EXPECT_THAT(refused_after_smallest("[window]\npolicy = 1\n"), HasSubstr("window.policy = 1:"));
    EXPECT_THAT(refused_after_smallest("window = 1\n"), HasSubstr("'window'"));
    EXPECT_THAT(refused("window = 1\n" + std::string(smallest)), HasSubstr("a.toml:1:10: window = 1:"));
    EXPECT_THAT(refused("model = 1\n"), Names({"model = 1:", "[[model]]"}));
    EXPECT_THAT(refused_after_smallest("[ingest]\ncredit = 0\n"), Names({"ingest.credit = 0:", "1 to 65536"}));
    EXPECT_THAT(refused_after_smallest("[updates]\nring_bytes = 134217729\n"),
                HasSubstr("updates.ring_bytes = 134217729"));
    EXPECT_THAT(refused_after_smallest("[security]\nclients = [\"short\"]\n"),
                AllOf(StartsWith("a.toml:9:"), HasSubstr("security.clients")));
    EXPECT_THAT(refused_after_smallest("[security]\nproducers = ['desk=short']\n"),
                AllOf(StartsWith("a.toml:9:"), HasSubstr("security.producers has 10 characters")));
    EXPECT_THAT(refused_after_smallest("[security]\nsubscribers = ['desk=" + std::string(40, 'k') + "']\n"),
                HasSubstr("security.subscribers has 45 characters"));
    EXPECT_THAT(refused_after_smallest("[ingest]\nmax_message_bytes = 100\n"),
                Names({"max_message_bytes = 100:", "4096 to 268435456"}));
    EXPECT_THAT(refused_after_smallest("[control]\nconnections = 0\n"), Names({"connections = 0:", "1 to 65536"}));
    EXPECT_THAT(refused_after_smallest("[security]\nclients = [1]\n"), HasSubstr("security.clients = 1:"));
    EXPECT_THAT(refused_after_smallest("[security]\nkeys = \"engine.keys\"\n"),
                Names({"[security]", "keys", "clients"}));
    EXPECT_THAT(refused_after_smallest("[security]\nallow_plain_network = \"yes\"\n"), HasSubstr("= yes:"));
}

TEST(ConfigFile, RulesOfTheEngineAreCheckedToo) {
    EXPECT_THAT(refused("[stream]\ndimensions = 2\n"), StartsWith("a.toml: "));
    EXPECT_THAT(refused_after_smallest("[[model]]\nkind = \"safairkm\"\n"), StartsWith("a.toml: "));
    EXPECT_THAT(refused_after_smallest("[window]\ncapacity = 5\n"), StartsWith("a.toml: "));
}

TEST(ConfigFile, InvalidTomlIsRefusedWithPlace) {
    EXPECT_THAT(refused("[stream\n"), StartsWith("a.toml:1:8: "));
    EXPECT_THAT(refused("a = 1\na = 2\n"), StartsWith("a.toml:2:"));
    EXPECT_THAT(refused("a = \"\xff\"\n"), StartsWith("a.toml:1:"));
    const test::TemporaryDirectory directory;
    EXPECT_THROW((void)load(directory / "none.toml"), InvalidInput);
    EXPECT_THROW((void)load(directory.path()), InvalidInput);
    EXPECT_EQ(load(directory.write("some.toml", smallest)), parse(smallest, "a.toml"));
}

TEST(ConfigFile, DeepKeysAndUnclosedTextsAreRefused) {
    std::string deep = "a";
    for (int level = 0; level < 50'000; ++level) deep += ".a";
    EXPECT_THAT(refused("b = 1\n" + deep + " = 1\n"), StartsWith("a.toml:2: more than 4096 dots"));
    EXPECT_THAT(refused("[" + deep + "]\n"), StartsWith("a.toml:1: more than 4096 dots"));
    std::string quoted;
    for (int level = 0; level < 50'000; ++level) quoted += "\"a\".";
    EXPECT_THAT(refused(quoted + "a = 1\n"), StartsWith("a.toml:1: more than 4096 dots"));
    const std::string hidden = "\"\\\"\"." + deep;  // follows a string that contains a quote
    EXPECT_THAT(refused(hidden + " = 1\n"), StartsWith("a.toml:1: more than 4096 dots"));
    EXPECT_THAT(refused("a = \"\\\"" + std::string(50'000, '.') + "\"\n"), ::testing::Not(HasSubstr("dots")))
        << "no key";
    EXPECT_THROW((void)load("/dev/zero"), InvalidInput);
}

TEST(ConfigFile, NoTextMakesTheReaderFailOtherwise) {
    std::mt19937_64 random(5);
    const std::string whole = write_toml(random_options(random));
    for (int trial = 0; trial < 2000; ++trial) {
        std::string text = whole;
        for (std::size_t edits = 1 + random() % 4; edits > 0; --edits) {
            const std::size_t at = random() % text.size();
            if (random() % 2) {
                text.erase(at, 1 + random() % 8);
            } else {
                text[at] = static_cast<char>(random() % 256);
            }
        }
        try {
            (void)parse(text, "a.toml");
        } catch (const InvalidInput& error) {
            ASSERT_THAT(error.what(), StartsWith("a.toml:"));
        }
    }
}

// The comment at its top says that settings have their defaults, but for the stream, the window and the models.
TEST(ConfigFile, TheExampleShowsDefaults) {
    const ProcessOptions options = load(std::filesystem::path(FAIRSTREAM_SOURCE_DIR) / "demos/loans.toml");
    EXPECT_EQ(options.engine.models.size(), 2U);
    EXPECT_EQ(options.engine.format.dimensions, 6U);
    ProcessOptions defaults;
    defaults.engine.format = options.engine.format;
    defaults.engine.window.capacity = options.engine.window.capacity;
    defaults.engine.models = options.engine.models;
    EXPECT_EQ(options, defaults);
}

TEST(Config, SuggestsAndNamesMissingKeys) {
    EXPECT_THAT(refused("[windw]\ncapacity = 5\n" + std::string(smallest)), Names({"'windw'", "'window'?"}));
    EXPECT_THAT(refused("[window]\ncapacity = 5\n[[model]]\nname = \"m\"\nkind = \"safairkm\"\n"),
                Names({"a.toml:", "[stream]"}));
    EXPECT_THAT(refused_after_smallest("[model.options]\nbalance_at_least = \"high\"\n"),
                Names({"balance_at_least = high:", "0 to 1"}));
}

TEST(Config, ShowsTheLineThatCannotBeRead) {
    EXPECT_THAT(refused("[stream]\ndimensions = 2\n  [model.options]\nclusters = six # or so\n"),
                AllOf(StartsWith("a.toml:4:"), Names({"in 'clusters = six # or so'", "quotes"})));
    EXPECT_THAT(refused("[stream]\ndimensions = \n"), EndsWith(", in 'dimensions = '"));
    EXPECT_THAT(refused("x"), EndsWith(", in 'x'"));
}

TEST(Config, OfARecordingSaysWhatReadsIt) {
    EXPECT_THAT(refused("SQLite format 3"), HasSubstr("fairstream check"));
}

}  // namespace
}  // namespace fairstream::config
