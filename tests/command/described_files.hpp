#pragma once
/// Files in the forms that people have, and readers of the errors about them.

#include <sstream>
#include <string>
#include <vector>

#include "recordings.hpp"

namespace fairstream::command {

/// Splits the words of a command line, in which single quotes keep words whole.
inline std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    bool in_word = false, quoted = false;
    for (const char c : line) {
        if (c == '\'') {
            quoted = !quoted;
            if (!in_word) words.emplace_back();
            in_word = true;
        } else if (c == ' ' && !quoted) {
            in_word = false;
        } else {
            if (!in_word) words.emplace_back();
            in_word = true;
            words.back() += c;
        }
    }
    return words;
}

/// Returns the options that an error says to add.
inline std::vector<std::string> options_told(const std::string& error) {
    const std::string add = ": add ";
    const std::size_t first = error.find(add) + add.size();
    const std::size_t last = error.find_first_of(";\n", first);
    return words_of(error.substr(first, last - first));
}

/// Sixty people in typical files.
class Described : public ::testing::Test {
protected:
    struct Row {
        std::string id, age, work, city, size, employed, joined, hours, sex, income;
    };
    static constexpr const char* names = "id,age,work,city,size,employed,joined,hours,sex,income";

    Described() {
        for (int i = 0; i < 60; ++i) {
            const auto two_digits = [](int value) { return (value < 10 ? "0" : "") + std::to_string(value); };
            rows.push_back(
                {"6f" + std::to_string(i * 7919) + "-ab", i % 9 == 0 ? "" : std::to_string(20 + i % 40),
                 i % 11 == 0 ? "?" : std::vector<std::string>{"clerk", "nurse", "smith, iron"}[i % 3],
                 "city " + std::to_string(i % 55), std::vector<std::string>{"small", "medium", "large"}[i / 3 % 3],
                 i % 4 == 0 ? "no" : "yes", "2026-" + two_digits(1 + i % 12) + "-" + two_digits(1 + i % 28),
                 std::to_string(30 + i % 17) + ".5", i % 5 < 3 ? "male" : "female", i % 3 == 0 ? ">50K" : "<=50K"});
        }
    }
    static std::vector<std::string> cells(const Row& r) {
        return {r.id, r.age, r.work, r.city, r.size, r.employed, r.joined, r.hours, r.sex, r.income};
    }
    /// Writes the columns with these numbers.
    std::string write(const std::string& name, const std::vector<std::size_t>& columns, char separator = ',') {
        std::vector<std::string> heading;
        std::istringstream stream(names);
        for (std::string each; std::getline(stream, each, ',');) heading.push_back(each);
        std::string text;
        const auto line = [&](const std::vector<std::string>& all) {
            for (const std::size_t column : columns) {
                const std::string& cell = all[column];
                const bool quote = cell.find(separator) != std::string::npos;
                text +=
                    (column == columns.front() ? "" : std::string(1, separator)) + (quote ? "\"" + cell + "\"" : cell);
            }
            text += "\n";
        };
        line(heading);
        for (const Row& row : rows) line(cells(row));
        return directory.write(name, text).string();
    }
    /// Writes eleven files: numbers, gaps, text, ids, words, dates in three orders, JSON lines, and an odd cell.
    std::vector<std::string> write_all() {
        const std::string jsonl = [&] {
            std::string text;
            for (const Row& row : rows) {
                json line{
                    {"hours", std::stod(row.hours)}, {"sex", row.sex}, {"joined", row.joined}, {"employed", true}};
                line["age"] = row.age.empty() ? json() : json(std::stoi(row.age));
                text += line.dump() + "\n";
            }
            return directory.write("people.jsonl", text).string();
        }();
        std::vector<std::string> files{write("numbers.csv", {7, 8}),
                                       write("gaps.csv", {1, 7, 8}),
                                       write("text.csv", {2, 4, 7, 8}),
                                       write("uuids.csv", {0, 7, 8}),
                                       write("words.tsv", {5, 7, 8}, '\t'),
                                       write("pipes.txt", {2, 7, 8}, '|'),
                                       write("semicolons.csv", {2, 6, 8}, ';'),
                                       jsonl};
        for (Row& row : rows) row.joined = row.joined.substr(8, 2) + "." + row.joined.substr(5, 2) + ".2026";
        files.push_back(write("german.csv", {6, 7, 8}, ';'));
        for (Row& row : rows) row.joined = row.joined.substr(3, 2) + "/" + row.joined.substr(0, 2) + "/2026";
        files.push_back(write("american.csv", {6, 7, 8}));
        rows[7].hours = "many";
        files.push_back(write("odd.csv", {7, 8}));
        return files;
    }
    [[nodiscard]] static std::vector<std::string> fit(const std::string& file, std::vector<std::string> more = {}) {
        std::vector<std::string> arguments{"fit",        "safairkm", "--input", file,    "--group",          "sex",
                                           "--clusters", "2",        "--json",  "--set", "parity_at_least=0"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    /// Expects the file to be read directly, or with the options that the error names; returns the report.
    static json read_in_two_commands_at_most(const std::string& file, std::vector<std::string> more = {}) {
        const test::Finished first = fairstream(fit(file, more));
        if (first.exit_code == 0) return json::parse(first.out);
        EXPECT_EQ(first.exit_code, 2) << first.err;
        EXPECT_EQ(std::count(first.err.begin(), first.err.end(), '\n'), 1) << first.err;
        for (const std::string& word : options_told(first.err)) more.push_back(word);
        const test::Finished second = fairstream(fit(file, more));
        EXPECT_EQ(second.exit_code, 0) << first.err << second.err;
        return json::parse(second.out, nullptr, false);
    }

    test::TemporaryDirectory directory;
    std::vector<Row> rows;
};

}  // namespace fairstream::command
