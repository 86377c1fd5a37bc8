#include <fairstream/command/front_file.hpp>

#include <cerrno>
#include <fstream>
#include <system_error>

#include <nlohmann/json.hpp>

#include <fairstream/types.hpp>

namespace fairstream::command {
namespace {

NamedFront read_front(const std::string& name, const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream) throw std::system_error(errno, std::generic_category(), file.string());
    NamedFront front{name, {}};
    try {
        const nlohmann::json json = nlohmann::json::parse(stream);
        for (const nlohmann::json& point : json.at("points"))
            front.points.push_back({point.at("cost").get<double>(), point.at("balance").get<double>()});
    } catch (const nlohmann::json::exception& error) {
        throw InvalidInput(Reason::malformed,
                           "--overlay " + file.string() + ": is no front written by --output (" + error.what() + ")");
    }
    if (front.points.empty()) throw InvalidInput(Reason::malformed, "--overlay " + file.string() + ": has no points");
    if (nondominated(front.points).size() != front.points.size())
        throw InvalidInput(Reason::malformed, "--overlay " + file.string() + ": some of its points dominate others");
    return front;
}

}  // namespace

std::filesystem::path overlay_file(const std::string& overlay) {
    const std::size_t equals = overlay.find('=');
    return equals == std::string::npos ? overlay : overlay.substr(equals + 1);
}

std::vector<NamedFront> read_overlays(const std::vector<std::string>& overlays) {
    std::vector<NamedFront> fronts;
    for (const std::string& overlay : overlays) {
        const std::filesystem::path file = overlay_file(overlay);
        const std::size_t equals = overlay.find('=');
        fronts.push_back(
            read_front(equals == std::string::npos ? file.stem().string() : overlay.substr(0, equals), file));
    }
    return fronts;
}

}  // namespace fairstream::command
