/// Options by name and as text: printed values are read back, and different values have different texts.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <fairstream/options.hpp>

#include "engine_setups.hpp"
#include "support/names.hpp"
#include "support/refusal.hpp"

namespace fairstream::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns other values of an option: the ends of its range, or its other names.
std::vector<std::string> other_values(const OptionText& option) {
    std::vector<std::string> values;
    if (const std::size_t to = option.range.find(" to "); to != std::string::npos) {
        values = {option.range.substr(0, to)};
        for (std::size_t at = to; at < option.range.size();) {
            const std::size_t word = std::min(option.range.find(" or ", at + 4), option.range.size());
            values.push_back(option.range.substr(at + 4, word - at - 4));
            at = word;
        }
        if (option.name == "seed") values.back() = "18446744073709551615";  // the range is printed as a real
        for (std::string& value : values)
            if (value.find("e+") != std::string::npos) value = "123456";  // as text the same for all kinds of numbers
    } else if (option.range.starts_with("pairs")) {
        values = {"3:17,4:5"};
    } else if (option.range.starts_with("a network")) {
        values = {"relu 2x3 1,0,0.5,0,1,0 0,0 identity 1x2 1,-1 0.25"};
    } else {
        for (std::size_t at = 0; at <= option.range.size();
             at = std::min(option.range.size(), option.range.find('|', at)) + 1)
            values.push_back(option.range.substr(at, option.range.find('|', at) - at));
    }
    std::erase(values, option.value);
    return values;
}

TEST(Options, EveryModelHasDefaultsANameAndHelp) {
    ASSERT_FALSE(model_names().empty());
    for (const std::string& name : model_names()) {
        const ModelOptions options = default_options(name);
        EXPECT_EQ(model_name(options), name);
        std::set<std::string> names;
        for (const OptionText& option : list_options(options)) {
            EXPECT_TRUE(names.insert(option.name).second) << option.name << " is listed twice";
            EXPECT_FALSE(option.help.empty()) << option.name;
            EXPECT_FALSE(option.range.empty()) << option.name;
        }
        EXPECT_FALSE(names.empty());
    }
}

TEST(Options, ListedValuesReadBack) {
    for (const std::string& name : model_names()) {
        for (const OptionText& option : list_options(default_options(name))) {
            ModelOptions options = default_options(name);
            set_option(options, option.name, option.value);
            EXPECT_EQ(options, default_options(name));
            ASSERT_FALSE(other_values(option).empty()) << option.name;
            for (const std::string& value : other_values(option)) {
                set_option(options, option.name, value);
                EXPECT_FALSE(options == default_options(name)) << option.name << " = " << value;
                for (const OptionText& now : list_options(options))
                    EXPECT_TRUE(now.name != option.name || now.value == value) << now.value;
                ModelOptions copied = default_options(name);
                for (const OptionText& now : list_options(options)) set_option(copied, now.name, now.value);
                EXPECT_EQ(copied, options);
            }
        }
    }
}

TEST(Options, RealsHaveShortestForm) {
    ModelOptions options = default_options("safairkm");
    for (const std::string value : {"0.1", "0.3333333333333333", "1e-300", "0.5", "1"}) {
        set_option(options, "balance_at_least", value);
        for (const OptionText& option : list_options(options))
            EXPECT_TRUE(option.name != "balance_at_least" || option.value == value) << option.value << " for " << value;
    }
}

TEST(Options, AutomaticWordMayStandInList) {
    ModelOptions options = default_options("safairkm");
    const auto value_of = [&](const std::string& name) {
        for (const OptionText& option : list_options(options))
            if (option.name == name) return option.value;
        return std::string();
    };
    EXPECT_EQ(value_of("parity_at_least"), "auto");
    for (const std::string value : {"0", "0.8", "auto", "0.5,auto", "auto,0,1"}) {
        set_option(options, "parity_at_least", value);
        EXPECT_EQ(value_of("parity_at_least"), value);
    }
    for (const std::string value : {"-1", "automatic", "Auto", "0.5,", ",auto", "1.5"})
        expect_refused(Reason::bad_option, {"parity_at_least", value, "0 to 1 or auto"},
                       [&] { set_option(options, "parity_at_least", value); });
    expect_refused(Reason::bad_option, {"balance_at_least", "auto"},
                   [&] { set_option(options, "balance_at_least", "auto"); });
    for (const std::string value : {"-1", "3", "0,4"}) {
        set_option(options, "named_groups", value);
        EXPECT_EQ(value_of("named_groups"), value);
    }
    set_option(options, "share_at_least", "0.1,0.25");
    EXPECT_EQ(value_of("share_at_least"), "0.1,0.25");
}

TEST(Options, TwoAutomaticWordsAreAccepted) {
    ModelOptions options = default_options("lord");
    const auto tau = [&] {
        for (const OptionText& option : list_options(options))
            if (option.name == "tau") return option.value;
        return std::string();
    };
    EXPECT_EQ(tau(), "tau2");
    for (const std::string value : {"0", "tau1", "0.3", "tau2", "1"}) {
        set_option(options, "tau", value);
        EXPECT_EQ(tau(), value);
    }
    for (const std::string value : {"-1", "-2", "tau", "tau3", "1.5", "tau1,tau2"})
        expect_refused(Reason::bad_option, {"tau", value, "0 to 1 or tau2 or tau1"},
                       [&] { set_option(options, "tau", value); });
}

TEST(Options, IntegersAreSaidToBeNeeded) {
    ModelOptions options = default_options("safairkm");
    for (const auto& [name, range] :
         {std::pair("size_at_most", "0 to 2147483647"), std::pair("seed", "0 to 18446744073709551615"),
          std::pair("named_groups", "-1 to 65535")})
        expect_refused(Reason::bad_option, {name, " = 2.5: ", range}, [&] { set_option(options, name, "2.5"); });
    expect_refused(Reason::bad_option, {"share_delta = 2.5: must be 0 to 1"},
                   [&] { set_option(options, "share_delta", "2.5"); });
}

TEST(Options, UnknownNamesListTheKnownOnes) {
    expect_refused(Reason::unknown_model, {"'kmeans'", "safairkm"}, [] { (void)default_options("kmeans"); });
    expect_refused(Reason::unknown_model, {"''"}, [] { (void)default_options(""); });
    for (const std::string& name : model_names()) {
        ModelOptions options = default_options(name);
        for (const std::string wrong : {"", "Seed", "seed ", "nothing"}) {
            expect_refused(Reason::unknown_option, {"'" + wrong + "'"}, [&] { set_option(options, wrong, "1"); });
            for (const OptionText& option : list_options(options))
                expect_refused(Reason::unknown_option, {option.name}, [&] { set_option(options, wrong, "1"); });
        }
        EXPECT_EQ(options, default_options(name));
    }
}

TEST(Options, OutOfRangeNamesOptionAndRange) {
    for (const std::string& name : model_names())
        for (const OptionText& option : list_options(default_options(name))) {
            if (option.range.starts_with("the name")) continue;  // only a stream knows those
            for (const std::string value : {"", " ", "-1", "1 ", " 1", "+1", "0x1", "1e400", "nan", "inf", "-inf",
                                            "1e99", "99999999999999999999", "true"}) {
                if (value == "-1" && option.range.starts_with("-")) continue;
                ModelOptions options = default_options(name);
                expect_refused(Reason::bad_option, {option.name, value, option.range},
                               [&] { set_option(options, option.name, value); });
                EXPECT_EQ(options, default_options(name));
            }
        }
}

// -- canonical_text

using Change = std::function<void(EngineOptions&)>;

// Every field of an engine's options, changed one at a time.
std::vector<std::pair<std::string, Change>> single_changes() {
    std::vector<std::pair<std::string, Change>> all{
        {"dimensions", [](EngineOptions& o) { o.format.dimensions = 5; }},
        {"targets", [](EngineOptions& o) { o.format.has_targets = true; }},
        {"attribute name", [](EngineOptions& o) { o.format.attributes[0].name = "gender"; }},
        {"attribute order", [](EngineOptions& o) { std::swap(o.format.attributes[0], o.format.attributes[1]); }},
        {"attribute gone", [](EngineOptions& o) { o.format.attributes.pop_back(); }},
        {"attribute more",
         [](EngineOptions& o) {
             o.format.attributes.push_back({"region", {"north"}});
         }},
        {"group name", [](EngineOptions& o) { o.format.attributes[1].groups[2] = "elder"; }},
        {"group order",
         [](EngineOptions& o) { std::swap(o.format.attributes[0].groups[0], o.format.attributes[0].groups[1]); }},
        {"group more", [](EngineOptions& o) { o.format.attributes[0].groups.push_back("x"); }},
        {"capacity", [](EngineOptions& o) { o.window.capacity = 2000; }},
        {"policy", [](EngineOptions& o) { o.window.policy = WindowPolicy::reservoir; }},
        {"window seed", [](EngineOptions& o) { o.window.seed = 2; }},
        {"model name", [](EngineOptions& o) { o.models[0].name = "faire"; }},
        {"model order", [](EngineOptions& o) { std::swap(o.models[0], o.models[1]); }},
        {"model gone", [](EngineOptions& o) { o.models.pop_back(); }},
        {"every", [](EngineOptions& o) { o.models[0].schedule.every = 10; }},
        {"when busy", [](EngineOptions& o) { o.models[0].schedule.when_busy = WhenBusy::skip; }},
    };
    for (const OptionText& option : list_options(default_options("safairkm")))
        for (const std::string& value : other_values(option))
            all.emplace_back(option.name + " = " + value,
                             [=](EngineOptions& o) { set_option(o.models[1].options, option.name, value); });
    return all;
}

EngineOptions usual() {
    return setup({{"fair", default_options("safairkm"), {}}, {"plain", default_options("safairkm"), {}}}, 200);
}

TEST(CanonicalText, DiffersWithEachField) {
    EXPECT_EQ(canonical_text(usual()), canonical_text(usual()));
    std::set<std::string> texts{canonical_text(usual())};
    for (const auto& [what, change] : single_changes()) {
        EngineOptions changed = usual();
        change(changed);
        ASSERT_FALSE(changed == usual()) << what;
        EXPECT_TRUE(texts.insert(canonical_text(changed)).second) << what << " reads like another change";
        EXPECT_EQ(canonical_text(changed), canonical_text(EngineOptions(changed)));
    }
}

TEST(CanonicalText, HasOneLinePerOption) {
    const std::string text = canonical_text(usual());
    EXPECT_EQ(text.back(), '\n');
    std::set<std::string> names;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        const std::string line = text.substr(at, text.find('\n', at) - at);
        ASSERT_NE(line.find(" = "), line.npos) << line;
        EXPECT_TRUE(names.insert(line.substr(0, line.find(" = "))).second) << line;
    }
    EXPECT_GE(names.size(), 2 * list_options(default_options("safairkm")).size());
}

// Names of groups and attributes are arbitrary: no choice of names may read like another.
TEST(CanonicalText, TellsApartWhateverNamesAreChosen) {
    const std::vector<std::vector<Attribute>> formats{
        {{"x", {"a", "b"}}},
        {{"x", {"a, b"}}},
        {{"x", {"a", "b", ""}}},
        {{"x", {"", "a", "b"}}},
        {{"x", {"a", "", "b"}}},
        {{"x", {"a,", "b"}}},
        {{"x", {"\"a\"", "b"}}},
        {{"x", {"\"a", "b\""}}},
        {{"x", {"a\", \"b"}}},
        {{"x", {"a\\", "b"}}},
        {{"x", {"a\\, b"}}},
        {{"x", {"a"}}, {"y", {"b"}}},
        {{"x", {"a\nstream.attribute.y = b"}}},
        {{"x = a\nstream.attribute.y", {"b"}}},
        {{"x", {"= a, b"}}},
        {{"x = ", {"a, b"}}},
        {{"x =", {"a, b"}}},
    };
    std::set<std::string> texts;
    for (const std::vector<Attribute>& attributes : formats) {
        EngineOptions options = usual();
        options.format.attributes = attributes;
        check(options);
        const std::string text = canonical_text(options);
        EXPECT_TRUE(texts.insert(text).second) << text;
    }
}

// Equal numbers have equal texts, including the two zeros.
TEST(CanonicalText, KnowsOneZero) {
    EngineOptions zero = usual();
    set_option(zero.models[0].options, "balance_at_least", "-0");
    ASSERT_EQ(zero, usual());
    EXPECT_EQ(canonical_text(zero), canonical_text(usual()));
}

// -- names that were changed

// The earlier names in a recording or checkpoint.
const std::vector<std::tuple<std::string, std::string, std::string, std::string>>& renamed() {
    static const std::vector<std::tuple<std::string, std::string, std::string, std::string>> all{
        {"safairkm", "swap_with", "target", "global"},
        {"fair_spectral", "edge_weights", "weights", "rbf"},
        {"partial_fair_scorer", "solve_iterations", "outer", "7"},
        {"partial_fair_scorer", "iterations", "refresh", "7"},
        {"partial_fair_scorer", "rank_levels", "levels", "7"}};
    return all;
}

TEST(RenamedOptions, BothNamesAreRead) {
    for (const auto& [model, name, recorded, value] : renamed()) {
        ModelOptions by_new = default_options(model), by_old = by_new;
        set_option(by_new, name, value);
        set_option(by_old, recorded, value);
        EXPECT_EQ(by_new, by_old);
        EXPECT_NE(by_new, default_options(model));
        const std::vector<OptionText> list = list_options(by_new);
        EXPECT_EQ(find_option(list, recorded)->name, name);
        EXPECT_EQ(find_option(list, name)->value, value);
        EXPECT_EQ(std::ranges::count(list, recorded, &OptionText::name), 0);
        expect_refused(Reason::bad_option, {name, "no value"}, [&, &n = recorded, &m = model] {
            ModelOptions options = default_options(m);
            set_option(options, n, "no value");
        });
    }
    EXPECT_EQ(find_option(list_options(default_options("lord")), ""), nullptr);
}

// Checkpoints begin with it.
TEST(RenamedOptions, CanonicalTextUsesOldName) {
    EngineOptions options = usual();
    set_option(options.models[0].options, "swap_with", "global");
    EXPECT_NE(canonical_text(options).find("model.fair.target = global\n"), std::string::npos);
    EXPECT_EQ(canonical_text(options).find("swap_with"), std::string::npos);
}

TEST(RenamedOptions, ChangeWhileTheEngineRunsByBothNames) {
    for (const char* name : {"swap_with", "target"}) {
        Engine engine(usual());
        engine.ingest(KnobChange{"fair", name, "global"});
        EXPECT_EQ(find_option(list_options(engine.current_options("fair")), "swap_with")->value, "global");
    }
}

// -- attributes by name

TEST(AttributeNames, StandForIndicesBothWays) {
    const std::vector<Attribute> attributes{{"sex", {}}, {"a,b", {}}, {"race", {}}, {"0", {}}, {"all", {}}};
    EXPECT_EQ(attribute_indices("race", attributes), "2");
    EXPECT_EQ(attribute_indices("race,sex", attributes), "2,0");
    EXPECT_EQ(attribute_indices("2,sex", attributes), "2,0");
    EXPECT_EQ(attribute_indices("0", attributes), "3") << "a name goes before an index";
    EXPECT_EQ(attribute_indices("1", attributes), "1") << "a number that is no name is an index";
    EXPECT_EQ(attribute_indices("all", attributes), "all");
    EXPECT_EQ(attribute_indices("\"a,b\",race", attributes), "1,2") << "a name with a comma stands in quotes";
    EXPECT_EQ(attribute_names("2,0", attributes), "race,sex");
    EXPECT_EQ(attribute_indices("\"all\"", attributes), "4") << "the name in quotes is no word";
    EXPECT_EQ(attribute_names("1,2,3,4,5,all", attributes), "\"a,b\",race,0,\"all\",5,all");
    for (const char* indices : {"0", "1", "2", "3", "4", "4,3,2,1,0", "all"})
        EXPECT_EQ(attribute_indices(attribute_names(indices, attributes), attributes), indices);
    expect_refused(Reason::bad_option, {"attribute = age", "sex, \"a,b\", race"},
                   [&] { (void)attribute_indices("sex,age", attributes); });
    expect_refused(Reason::bad_option, {"attribute"}, [] { (void)attribute_indices("sex", {}); });
}

TEST(Options, NeedWhatThereIs) {
    for (const std::string& name : model_names()) {
        const std::vector<OptionText> all = list_options(default_options(name));
        for (const OptionText& option : all) {
            std::string needed(option.effect.only_with);
            for (std::size_t at = 0; (at = needed.find(" or ")) != std::string::npos;) needed.replace(at, 4, "&");
            std::istringstream clauses(needed);
            for (std::string clause; std::getline(clauses, clause, '&');) {
                const std::size_t equals = clause.find('=');
                ASSERT_NE(equals, std::string::npos) << clause;
                std::istringstream values(clause.substr(equals + 1));
                for (std::string value; std::getline(values, value, '|');) {
                    ModelOptions options = default_options(name);
                    EXPECT_NO_THROW(set_option(options, clause.substr(0, equals), value)) << name << " " << clause;
                    const std::vector<OptionText> set = list_options(options);
                    const auto found = std::ranges::find(set, clause.substr(0, equals), &OptionText::name);
                    ASSERT_NE(found, set.end()) << name << " " << clause;
                    EXPECT_EQ(found->value, value) << name << " " << clause;
                }
            }
        }
    }
}

TEST(Options, AreIdleWithoutTheValuesThatTheyNeed) {
    const auto idle = [](std::string_view model, const std::vector<std::pair<std::string, std::string>>& given,
                         OptionScope there = OptionScope::steps) {
        ModelOptions options = default_options(model);
        std::vector<std::string> named, lines;
        for (const auto& [name, value] : given) {
            set_option(options, name, value);
            named.push_back(name);
        }
        for (const IdleOption& option : idle_options(options, named, there))
            lines.push_back(option.name + " " + option.why);
        return lines;
    };
    EXPECT_THAT(idle("fair_spectral", {{"landmarks", "50"}}),
                ElementsAre(Names({"landmarks ", "affinity=nystrom", "knn"})));
    EXPECT_THAT(idle("fair_spectral", {{"landmarks", "50"}, {"affinity", "nystrom"}}), IsEmpty());
    EXPECT_THAT(idle("fair_spectral", {{"penalty", "0.1"}, {"shift", "2"}}),
                ElementsAre(Names({"penalty ", "solver=admm", "krylov"}), Names({"shift ", "solver=admm", "krylov"})));
    EXPECT_THAT(idle("fair_spectral", {{"fresh_every", "2"}}), IsEmpty());
    EXPECT_THAT(idle("fair_spectral", {{"affinity", "rbf"}, {"starts", "3"}}, OptionScope::anywhere),
                ElementsAre(Names({"affinity ", "graph"})));
    EXPECT_THAT(idle("lord", {{"fresh_every", "2"}, {"neighbours", "5"}}, OptionScope::points),
                ElementsAre(Names({"fresh_every ", "step"})));
    EXPECT_THAT(idle("esvd_fair", {{"means", "0.1"}, {"ks_at_most", "0.2"}}),
                ElementsAre(Names({"means ", "ks_at_most=1", " 0.2"})));
    EXPECT_THAT(idle("partial_fair_scorer", {{"rank_levels", "20"}, {"metric", "pdp"}, {"seed", "3"}}),
                ElementsAre(Names({"rank_levels ", "metric=psp", "pdp"})));
}

TEST(Options, TargetOptionsAreIdleWithoutTargets) {
    ModelOptions options = default_options("group_metrics");
    set_option(options, "odds_difference_at_most", "0.1");
    set_option(options, "parity_difference_at_most", "0.1");
    EXPECT_TRUE(idle_options(options).empty());
    const std::vector<IdleOption> idle = idle_options(options, false);
    ASSERT_EQ(idle.size(), 1U);
    EXPECT_EQ(idle[0].name, "odds_difference_at_most");
}

TEST(Options, AreNotIdleByDefault) {
    for (const std::string& name : model_names()) EXPECT_TRUE(idle_options(default_options(name)).empty()) << name;
    ModelOptions options = default_options("fair_spectral");
    set_option(options, "bandwidth", "2");
    ASSERT_EQ(idle_options(options).size(), 1U);
    EXPECT_EQ(idle_options(options)[0].name, "bandwidth");
    EXPECT_EQ(idle_options(options)[0].lacks, OptionScope::anywhere);
}

TEST(NearestName, AllowsTwoEditsOrPrefix) {
    const std::vector<std::string> known{"sex", "age", "balance_at_least", "parity_at_least"};
    EXPECT_EQ(nearest_name("Sexe", known), "sex");
    EXPECT_EQ(nearest_name("SEX", known), "sex");
    EXPECT_EQ(nearest_name("ballance_at_leest", known), "balance_at_least");
    EXPECT_EQ(nearest_name("balance", known), "balance_at_least");
    EXPECT_EQ(nearest_name("balan", known), "");
    EXPECT_EQ(nearest_name("sxe", known), "sex");
    EXPECT_EQ(nearest_name("a", known), "");
    EXPECT_EQ(nearest_name("", known), "");
    EXPECT_EQ(nearest_name(std::string(100'000, 'x'), known), "");
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("clusters", "clutsers"), 1U);
    EXPECT_EQ(edit_distance("ab", "ba"), 1U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    ModelOptions options = default_options("safairkm");
    expect_refused(Reason::unknown_option, {"'startz'", "'starts'?", " clusters, "},
                   [&] { set_option(options, "startz", "3"); });
    expect_refused(Reason::unknown_model, {"'safairm'", "'safairkm'?", " safairkm, "},
                   [] { (void)default_options("safairm"); });
}

}  // namespace
}  // namespace fairstream::test
