#include <fairstream/plots/front_file.hpp>

#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>

#include <nlohmann/json.hpp>

#include <fairstream/base/types.hpp>

namespace fairstream::plots {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
    throw InvalidInput(Reason::malformed, "--overlay " + file.string() + ": " + why);
}

struct ReadFront {
    std::vector<TradeOff> points;
    std::optional<std::int64_t> clusters;  ///< nothing: the file does not say
};

ReadFront read_points(const std::filesystem::path& file, const std::string& measure, const std::string& cost) {
    if (std::filesystem::is_directory(file)) refuse(file, "is a directory");
    std::ifstream stream(file);
    if (!stream) refuse(file, std::generic_category().message(errno));
    ReadFront front;
    try {
        const nlohmann::json json = nlohmann::json::parse(stream);
        if (const std::string theirs = json.value("measure", "balance"); theirs != measure)
            refuse(file, "is a front of " + theirs + ", this one is of " + measure);
        if (json.contains("hypervolume") && !json.contains("reference_" + cost))
            refuse(file, "is a front of another cost, this one is of " + cost);
        for (const nlohmann::json& point : json.at("front"))
            front.points.push_back({point.at(cost).get<double>(), point.at(measure).get<double>()});
        if (const auto k = json.find("clusters"); k != json.end() && k->is_number_integer())
            front.clusters = k->get<std::int64_t>();
    } catch (const nlohmann::json::exception& error) {
        refuse(file, std::string("is no front written by --report (") + error.what() + ")");
    }
    return front;
}

std::string text(const TradeOff& point) {
    return "(" + nlohmann::json(point.cost).dump() + ", " + nlohmann::json(point.balance).dump() + ")";
}

NamedFront read_front(const std::string& name, const std::filesystem::path& file, const std::string& measure,
                      const std::string& cost) {
    const auto [points, clusters] = read_points(file, measure, cost);
    if (points.empty()) refuse(file, "has no points");
    for (const TradeOff& point : points)
        if (!(point.cost >= 0 && point.balance >= 0 && point.balance <= 1))
            refuse(file, text(point) + ": " + cost + " must be at least 0, and " + measure + " in [0, 1]");
    NamedFront front{clusters ? front_name(name, *clusters) : name, {}};
    for (const std::size_t i : nondominated(points)) front.points.push_back(points[i]);
    if (front.points.size() != points.size()) refuse(file, "some of its points dominate others");
    return front;
}

}  // namespace

std::filesystem::path overlay_file(const std::string& overlay) {
    const std::size_t equals = overlay.find('=');
    return equals == std::string::npos ? overlay : overlay.substr(equals + 1);
}

std::vector<NamedFront> read_overlays(const std::vector<std::string>& overlays, const std::string& measure,
                                      const std::string& cost) {
    std::vector<NamedFront> fronts;
    for (const std::string& overlay : overlays) {
        const std::filesystem::path file = overlay_file(overlay);
        const std::size_t equals = overlay.find('=');
        fronts.push_back(read_front(equals == std::string::npos ? file.filename().string() : overlay.substr(0, equals),
                                    file, measure, cost));
    }
    return fronts;
}

}  // namespace fairstream::plots
