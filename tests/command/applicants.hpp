#pragma once
/// Points for fits of models of scores, and readers of the files that such fits write.

#include <array>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <fairstream/fairness/score_intervals.hpp>

#include "command.hpp"

namespace fairstream::command {

/// Applicants of two groups, one with higher features, whose class follows a noisy line. Point i has the id 5000 - i;
/// `two` and `three` give its part.
struct Applicants {
    static constexpr std::size_t n = 800;

    /// The features of rows that are not for training are multiplied by `held_out_scale`.
    explicit Applicants(double held_out_scale = 1) {
        std::mt19937_64 random(17);
        const auto unit = [&] { return static_cast<double>(random() % 2000) / 1000 - 1; };
        std::string text = "id,x,y,sex,good,two,three\n";
        for (std::size_t i = 0; i < n; ++i) {
            const bool male = random() % 5 < 3;
            const double x = unit() + (male ? 0.5 : 0), y = unit();
            const bool good = x + y / 2 + 0.4 * unit() > 0.4;
            const std::size_t part = random() % 5, three = part < 3 ? 0 : part - 2, two = three == 2 ? 1 : 0;
            const double scale = three == 0 ? 1 : held_out_scale;
            males.push_back(male), goods.push_back(good), parts.push_back(three);
            text += std::to_string(5000 - i) + "," + std::to_string(scale * x) + "," + std::to_string(scale * y) +
                    (male ? ",male," : ",female,") + std::to_string(good) + "," + std::to_string(two) + "," +
                    std::to_string(three) + "\n";
        }
        file = directory.write("applicants.csv", text);
    }

    [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }
    [[nodiscard]] std::vector<std::string> fit(const std::vector<std::string>& more) const {
        std::vector<std::string> arguments{"fit",        "partial_fair_scorer",
                                           "--input",    file.string(),
                                           "--features", "x,y",
                                           "--group",    "sex",
                                           "--target",   "good",
                                           "--set",      "interval=0.1,0.4",
                                           "--id",       "id"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    test::TemporaryDirectory directory;
    std::filesystem::path file;
    std::vector<bool> males, goods;
    std::vector<std::size_t> parts;  ///< from `three`
};

inline const std::array<std::string, 3> part_names{"train", "validation", "test"};

/// Returns the JSON of a fit of scores, which may miss kappa, as the points are few. Fails the test for any other
/// complaint.
inline json json_of_scores(std::vector<std::string> arguments) {
    const test::Finished finished = fairstream(std::move(arguments));
    if (finished.exit_code == 3) {
        EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
        EXPECT_THAT(finished.err, ::testing::StartsWith("fairstream fit: kappa = "));
    } else {
        EXPECT_EQ(finished.exit_code, 0) << finished.err;
        EXPECT_EQ(finished.err, "");
    }
    return json::parse(finished.out, nullptr, false);
}

/// Returns the scores by point from rows "id,part,score", one map for each part.
inline std::array<std::map<std::size_t, double>, 3> scores_in(const std::string& path) {
    std::istringstream text(test::file_bytes(path));
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, "id,part,score");
    std::array<std::map<std::size_t, double>, 3> scores;
    std::size_t last = 0;
    while (std::getline(text, line)) {
        const std::size_t comma = line.find(','), second = line.rfind(','), id = std::stoul(line);
        const auto part = std::ranges::find(part_names, line.substr(comma + 1, second - comma - 1));
        EXPECT_GT(id, last) << "ids rise";
        last = id;
        scores.at(static_cast<std::size_t>(part - part_names.begin()))[5000 - id] = std::stod(line.substr(second + 1));
    }
    return scores;
}

}  // namespace fairstream::command
