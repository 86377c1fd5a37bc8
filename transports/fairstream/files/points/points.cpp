#include <fairstream/files/points/points.hpp>

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include <fairstream/files/cells/csv_cell.hpp>
#include <fairstream/files/cells/dates.hpp>
#include <fairstream/files/columns/outcomes.hpp>
#include <fairstream/files/columns/profile.hpp>

namespace fairstream::files {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::string words_for(DateOrder order) {
    return order == DateOrder::year_first ? "year first" : order == DateOrder::day_first ? "day first" : "month first";
}

std::vector<std::size_t> indices(const Reader& reader, const std::vector<std::string>& names) {
    std::vector<std::size_t> result;
    for (const std::string& name : names) result.push_back(reader.column(name));
    return result;
}

}  // namespace

std::uint32_t bucket_of(std::string_view text, std::uint32_t buckets) {
    return static_cast<std::uint32_t>(XXH64(text.data(), text.size(), 0) % buckets);
}

PointId read_id(const Reader& reader, std::size_t column) {
    if (reader.trimmed_cell(column).empty())
        reader.refuse_cell(column, Reason::malformed, "is empty where an id is needed");
    const PointId id = reader.integer(column);
    if (id == no_point) reader.refuse_cell(column, Reason::reserved_id, "is reserved, and cannot be an id");
    return id;
}

std::string_view read_id_text(const Reader& reader, std::size_t column) {
    const std::string_view text = reader.trimmed_cell(column);
    if (text.empty() || text.size() > longest_id_text)
        reader.refuse_cell(column, Reason::wrong_shape,
                           "is not an id: must have 1 to " + std::to_string(longest_id_text) + " bytes");
    return text;
}

namespace {

/// Returns the columns whose missing cells make a row be left out.
std::vector<std::string> needed_names(const std::vector<std::string>& features, const Roles& roles) {
    if (!roles.needs_all) return roles.needed;
    std::vector<std::string> names = columns_of_point(features, roles);
    if (!roles.weight.empty()) names.push_back(roles.weight);
    return names;
}

std::size_t index_of(const Reader& reader, const std::string& name) {
    return name.empty() ? none : reader.column(name);
}

}  // namespace

PointReader::PointReader(const std::filesystem::path& path, const Roles& roles, const Formats& formats,
                         const BadRowPolicy& bad_rows)
    : PointReader(InputFile(path, passes_for(roles.groups)), roles, formats, bad_rows) {}

PointReader::PointReader(const InputFile& file, const Roles& roles, const Formats& formats,
                         const BadRowPolicy& bad_rows)
    : reader_(open_reader(file, roles)),
      bad_rows_(bad_rows, reader_),
      features_(feature_names(reader_, roles)),
      feature_columns_(indices(reader_, features_)),
      target_column_(index_of(reader_, roles.target)),
      id_column_(index_of(reader_, roles.id)),
      weight_column_(index_of(reader_, roles.weight)),
      time_column_(index_of(reader_, roles.time)),
      part_column_(index_of(reader_, roles.part)),
      event_column_(index_of(reader_, roles.event)),
      kept_columns_(indices(reader_, roles.kept)),
      classes_(roles.classes.empty() ? std::nullopt : std::optional(ClassReader(reader_, roles.classes))),
      groups_(reader_, roles.groups),
      formats_(formats),
      format_{static_cast<std::uint32_t>(features_.size()),
              groups_.attributes(),
              target_column_ != none,
              weight_column_ != none,
              formats.described,
              formats.has_text_ids && id_column_ != none},
      feature_remarks_(features_),
      negative_{roles.target, UnlistedCells::Kind::answers, "0"},
      needed_(indices(reader_, needed_names(features_, roles))),
      bounds_features_(!formats.scales_features) {
    const bool is_given = formats.cells.decimal_mark != DecimalMark::found || !reader_.shape().is_delimited();
    reader_.set_decimal_mark(is_given ? formats.cells.decimal_mark : formats.usual_decimal_mark);
    reader_.set_missing_texts(formats.cells.missing_texts);
    for (const std::size_t column : needed_) left_out_.push_back({reader_.header()[column], 0});
    note_other_columns(roles);
    if (format_.columns.empty()) return;
    if (format_.columns.size() != features_.size())
        throw InvalidInput(Reason::wrong_shape, std::to_string(features_.size()) + " feature columns for " +
                                                    std::to_string(format_.columns.size()) + " of the stream");
    for (const FeatureColumn& column : format_.columns) {
        auto& index = levels_.emplace_back();
        for (const std::string& level : column.levels) index.emplace(level, static_cast<std::uint32_t>(index.size()));
    }
}

/// Notes the columns that are ignored.
void PointReader::note_other_columns(const Roles& roles) {
    std::unordered_set<std::string_view> others = non_feature_columns(roles);
    others.insert(features_.begin(), features_.end());
    for (const std::string& name : reader_.header())
        if (!others.contains(name)) ignored_columns_.push_back(name);
}

bool PointReader::has_times() const noexcept {
    return time_column_ != none;
}

bool PointReader::next(PointRow& row) {
    for (;;) {
        const std::uint64_t before = rows_;
        try {
            const bool there = reader_.next();
            if (!there) return false;
            if (read_row(row)) return true;
        } catch (const BadRow& error) {
            if (rows_ == before) ++rows_;
            bad_rows_.add(reader_, error);
        }
    }
}

/// Returns whether the current row has all needed cells; otherwise counts it as left out.
bool PointReader::has_needed_cells() {
    for (std::size_t i = 0; i < needed_.size(); ++i)
        if (reader_.is_missing(needed_[i])) return ++left_out_[i].rows, false;
    return true;
}

/// Reads the current row; returns false if it is left out.
bool PointReader::read_row(PointRow& row) {
    row.id = row.number = rows_++;
    if (!has_needed_cells()) return false;
    feature_remarks_.begin_row();
    groups_.begin_row();
    if (format_.has_text_ids)
        row.id_text = read_id_text(reader_, id_column_);
    else if (id_column_ != none)
        row.id = read_id(reader_, id_column_);
    row.features.resize(feature_columns_.size());
    for (std::size_t i = 0; i < feature_columns_.size(); ++i) {
        row.features[i] = levels_.empty() ? reader_.number(feature_columns_[i]) : feature(i);
        if (bounds_features_) require_bounded(row.features[i], feature_columns_[i]);
        feature_remarks_.add(i, row.features[i]);
    }
    groups_.read(reader_, row.groups);
    row.target = target();
    require_bounded(row.target, target_column_);
    if (weight_column_ != none) row.weight = weight();
    if (time_column_ != none) row.time = time();
    if (part_column_ != none) row.part = part();
    if (classes_) row.true_class = classes_->read(reader_);
    keep_cells(row.kept);
    feature_remarks_.count_row();
    groups_.count_row();
    if (formats_.positive && row.target == 0) negative_.add(reader_.trimmed_cell(target_column_));
    return true;
}

void PointReader::keep_cells(std::string& kept) const {
    kept.clear();
    for (const std::size_t& column : kept_columns_) {
        if (&column != kept_columns_.data()) kept += ',';
        const std::string_view cell = reader_.trimmed_cell(column);
        if (!reader_.shape().is_delimited() && (cell == "{...}" || cell == "[...]"))
            reader_.refuse_cell(column, Reason::wrong_shape,
                                "is an array or an object: must be a text, a number or null");
        kept += csv_cell(cell);
    }
}

/// Returns the value of feature i of a described stream.
double PointReader::feature(std::size_t i) {
    const std::size_t column = feature_columns_[i];
    const FeatureColumn& about = format_.columns[i];
    if (!about.levels.empty()) {
        // A level's name may itself have blanks around it.
        auto found = levels_[i].find(reader_.cell(column));
        if (found == levels_[i].end()) found = levels_[i].find(reader_.trimmed_cell(column));
        if (found != levels_[i].end()) return found->second;
    }
    if (about.may_be_missing && reader_.is_missing(column)) {
        feature_remarks_.add_missing(i);
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (about.dates != DateUnit::none) return date(column, about.dates, formats_.cells.date_order(i));
    if (!about.is_category()) return reader_.number(column);
    const std::string_view cell = reader_.trimmed_cell(column);
    if (cell.empty())
        reader_.refuse_cell(column, Reason::bad_feature, "is empty where a category is needed", Fault::missing);
    if (about.buckets > 0) return bucket_of(cell, about.buckets);
    if (const std::optional<std::uint32_t> level = truth_level(about.levels, cell)) return *level;
    feature_remarks_.add_unlisted(i, cell);
    return static_cast<double>(about.levels.size());
}

double PointReader::date(std::size_t column, DateUnit unit, DateOrder order) const {
    const std::string_view cell = reader_.trimmed_cell(column);
    if (const std::optional<std::int64_t> time = read_date_or_time(cell, order)) return in_date_unit(*time, unit);
    if (reader_.is_missing(column))
        reader_.refuse_cell(column, Reason::bad_feature, "is missing where a date is needed", Fault::missing);
    reader_.refuse_cell(column, Reason::bad_feature, "is no date with the " + words_for(order), Fault::order);
}

double PointReader::target() const {
    if (target_column_ == none) return 0;
    const bool may_be_missing = formats_.targets_come_later;
    if (may_be_missing && reader_.is_missing(target_column_)) return std::numeric_limits<double>::quiet_NaN();
    if (formats_.positive) {
        if (reader_.is_missing(target_column_))
            reader_.refuse_cell(target_column_, Reason::bad_feature, "is missing where a target is needed");
        return is_same_answer(*formats_.positive, reader_.trimmed_cell(target_column_)) ? 1 : 0;
    }
    // A single letter such as n may mean anything.
    if (const std::string_view word = reader_.trimmed_cell(target_column_); word.size() > 1)
        if (const auto truth = truth_value(word)) return *truth ? 1 : 0;
    return may_be_missing ? read_outcome(reader_, target_column_) : reader_.number(target_column_);
}

std::int64_t PointReader::time() {
    const std::string_view cell = reader_.trimmed_cell(time_column_);
    const std::optional<std::int64_t> read = read_time(cell, formats_.time_unit, formats_.time_order);
    if (!read &&
        std::ranges::any_of(all_date_orders, [&](DateOrder order) { return read_date(cell, order).has_value(); }))
        reader_.refuse_cell(time_column_, Reason::bad_feature, "is no date with the " + words_for(formats_.time_order),
                            Fault::order);
    const std::int64_t time = read ? *read : reader_.time(time_column_, formats_.time_unit, formats_.time_order);
    // The number would be a time from 2000 to 2100 in another unit than the one it is read in.
    if (const auto unit = formats_.time_unit ? std::nullopt : mistaken_unit(cell))
        reader_.refuse_cell(time_column_, Reason::malformed,
                            "is " + time_text(*read_time(cell, unit)) + " in " + std::string(name(*unit)) + ", but " +
                                time_text(time) + " without a unit",
                            Fault::unit);
    if (formats_.time_ahead && time > latest_time_) require_no_later(time);
    return time;
}

namespace {

/// Returns a duration in the largest unit of which it has at least two, "47 hours".
std::string span_text(std::chrono::microseconds span) {
    using std::chrono::duration_cast;
    const auto days = duration_cast<std::chrono::days>(span).count(),
               hours = duration_cast<std::chrono::hours>(span).count();
    if (days > 1) return std::to_string(days) + " days";
    return hours > 1 ? std::to_string(hours) + " hours"
                     : std::to_string(duration_cast<std::chrono::minutes>(span).count()) + " minutes";
}

}  // namespace

/// Throws for a time too far ahead of the clock. Reads the clock again first.
void PointReader::require_no_later(std::int64_t time) {
    using std::chrono::duration_cast, std::chrono::microseconds;
    const auto now = duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch());
    latest_time_ = (now + *formats_.time_ahead).count();
    if (time <= latest_time_) return;
    reader_.refuse_cell(time_column_, Reason::malformed,
                        "is " + span_text(microseconds(time) - now) +
                            " ahead of this machine's clock; an engine would treat it as " +
                            "the present, and drop all points older than its max_age",
                        Fault::future);
}

Remarks PointReader::remarks() const {
    Remarks remarks{.shape = to_string(reader_.shape()),
                    .has_usual_shape = reader_.shape().is_usual(),
                    .has_header = reader_.shape().has_header,
                    .ignored_columns = ignored_columns_,
                    .absent_columns = reader_.absent_columns(),
                    .unlisted = groups_.unlisted(),
                    .left_out = left_out_,
                    .bad_rows = bad_rows_.count(),
                    .first_bad = bad_rows_.first(),
                    .span_of_batch = span_.longest()};
    std::erase_if(remarks.left_out, [](const RowsWithout& without) { return without.rows == 0; });
    std::erase_if(remarks.unlisted, [](const UnlistedCells& unlisted) { return unlisted.cells == 0; });
    feature_remarks_.add_to(remarks);
    if (formats_.positive && is_no_doubtful(negative_, *formats_.positive)) remarks.unlisted.push_back(negative_);
    return remarks;
}

double PointReader::weight() const {
    const double weight = reader_.number(weight_column_);
    if (!(weight >= least_weight && weight <= largest_weight))
        reader_.refuse_cell(weight_column_, Reason::bad_feature, "is not a weight: must be 1e-15 to 1e15");
    return weight;
}

std::size_t PointReader::read(std::size_t count, PointColumns& out) {
    out.clear();
    kept_.clear();
    batch_ids_.clear();
    batch_id_texts_.clear();
    bounds_features_ = true;
    if (std::exchange(has_pending_row_, false)) add(out);
    while (out.ids.size() < count && wait_for_row(out) && next(row_)) {
        if (event_column_ != none) {
            const std::string_view event = reader_.trimmed_cell(event_column_);
            has_pending_row_ = !out.ids.empty() && event != event_;
            event_ = event;
            if (has_pending_row_) break;
        }
        has_pending_row_ = repeats_id_of_batch();
        if (has_pending_row_) break;
        add(out);
    }
    return out.ids.size();
}

/// Waits for the next row; returns false if `read` must return without it.
bool PointReader::wait_for_row(PointColumns& out) const {
    if (!stops_) return true;
    constexpr std::chrono::milliseconds look_every{100};
    const bool may_be_cut = event_column_ == none;
    auto left = longest_pause;
    while (!reader_.wait(look_every)) {
        left -= look_every;
        if (stops_()) {
            if (!may_be_cut) out.clear();
            return false;
        }
        if (may_be_cut && !out.ids.empty() && left.count() <= 0) return false;
    }
    return true;
}

/// Returns whether the current row's id is already among the points of the batch.
bool PointReader::repeats_id_of_batch() const {
    return format_.has_text_ids ? batch_id_texts_.contains(row_.id_text) : batch_ids_.contains(row_.id);
}

/// Adds the current row to a batch.
void PointReader::add(PointColumns& out) {
    if (time_column_ != none) {
        out.event_time = out.ids.empty() ? row_.time : std::max(out.event_time, row_.time);
        span_.add(row_.time, out.ids.empty());
    }
    out.ids.push_back(row_.id);
    if (format_.has_text_ids) {
        out.id_texts.add(row_.id_text);
        batch_id_texts_.insert(row_.id_text);
    } else if (id_column_ != none) {
        batch_ids_.insert(row_.id);
    }
    for (std::size_t i = 0; i < row_.features.size(); ++i) out.features.push_back(static_cast<float>(row_.features[i]));
    out.groups.insert(out.groups.end(), row_.groups.begin(), row_.groups.end());
    if (!kept_columns_.empty()) kept_.push_back(row_.kept);
    if (format_.has_targets) out.targets.push_back(static_cast<float>(row_.target));
    if (format_.has_weights) out.weights.push_back(row_.weight);
}

std::optional<RowCounts> PointReader::count_rows() {
    if (reader_.is_broken()) return std::nullopt;
    bad_rows_.count_all();
    try {
        while (next(row_)) {
        }
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
    return RowCounts{bad_rows_.count(), rows_};
}

std::uint8_t PointReader::part() const {
    const std::string_view cell = reader_.trimmed_cell(part_column_);
    if (cell.size() != 1 || cell[0] < '0' || cell[0] > '2')
        reader_.refuse_cell(part_column_, Reason::malformed,
                            "is no part: must be 0 for training, 1 for validation or 2 for test");
    return static_cast<std::uint8_t>(cell[0] - '0');
}

void PointReader::require_bounded(double value, std::size_t column) const {
    if (std::abs(value) > largest_value)
        reader_.refuse_cell(column, Reason::bad_feature, "is above the largest magnitude allowed, 1e15",
                            column == target_column_ ? Fault::form : Fault::magnitude);
}

}  // namespace fairstream::files
