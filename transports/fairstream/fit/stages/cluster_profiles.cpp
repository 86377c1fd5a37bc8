#include <fairstream/fit/stages/cluster_profiles.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/files/cells/csv_cell.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>

namespace fairstream::fit {
namespace {

using nlohmann::ordered_json;
using Kind = FeatureProfiles::Kind;
using Statistic = Distinction::Statistic;

/// Returns a share of a whole; NaN, which is null in JSON, if the whole is 0.
double share_of(double part, double whole) {
    return whole > 0 ? std::min(1.0, part / whole) : std::nan("");
}

std::string name_of(const FeatureProfiles& features, const Distinction& one) {
    const std::string& name = features.name(one.feature);
    return one.statistic == Statistic::mean      ? name
           : one.statistic == Statistic::missing ? name + " missing"
                                                 : name + "=" + features.levels(one.feature).at(one.level);
}

/// Returns a name for a table, cut if it is long.
std::string short_name(const std::string& name) {
    constexpr std::size_t longest = 30;
    std::string text = printable(name);
    if (width(text) <= longest) return text;
    while (width(text) >= longest) text.pop_back();  // the last byte removed begins a character
    return text + "…";
}

/// Returns "age 61 (38)" or "job=clerk 31 % (4 %)", with `name` in place of "age" or "job=clerk".
std::string text_of(const FeatureProfiles& features, const Distinction& one, const std::string& name) {
    const auto value = [&](double figure) {
        return one.statistic == Statistic::mean ? features.mean_text(one.feature, figure)
                                                : fixed(100 * figure, 0) + " %";
    };
    return name + " " + value(one.in_cluster) + " (" + value(one.overall) + ")";
}

ordered_json distinction_json(const FeatureProfiles& features, const Distinction& one) {
    const bool is_date = one.statistic == Statistic::mean && features.kind(one.feature) == Kind::date;
    const auto value = [&](double figure) {
        return is_date ? ordered_json(features.date_text(one.feature, figure)) : ordered_json(figure);
    };
    ordered_json json = {{"column", features.name(one.feature)}};
    if (one.statistic == Statistic::level) json["level"] = features.levels(one.feature).at(one.level);
    json["statistic"] = one.statistic == Statistic::mean    ? "mean"
                        : one.statistic == Statistic::level ? "share"
                                                            : "missing";
    json["here"] = value(one.in_cluster);
    json["of_all"] = value(one.overall);
    json["difference"] = one.difference;
    return json;
}

void add_features(const FeatureProfiles& features, std::size_t cluster, ordered_json& json) {
    ordered_json means = ordered_json::object(), dates = means, levels = means, missing = means;
    for (std::size_t i = 0; i < features.features(); ++i) {
        const std::string& name = features.name(i);
        const double mean = features.mean(cluster, i);
        if (features.kind(i) == Kind::number) means[name] = mean;
        if (features.kind(i) == Kind::date)
            dates[name] = std::isnan(mean) ? ordered_json() : ordered_json(features.date_text(i, mean));
        if (features.kind(i) == Kind::category) {
            const std::vector<std::string> names = features.levels(i);
            for (std::size_t level = 0; level < names.size(); ++level)
                levels[name][names[level]] = features.share(cluster, i, level);
        }
        if (features.has_missing(i)) missing[name] = features.missing_share(cluster, i);
    }
    for (auto& [key, values] : {std::pair("feature_means", &means),
                                {"feature_dates", &dates},
                                {"level_shares", &levels},
                                {"missing_shares", &missing}})
        if (!values->empty()) json[key] = std::move(*values);
}

/// Adds the shares of groups, from the weights of the points by group.
void add_group_shares(const Attribute& attribute, std::span<const double> weights, ordered_json& json) {
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t group = 0; group < weights.size(); ++group)
        json["shares_by_group"][attribute.name][attribute.groups[group]] = share_of(weights[group], all);
}

ordered_json profile_json(const Profiled& profiled, ClusterId cluster) {
    const FairnessTally& tally = profiled.tally;
    ordered_json json = {{"cluster", cluster}, {"points", tally.size(cluster)}};
    if (tally.is_weighted()) json["weight"] = tally.weight(cluster);
    json["share"] = tally.total() == 0 ? 0 : share_of(tally.weight(cluster), tally.total_weight());
    for (std::size_t a = 0; a < profiled.attributes.size(); ++a)
        json["balances"][profiled.attributes[a].name] = balance(tally, static_cast<int>(a), cluster);
    for (std::size_t a = 0; a < profiled.attributes.size(); ++a)
        add_group_shares(profiled.attributes[a], tally.weights(cluster, static_cast<int>(a)), json);
    if (!profiled.features) return json;
    const auto index = static_cast<std::size_t>(cluster);
    add_features(*profiled.features, index, json);
    json["apart"] = ordered_json::array();
    for (const Distinction& one : profiled.features->distinctions(index))
        json["apart"].push_back(distinction_json(*profiled.features, one));
    return json;
}

ordered_json overall_profile_json(const Profiled& profiled) {
    const FairnessTally& tally = profiled.tally;
    ordered_json json = {{"points", tally.total()}};
    if (tally.is_weighted()) json["weight"] = tally.total_weight();
    for (std::size_t a = 0; a < profiled.attributes.size(); ++a) {
        std::vector<double> weights(profiled.attributes[a].groups.size());
        for (ClusterId cluster = 0; cluster < tally.clusters(); ++cluster)
            for (std::size_t group = 0; group < weights.size(); ++group)
                weights[group] += tally.weights(cluster, static_cast<int>(a))[group];
        add_group_shares(profiled.attributes[a], weights, json);
    }
    if (!profiled.features) return json;
    const FeatureProfiles& features = *profiled.features;
    add_features(features, features.clusters(), json);
    for (std::size_t i = 0; i < features.features(); ++i)
        if (features.kind(i) == Kind::number) json["feature_deviations"][features.name(i)] = features.deviation(i);
    return json;
}

/// Adds the names and cells of an object's values to a row.
void flatten(const ordered_json& object, const std::string& path, std::vector<std::string>& names,
             std::vector<std::string>& cells) {
    for (const auto& [key, value] : object.items()) {
        const std::string name = path.empty() ? key : path + "." + key;
        if (value.is_object()) {
            flatten(value, name, names, cells);
            continue;
        }
        const bool is_known = !value.is_null() && !(value.is_number_float() && std::isnan(value.get<double>()));
        names.push_back(name);
        cells.push_back(!is_known                 ? ""
                        : value.is_string()       ? value.get<std::string>()
                        : value.is_number_float() ? number_text(value.get<double>())
                                                  : number_text(value.get<std::int64_t>()));
    }
}

std::string csv_line(const std::vector<std::string>& cells) {
    std::string line;
    for (const std::string& cell : cells) line += (&cell == cells.data() ? "" : ",") + files::csv_cell(cell);
    return line + "\n";
}

}  // namespace

void add_profiles(const Profiled& profiled, ordered_json& json) {
    json["profiles"] = ordered_json::array();
    for (ClusterId cluster = 0; cluster < profiled.tally.clusters(); ++cluster)
        json["profiles"].push_back(profile_json(profiled, cluster));
    json["profile_of_all"] = overall_profile_json(profiled);
}

std::string profiles_csv(const Profiled& profiled) {
    std::string text;
    for (ClusterId cluster = 0; cluster < profiled.tally.clusters(); ++cluster) {
        ordered_json profile = profile_json(profiled, cluster);
        if (profiled.features) {
            std::string apart;
            for (const Distinction& one : profiled.features->distinctions(static_cast<std::size_t>(cluster)))
                apart +=
                    (apart.empty() ? "" : "; ") + text_of(*profiled.features, one, name_of(*profiled.features, one));
            profile["apart"] = std::move(apart);
        }
        std::vector<std::string> names, cells;
        flatten(profile, "", names, cells);
        if (cluster == 0) text = csv_line(names);
        text += csv_line(cells);
    }
    return text;
}

std::vector<ClusterId> shown_clusters(const FairnessTally& tally) {
    constexpr std::size_t most = 30, largest = 20;
    std::vector<ClusterId> clusters(static_cast<std::size_t>(tally.clusters()));
    std::iota(clusters.begin(), clusters.end(), ClusterId{0});
    if (clusters.size() <= most) return clusters;
    std::ranges::stable_sort(clusters, std::ranges::greater(),
                             [&](ClusterId cluster) { return tally.weight(cluster); });
    clusters.resize(largest);
    std::ranges::sort(clusters);
    return clusters;
}

std::string more_clusters_line(const FairnessTally& tally) {
    const auto all = static_cast<std::int64_t>(tally.clusters()),
               shown = static_cast<std::int64_t>(shown_clusters(tally).size());
    if (shown == all) return "";
    return "  the " + counted(shown) + " largest of " + counted(all) +
           " clusters: --clusters-csv OUT.csv and --report list all\n";
}

std::string distinctions_table(const Profiled& profiled) {
    if (!profiled.features || profiled.tally.clusters() < 2) return "";
    std::vector<std::vector<std::string>> rows;
    for (const ClusterId cluster : shown_clusters(profiled.tally)) {
        std::vector<std::string>& row = rows.emplace_back();
        row.push_back(std::to_string(cluster));
        for (const Distinction& one : profiled.features->distinctions(static_cast<std::size_t>(cluster)))
            row.push_back(text_of(*profiled.features, one, short_name(name_of(*profiled.features, one))));
        if (row.size() == 1) row.push_back(profiled.tally.size(cluster) == 0 ? "no points" : "similar to all points");
    }
    return "\n  what sets each cluster apart: its mean or share, and in brackets the value of all points\n" +
           table(rows, "rlll");
}

}  // namespace fairstream::fit
