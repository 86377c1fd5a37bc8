#include "rooms.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

namespace fairstream::test {
namespace {

struct Include {
    std::filesystem::path file;
    std::size_t line;
    std::string from, to;  // rooms
    std::string header;
};

// Returns the longest leading folders of a path below fairstream/ that are a room; without one, the path's own folders.
std::string room_of(const std::filesystem::path& path, const RoomOrder& order) {
    const std::filesystem::path folder = path.parent_path();
    if (folder.empty() || *folder.begin() == "detail") return "engine";
    std::string found;
    std::filesystem::path head;
    for (const auto& part : folder) {
        const std::string any = (head / "*").generic_string();
        head /= part;
        if (order.contains(head.generic_string()) || (order.contains(any) && part != "detail"))
            found = head.generic_string();
    }
    return found.empty() ? folder.generic_string() : found;
}

std::optional<std::size_t> rank(const std::string& room, const RoomOrder& order) {
    if (const auto at = order.find(room); at != order.end()) return at->second;
    const auto at = order.find((std::filesystem::path(room).parent_path() / "*").generic_string());
    return at == order.end() ? std::nullopt : std::optional(at->second);
}

std::vector<Include> includes_of(const std::filesystem::path& root, const RoomOrder& order) {
    static const std::regex line_of_include(R"re(^\s*#\s*include\s*<fairstream/([^>]+)>)re");
    std::vector<std::filesystem::path> files;
    for (const char* library : {"engine", "transports"})
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / library / "fairstream"))
            if (const auto kind = entry.path().extension(); kind == ".hpp" || kind == ".cpp" || kind == ".inc")
                files.push_back(entry.path());
    std::ranges::sort(files);
    std::vector<Include> found;
    for (const std::filesystem::path& file : files) {
        const std::filesystem::path path = file.lexically_relative(root);
        const std::filesystem::path inside = path.lexically_relative(*path.begin() / "fairstream");
        std::ifstream text(file);
        std::size_t number = 0;
        for (std::string line; std::getline(text, line);) {
            ++number;
            if (std::smatch match; std::regex_search(line, match, line_of_include))
                found.push_back({path, number, room_of(inside, order), room_of(match[1].str(), order), match[1]});
        }
    }
    return found;
}

using Neighbours = std::map<std::string, std::set<std::string>>;

// Returns the fewest names that lead from one to another by includes, with both; empty if none do.
std::vector<std::string> way(const Neighbours& included, const std::string& from, const std::string& to) {
    std::vector<std::vector<std::string>> open{{from}};
    std::set<std::string> seen{from};
    for (std::size_t i = 0; i < open.size(); ++i) {
        const std::vector<std::string> path = open[i];
        if (path.back() == to) return path;
        if (const auto next = included.find(path.back()); next != included.end())
            for (const std::string& neighbour : next->second)
                if (seen.insert(neighbour).second) open.emplace_back(path).push_back(neighbour);
    }
    return {};
}

// Returns the names of a shortest cycle of includes, the first also as the last; empty if there is none.
std::vector<std::string> shortest_cycle(const Neighbours& included) {
    std::vector<std::string> shortest;
    for (const auto& [from, neighbours] : included)
        for (const std::string& to : neighbours)
            if (std::vector<std::string> back = way(included, to, from);
                !back.empty() && (shortest.empty() || back.size() < shortest.size() - 1)) {
                shortest = std::move(back);
                shortest.insert(shortest.begin(), from);
            }
    return shortest;
}

std::string top_of(const std::string& room) {
    return room.substr(0, room.find('/'));
}

}  // namespace

RoomOrder room_order(std::string_view readme) {
    constexpr std::string_view begin = "```rooms\n";
    RoomOrder order;
    const std::size_t first = readme.find(begin);
    if (first == readme.npos) return order;
    readme.remove_prefix(first + begin.size());
    std::istringstream text{std::string(readme.substr(0, readme.find("```")))};
    for (std::string room; text >> room;) order.emplace(room, order.size());
    return order;
}

std::vector<std::string> wrong_includes(const std::filesystem::path& root, const RoomOrder& order) {
    const std::vector<Include> includes = includes_of(root, order);
    // Includes of later rooms are wrong by themselves, whatever cycle they close.
    const auto leads_to_other_top = [&](const Include& include) {
        const auto from = rank(include.from, order), to = rank(include.to, order);
        return to && from >= to && top_of(include.from) != top_of(include.to);
    };
    Neighbours included;
    for (const Include& include : includes)
        if (leads_to_other_top(include)) included[top_of(include.from)].insert(top_of(include.to));
    const std::vector<std::string> cycle = shortest_cycle(included);
    std::string cycle_text;
    for (const std::string& name : cycle) cycle_text += (cycle_text.empty() ? "" : " > ") + name;
    const auto is_in_cycle = [&](const Include& include) {
        const std::array arrow{top_of(include.from), top_of(include.to)};
        return leads_to_other_top(include) && std::ranges::search(cycle, arrow).begin() != cycle.end();
    };
    std::vector<std::string> wrong;
    for (const Include& include : includes) {
        const auto from = rank(include.from, order), to = rank(include.to, order);
        std::string why;
        if (!from || !to)
            why = "tests/README.md lists no room '" + (from ? include.to : include.from) + "'";
        else if (*to > *from)
            why = "room " + include.to + " comes after " + include.from;
        else if (include.from != include.to && *to == *from)
            why = "room " + include.to + " stands beside " + include.from;
        else if (is_in_cycle(include))
            why = "is part of the cycle " + cycle_text;
        else if (*include.file.begin() == "transports" && include.header.find("detail/") != std::string::npos &&
                 std::filesystem::exists(root / "engine" / "fairstream" / include.header))
            why = "is private to the engine";
        if (!why.empty())
            wrong.push_back(include.file.generic_string() + ":" + std::to_string(include.line) + ": <fairstream/" +
                            include.header + ">: " + why);
    }
    return wrong;
}

}  // namespace fairstream::test
