#include <fairstream/command/live/points_csv.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include <fairstream/csv/times.hpp>

namespace fairstream::command {
namespace {

template <class Number> std::string shortest_text(Number value) {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// Returns a float32 in the shortest form that reads back equal by way of a double, as files are read: rounding twice
/// can miss the number that its own shortest form names.
std::string exact_text(float value) {
    std::string text = shortest_text(value);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    return static_cast<float>(read) == value ? text : shortest_text(static_cast<double>(value));
}

/// Returns the names as CSV lists them on the command line: in single quotes where the shell needs them.
std::string shell_list(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,-+/:";
    if (list.find_first_not_of(plain) == std::string::npos) return list;
    std::string quoted = "'";
    for (const char c : list) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace

std::string csv_cell(std::string_view text) {
    const bool blank_end = !text.empty() && (text.front() == ' ' || text.back() == ' ');
    if (text.find_first_of(",\"\r\n") == std::string_view::npos && !blank_end) return std::string(text);
    std::string cell = "\"";
    for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
    return cell + "\"";
}

PointsCsv::PointsCsv(const StreamFormat& format) : format_(format) {
    std::set<std::string> taken;
    const auto unique = [&](std::string name) {
        while (!taken.insert(name).second) name += "_";
        return name;
    };
    // Names of the stream come first, so that the file's are the stream's wherever they can be.
    for (const Attribute& attribute : format_.attributes) names_.attributes.push_back(unique(attribute.name));
    for (std::size_t i = 0; i < format_.dimensions; ++i) {
        const bool named = !format_.columns.empty() && !format_.columns[i].name.empty();
        names_.features.push_back(unique(named ? format_.columns[i].name : "x" + std::to_string(i)));
    }
    names_.sequence = unique("sequence");
    names_.time = unique("time");
    names_.id = unique("id");
    if (format_.has_targets) names_.target = unique("target");
    if (format_.has_weights) names_.weight = unique("weight");
}

std::string PointsCsv::heading() const {
    std::string line = names_.sequence + "," + names_.time + "," + names_.id;
    for (const auto* names : {&names_.features, &names_.attributes})
        for (const std::string& name : *names) line += "," + csv_cell(name);
    for (const std::string& name : {names_.target, names_.weight})
        if (!name.empty()) line += "," + name;
    return line + "\n";
}

void PointsCsv::add_feature(std::size_t column, float value, std::string& out) const {
    if (std::isnan(value)) return;
    const bool is_category = !format_.columns.empty() && !format_.columns[column].levels.empty();
    if (!is_category) {
        out += exact_text(value);
        return;
    }
    const std::vector<std::string>& levels = format_.columns[column].levels;
    if (value < static_cast<float>(levels.size())) {
        out += csv_cell(levels[static_cast<std::size_t>(value)]);
        return;
    }
    std::string other = exact_text(value);
    while (std::ranges::count(levels, other) > 0) other += "_";
    out += other;
}

void PointsCsv::add(Sequence sequence, const PointBatch& batch, std::string& out) const {
    const std::string event = std::to_string(sequence) + "," + csv::time_text(batch.event_time) + ",";
    const std::size_t d = format_.dimensions, a = format_.attributes.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
        out += event + std::to_string(batch.ids[i]);
        for (std::size_t j = 0; j < d; ++j) {
            out += ',';
            add_feature(j, batch.features[i * d + j], out);
        }
        for (std::size_t j = 0; j < a; ++j)
            out += "," + csv_cell(format_.attributes[j].groups[batch.groups[i * a + j]]);
        if (format_.has_targets) out += "," + exact_text(batch.targets[i]);
        if (format_.has_weights) out += "," + (batch.weights.empty() ? "1" : shortest_text(batch.weights[i]));
        out += '\n';
    }
}

std::string PointsCsv::send_options() const {
    std::string options =
        " --id " + names_.id + " --time " + names_.time + " --features " + shell_list(names_.features);
    if (!names_.attributes.empty()) options += " --group " + shell_list(names_.attributes);
    if (!names_.target.empty()) options += " --target " + names_.target;
    if (!names_.weight.empty()) options += " --weight " + names_.weight;
    return options;
}

}  // namespace fairstream::command
