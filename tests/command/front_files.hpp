#pragma once
/// Points for `fairstream front`, and readers of its output files.

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"

namespace fairstream::command {

/// Three blobs with unevenly distributed groups. Point i has the id 1000 - i.
struct People {
    static constexpr std::size_t n = 240;

    explicit People(const std::string& name = "people.csv", const std::string& column = "sex") {
        std::mt19937_64 random(11);
        std::string text = "id,x,y,\"" + column + "\",age\n";
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t blob = random() % 3;
            const std::string x = std::to_string(4 * blob) + "." + std::to_string(1000 + random() % 9000),
                              y = (blob == 1 ? "5." : "0.") + std::to_string(1000 + random() % 9000);
            const std::size_t male = random() % 10 < (blob == 0 ? 8U : 4U) ? 1 : 0, age = random() % 3;
            points.push_back({std::stof(x), std::stof(y)});
            groups.push_back({male, age});
            text += std::to_string(1000 - i) + "," + x + "," + y + (male == 1 ? ",male," : ",female,") +
                    std::to_string(age) + "\n";
        }
        file = directory.write(name, text);
    }

    [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }
    /// Returns the arguments of a short search with these options; other options have values for tests.
    [[nodiscard]] std::vector<std::string> front(const std::vector<std::string>& options) const {
        std::vector<std::string> arguments{"front", "--input", file.string(), "--features", "x,y"};
        for (const auto& [name, value] : {std::pair("--group", "sex"), std::pair("--clusters", "3"),
                                          std::pair("--starts", "3"), std::pair("--stages", "12")})
            if (std::ranges::find(options, name) == options.end()) arguments.insert(arguments.end(), {name, value});
        arguments.insert(arguments.end(), options.begin(), options.end());
        return arguments;
    }

    test::TemporaryDirectory directory;
    std::filesystem::path file;
    std::vector<std::array<float, 2>> points;
    std::vector<std::array<std::size_t, 2>> groups;
};

/// Returns the rows under a heading, as cells.
inline std::vector<std::vector<std::string>> rows_of(const std::string& path, const std::string& heading) {
    std::istringstream text(test::file_bytes(path));
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, heading);
    std::vector<std::vector<std::string>> rows;
    while (std::getline(text, line)) {
        std::istringstream cells(line);
        rows.emplace_back();
        for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
}

/// Returns the texts of an XML document without its tags. Fails the test if tags do not match or a character is not
/// escaped.
inline std::vector<std::string> xml_texts(std::string_view document) {
    std::vector<std::string> texts, open;
    while (!document.empty()) {
        const std::size_t tag = document.find('<');
        const std::string text(document.substr(0, tag));
        if (text.find_first_not_of(" \n") != text.npos && open.back() != "style") texts.push_back(text);
        for (std::size_t at = text.find('&'); at != text.npos; at = text.find('&', at + 1))
            EXPECT_THAT(text.substr(at), ::testing::ContainsRegex("^&(lt|gt|amp|quot);"));
        if (tag == document.npos) break;
        const std::size_t end = document.find('>', tag);
        if (end == document.npos) return ADD_FAILURE() << "a tag does not end", texts;
        const std::string inside(document.substr(tag + 1, end - tag - 1));
        const std::string name = inside.substr(0, inside.find_first_of(" /", 1));
        if (inside[0] == '/') {
            if (open.empty() || "/" + open.back() != inside) return ADD_FAILURE() << inside, texts;
            open.pop_back();
        } else if (inside.back() != '/') {
            open.push_back(name);
        }
        document.remove_prefix(end + 1);
    }
    EXPECT_THAT(open, ::testing::IsEmpty());
    return texts;
}

inline std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace fairstream::command
