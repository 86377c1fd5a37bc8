#pragma once
/// A file of raw values, the configuration of its stream, and the same points as events of that stream.

#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/config/config.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/options.hpp>
#include <support/temporary_directory.hpp>

#include "command.hpp"

namespace fairstream::command {

/// People of two trades in three cities, with gaps in all columns, unknown groups, and weights. Point i has the id 5000
/// - i, and every third is for the test.
struct RawPeople {
    static constexpr std::size_t n = 400;

    RawPeople() {
        std::mt19937_64 random(23);
        const std::vector<std::string> cities = {"Berlin", "Paris", "Rome"}, sexes = {"female", "male", ""};
        std::string text = "id,w,sex,city,good,income,age,test\n";
        for (std::size_t i = 0; i < n; ++i) {
            const bool rich = random() % 3 == 0, has_age = random() % 10 > 0, has_income = random() % 8 > 0;
            const std::size_t city = random() % 9 == 0 ? 3 : random() % 3;
            const std::size_t sex = random() % 12 == 0 ? 2 : random() % 10 < (rich ? 7U : 4U) ? 1 : 0;
            const auto age = static_cast<int>(20 + random() % 40 + (rich ? 15 : 0));
            const auto income = static_cast<int>((rich ? 60'000 : 20'000) + random() % 20'000);
            const double weight = 0.5 * static_cast<double>(1 + random() % 4);
            const bool good = (rich ? 3 : 0) + random() % 4 > 2;
            points.ids.push_back(5000 - i);
            // Rome is no level of the stream, and so gets the number after the last one.
            points.features.insert(points.features.end(), {has_age ? static_cast<float>(age) : missing,
                                                           has_income ? static_cast<float>(income) : missing,
                                                           city == 3 ? missing : static_cast<float>(city)});
            points.groups.push_back(static_cast<GroupId>(sex));
            points.targets.push_back(good ? 1 : 0);
            points.weights.push_back(weight);
            text += std::to_string(5000 - i) + "," + std::to_string(weight) + "," + sexes[sex] + "," +
                    (city == 3 ? "?" : cities[city]) + "," + (good ? "1," : "0,") +
                    (has_income ? std::to_string(income) : "NA") + "," + (has_age ? std::to_string(age) : "") + "," +
                    (i % 3 == 2 ? "1\n" : "0\n");
        }
        file = directory.write("raw.csv", text).string();
    }

    /// Writes a configuration with this scale for numbers, and with one model, which fits ignore.
    [[nodiscard]] std::string config(const std::string& scale, const std::string& stream = "") const {
        return directory
            .write("engine.toml", R"([stream]
columns = ["age", "income", "city"]
weights = true
)" + stream + R"([[stream.attribute]]
name = "sex"
groups = ["female", "male"]
unknown = "not said"
[window]
capacity = 7
[[model]]
kind = "safairkm"
[model.options]
clusters = 5
[prepare]
missing = "mean"
scale = ")" + scale + R"("
clip = [-inf, 1e5]
[[prepare.column]]
name = "income"
log = true
missing = "indicator"
[[prepare.column]]
name = "city"
levels = ["Berlin", "Paris"]
)")
            .string();
    }
    /// Returns an engine of that configuration's stream, which retains all `points` points.
    [[nodiscard]] static EngineOptions engine(const std::string& config, const std::string& kind,
                                              const std::vector<std::pair<std::string, std::string>>& settings,
                                              std::size_t points, bool learns) {
        EngineOptions options = config::load(config).engine;
        options.step_work_limit = no_work_limit;  // as in a fit
        options.format.has_targets = learns;
        options.window = {.capacity = static_cast<Slot>(points)};
        options.models = {{kind, default_options(kind), {}}};
        for (const auto& [name, value] : settings) set_option(options.models[0].options, name, value);
        return options;
    }

    static constexpr float missing = std::numeric_limits<float>::quiet_NaN();
    test::TemporaryDirectory directory;
    std::string file;
    PointColumns points;
};

}  // namespace fairstream::command
