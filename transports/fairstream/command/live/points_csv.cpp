#include <fairstream/command/live/points_csv.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include <fairstream/files/cells/csv_cell.hpp>
#include <fairstream/files/cells/dates.hpp>
#include <fairstream/files/cells/times.hpp>
#include <fairstream/files/points/points.hpp>
#include <fairstream/input/by_column.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::command {
namespace {

template <class Number> std::string shortest_text(Number value) {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// Returns the shortest text that gives this float32 when read as a double and rounded, which is how files are read.
/// The shortest text of the float32 itself is not always enough: rounding twice can lead to another float32.
std::string exact_text(float value) {
    std::string text = shortest_text(value);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    return static_cast<float>(read) == value ? text : shortest_text(static_cast<double>(value));
}

/// Returns the coarsest date that reads back as this float32: to a day, a minute, or else a microsecond.
std::string date_text(float value, DateUnit unit) {
    constexpr std::int64_t minute = 60'000'000, day = 1440 * minute;
    const std::int64_t time = files::from_date_unit(value, unit);
    for (const std::int64_t step : {day, minute}) {
        const std::int64_t off = (time % step + step) % step;
        const std::int64_t near = off < step / 2 ? time - off : time + (step - off);
        if (static_cast<float>(files::in_date_unit(near, unit)) == value) return files::time_text(near);
    }
    return files::time_text(time);
}

/// Returns for each bucket of a hashed column a text that hashes into the bucket. This text stands for the original
/// texts, which are no longer known.
std::vector<std::string> texts_of_buckets(std::uint32_t buckets) {
    std::vector<std::string> texts(buckets);
    std::uint32_t found = 0;
    for (std::uint64_t i = 0; found < buckets; ++i) {
        std::string text = "text" + std::to_string(i);
        std::string& of_bucket = texts[files::bucket_of(text, buckets)];
        if (!of_bucket.empty()) continue;
        of_bucket = std::move(text);
        ++found;
    }
    return texts;
}

}  // namespace

std::string outcome_text(float outcome) {
    const bool is_usual = outcome == 0 || outcome == 1 || outcome == -1;
    return is_usual ? shortest_text(outcome) : outcome > 0 ? "1" : "0";
}

PointsCsv::PointsCsv(const StreamFormat& format, files::DecimalMark mark) : format_(format), mark_(mark) {
    std::set<std::string> taken;
    const auto unique = [&](std::string name) {
        while (!taken.insert(name).second) name += "_";
        return name;
    };
    // Names of the stream are taken first, so that the file's columns keep them wherever possible.
    for (const Attribute& attribute : format_.attributes) names_.attributes.push_back(unique(attribute.name));
    for (std::size_t i = 0; i < format_.dimensions; ++i) {
        const bool named = !format_.columns.empty() && !format_.columns[i].name.empty();
        names_.features.push_back(unique(named ? format_.columns[i].name : "x" + std::to_string(i)));
    }
    for (const FeatureColumn& column : format_.columns) texts_.push_back(texts_of_buckets(column.buckets));
    names_.sequence = unique("sequence");
    names_.time = unique("time");
    names_.id = unique("id");
    if (format_.has_targets) names_.target = unique("target");
    if (format_.has_weights) names_.weight = unique("weight");
}

std::string PointsCsv::heading() const {
    std::string line = names_.sequence + "," + names_.time + "," + names_.id;
    for (const auto* names : {&names_.features, &names_.attributes})
        for (const std::string& name : *names) line += "," + files::csv_cell(name);
    for (const std::string& name : {names_.target, names_.weight})
        if (!name.empty()) line += "," + name;
    return line + "\n";
}

void PointsCsv::add_feature(std::size_t column, float value, std::string& out) const {
    if (std::isnan(value)) return;
    const FeatureColumn about = format_.columns.empty() ? FeatureColumn{} : format_.columns[column];
    if (about.buckets > 0) {
        out += texts_[column].at(static_cast<std::size_t>(value));
        return;
    }
    if (about.dates != DateUnit::none) {
        out += date_text(value, about.dates);
        return;
    }
    if (about.levels.empty()) {
        out += exact_text(value);
        return;
    }
    const std::vector<std::string>& levels = about.levels;
    if (value < static_cast<float>(levels.size())) {
        out += files::csv_cell(levels[static_cast<std::size_t>(value)]);
        return;
    }
    std::string other = exact_text(value);
    while (std::ranges::count(levels, other) > 0) other += "_";
    out += other;
}

void PointsCsv::add(Sequence sequence, const PointBatch& batch, std::string& out) const {
    const std::string event = std::to_string(sequence) + "," + files::time_text(batch.event_time) + ",";
    const std::size_t d = format_.dimensions, a = format_.attributes.size();
    for (std::size_t i = 0; i < batch.size(); ++i) {
        out += event + (batch.id_texts.empty() ? std::to_string(batch.ids[i]) : files::csv_cell(batch.id_texts[i]));
        for (std::size_t j = 0; j < d; ++j) {
            out += ',';
            add_feature(j, batch.features[i * d + j], out);
        }
        for (std::size_t j = 0; j < a; ++j)
            out += "," + files::csv_cell(format_.attributes[j].groups[batch.groups[i * a + j]]);
        if (format_.has_targets)
            out += "," + (std::isnan(batch.targets[i]) ? ""
                          : format_.targets_come_later ? outcome_text(batch.targets[i])
                                                       : exact_text(batch.targets[i]));
        if (format_.has_weights) out += "," + (batch.weights.empty() ? "1" : shortest_text(batch.weights[i]));
        out += '\n';
    }
}

std::string PointsCsv::send_options(std::size_t batch) const {
    std::string options = batch == 0 ? " --event " + names_.sequence : " --batch " + std::to_string(batch);
    options += " --id " + names_.id + " --time " + names_.time + " --features " +
               shell_word(files::names_text(names_.features));
    if (!names_.attributes.empty()) options += " --group " + shell_word(files::names_text(names_.attributes));
    if (!names_.target.empty()) options += " --target " + names_.target;
    if (!names_.weight.empty()) options += " --weight " + names_.weight;
    // Numbers are written with decimal points; without this option, `send` would expect the commas of the stream.
    if (mark_ == files::DecimalMark::comma) options += " --decimal-mark point";
    return options;
}

}  // namespace fairstream::command
