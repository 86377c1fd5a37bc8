#include <fairstream/csv/points.hpp>

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>
#include <utility>

#include <fairstream/csv/csv_cell.hpp>
#include <fairstream/csv/dates.hpp>
#include <fairstream/csv/outcomes.hpp>
#include <fairstream/csv/profile.hpp>

namespace fairstream::csv {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::string_view in_words(DateOrder order) {
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
    const PointId id = reader.integer(column);
    if (id == no_point) reader.refuse_cell(column, Reason::reserved_id, "is the id that means no point");
    return id;
}

std::string_view read_id_text(const Reader& reader, std::size_t column) {
    const std::string_view text = reader.trimmed_cell(column);
    if (text.empty() || text.size() > longest_id_text)
        reader.refuse_cell(column, Reason::wrong_shape,
                           "is no id: must have 1 to " + std::to_string(longest_id_text) + " bytes");
    return text;
}

namespace {

/// Returns the columns without whose cells a row is left out.
std::vector<std::string> needed_names(const std::vector<std::string>& features, const Columns& columns) {
    if (!columns.needs_all) return columns.needed;
    std::vector<std::string> names = names_of_all(features, columns);
    if (!columns.weight.empty()) names.push_back(columns.weight);
    return names;
}

FeatureRemarks::Doubtful doubtful_marks(const Reader& reader) {
    using Doubtful = FeatureRemarks::Doubtful;
    switch (reader.decimal_mark()) {
        case DecimalMark::found:
            return reader.separator().value_or(',') != ',' ? Doubtful::decimal_marks : Doubtful::none;
        case DecimalMark::comma:
            return reader.has_usual_mark() ? Doubtful::points_of_thousands : Doubtful::none;
        case DecimalMark::point:
            return reader.has_usual_mark() ? Doubtful::commas_of_thousands : Doubtful::none;
    }
    return Doubtful::none;
}

}  // namespace

PointReader::PointReader(const std::filesystem::path& path, const Columns& columns)
    : PointReader(InputFile(path, passes_for(columns.groups)), columns) {}

PointReader::PointReader(const InputFile& file, const Columns& columns)
    : reader_(open_reader(file, columns)),
      bad_rows_(columns.bad_rows, reader_),
      features_(feature_names(reader_, columns)),
      feature_columns_(indices(reader_, features_)),
      target_column_(columns.target.empty() ? none : reader_.column(columns.target)),
      id_column_(columns.id.empty() ? none : reader_.column(columns.id)),
      weight_column_(columns.weight.empty() ? none : reader_.column(columns.weight)),
      time_column_(columns.time.empty() ? none : reader_.column(columns.time)),
      part_column_(columns.part.empty() ? none : reader_.column(columns.part)),
      event_column_(columns.event.empty() ? none : reader_.column(columns.event)),
      kept_columns_(indices(reader_, columns.kept)),
      classes_(columns.classes.empty() ? std::nullopt : std::optional(ClassReader(reader_, columns.classes))),
      groups_(reader_, columns.groups, columns.remedies.no_group),
      remedies_(columns.remedies),
      remedies_of_target_(columns.remedies_of_target),
      format_{static_cast<std::uint32_t>(features_.size()),
              groups_.attributes(),
              target_column_ != none,
              weight_column_ != none,
              columns.described,
              columns.has_text_ids && id_column_ != none},
      time_unit_(columns.time_unit),
      time_ahead_(columns.time_ahead),
      date_order_(columns.date_order),
      targets_come_later_(columns.targets_come_later),
      positive_(columns.positive),
      negative_{columns.target, UnlistedCells::Of::answers, "0"},
      needed_(indices(reader_, needed_names(features_, columns))),
      bounds_features_(!columns.scales_features) {
    use_only_named(columns);
    if (!columns.features.empty()) reader_.pass_over_other_keys();
    reader_.set_decimal_mark(columns.decimal_mark);
    reader_.set_usual_decimal_mark(columns.usual_decimal_mark);
    reader_.set_missing_texts(columns.missing_texts);
    of_features_.emplace(features_, format_.columns, doubtful_marks(reader_));
    for (const std::size_t column : needed_) left_out_.push_back({reader_.header()[column], 0});
    note_other_columns(columns);
    if (format_.columns.empty()) return;
    if (format_.columns.size() != features_.size())
        throw InvalidInput(Reason::wrong_shape, std::to_string(features_.size()) + " feature columns for " +
                                                    std::to_string(format_.columns.size()) + " of the stream");
    for (const FeatureColumn& column : format_.columns) {
        auto& index = levels_.emplace_back();
        for (const std::string& level : column.levels) index.emplace(level, static_cast<std::uint32_t>(index.size()));
    }
}

/// Has nothing to do with what is in other columns than those that rows are read from.
void PointReader::use_only_named(const Columns& columns) {
    std::vector<std::size_t> used = indices(reader_, names_of_all(features_, columns));
    const std::vector<std::size_t> roles = indices(reader_, names_of_roles(columns));
    used.insert(used.end(), roles.begin(), roles.end());
    used.insert(used.end(), kept_columns_.begin(), kept_columns_.end());
    reader_.use_only(used);
}

/// Notes the columns that are read for nothing, and those that may hold words.
void PointReader::note_other_columns(const Columns& columns) {
    std::unordered_map<std::string_view, std::size_t> features;
    for (std::size_t i = 0; i < features_.size(); ++i) features.emplace(features_[i], i);
    const std::unordered_set<std::string_view> others = no_features(columns);
    const auto is_category = [&](std::size_t i) {
        return i < format_.columns.size() && format_.columns[i].is_category();
    };
    for (std::size_t column = 0; column < reader_.header().size(); ++column) {
        const std::string& name = reader_.header()[column];
        const auto feature = features.find(name);
        if (feature == features.end() && !others.contains(name)) passed_over_.push_back(name);
        if (feature == features.end() || is_category(feature->second)) wordy_.push_back(column);
    }
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
        } catch (const InvalidInput& error) {
            if (reader_.is_broken()) throw;
            if (rows_ == before) ++rows_;
            bad_rows_.add(reader_, error, remedies_.bad_row);
        }
    }
}

/// Returns whether the current row has all cells that it needs; counts it otherwise.
bool PointReader::has_needed_cells() {
    for (std::size_t i = 0; i < needed_.size(); ++i)
        if (reader_.is_missing(needed_[i])) return ++left_out_[i].rows, false;
    return true;
}

/// Reads the current row; returns false for one that is left out.
bool PointReader::read_row(PointRow& row) {
    row.id = row.number = rows_++;
    if (!has_needed_cells()) return false;
    of_features_->begin_row();
    groups_.begin_row();
    if (format_.has_text_ids)
        row.id_text = read_id_text(reader_, id_column_);
    else if (id_column_ != none)
        row.id = read_id(reader_, id_column_);
    row.features.resize(feature_columns_.size());
    for (std::size_t i = 0; i < feature_columns_.size(); ++i) {
        row.features[i] = levels_.empty() ? reader_.number(feature_columns_[i], remedies_) : feature(i);
        if (bounds_features_) require_bounded(row.features[i], feature_columns_[i]);
        of_features_->add(i, reader_, feature_columns_[i], row.features[i]);
    }
    groups_.read(reader_, row.groups);
    row.target = target();
    require_bounded(row.target, target_column_);
    if (weight_column_ != none) row.weight = weight();
    if (time_column_ != none) row.time = time();
    if (part_column_ != none) row.part = part();
    if (classes_) row.of_class = classes_->read(reader_);
    keep_cells(row.kept);
    look_for_total();
    of_features_->count_row();
    groups_.count_row();
    if (positive_ && row.target == 0) negative_.add(reader_.trimmed_cell(target_column_));
    if (target_column_ != none && !positive_ && stand_ins_of_target_.is_of_interest(row.target))
        stand_ins_of_target_.add_number(reader_.trimmed_cell(target_column_), row.target);
    return true;
}

void PointReader::keep_cells(std::string& kept) const {
    kept.clear();
    for (const std::size_t& column : kept_columns_) {
        if (&column != kept_columns_.data()) kept += ',';
        kept += csv_cell(reader_.trimmed_cell(column));
    }
}

/// Notes whether the current row seems to be the sum of others.
void PointReader::look_for_total() {
    total_.reset();
    for (const std::size_t column : wordy_)
        if (const std::string_view cell = reader_.trimmed_cell(column); is_total(cell))
            return void(total_ = TotalCell{reader_.header()[column], std::string(cell), reader_.line()});
}

/// Returns the value of a described feature.
double PointReader::feature(std::size_t i) {
    const std::size_t column = feature_columns_[i];
    const FeatureColumn& about = format_.columns[i];
    if (!about.levels.empty()) {
        // The name of a level may have blanks around it.
        auto found = levels_[i].find(reader_.cell(column));
        if (found == levels_[i].end()) found = levels_[i].find(reader_.trimmed_cell(column));
        if (found != levels_[i].end()) return found->second;
    }
    if (about.may_be_missing && reader_.is_missing(column)) {
        of_features_->add_missing(i);
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (about.dates != DateUnit::none) return date(column, about);
    if (!about.is_category()) return reader_.number(column, remedies_);
    const std::string_view cell = reader_.trimmed_cell(column);
    if (cell.empty())
        reader_.refuse_cell(column, Reason::bad_feature,
                            with_remedy("is empty where a category is needed",
                                        for_column(remedies_.missing, reader_.header()[column])));
    if (about.buckets > 0) return bucket_of(cell, about.buckets);
    if (const std::optional<std::uint32_t> level = truth_level(about.levels, cell)) return *level;
    of_features_->add_unlisted(i, cell);
    return static_cast<double>(about.levels.size());
}

namespace {

/// Returns the orders in which a text is a date, "day_first or month_first"; empty: it is none.
std::string orders_that_read(std::string_view text) {
    std::string reading;
    for (const DateOrder order : all_date_orders)
        if (read_date_or_time(text, order)) reading += (reading.empty() ? "" : " or ") + std::string(to_string(order));
    return reading;
}

}  // namespace

double PointReader::date(std::size_t column, const FeatureColumn& about) {
    const std::optional<std::int64_t> time = read_date_or_time(reader_.trimmed_cell(column), about.date_order);
    if (time && !dates_ahead_.contains(column) && is_ahead_by_two_digits(reader_.trimmed_cell(column), *time))
        dates_ahead_.emplace(column, reader_.trimmed_cell(column));
    if (time) return in_date_unit(*time, about.dates);
    if (reader_.is_missing(column))
        reader_.refuse_cell(
            column, Reason::bad_feature,
            with_remedy("is missing where a date is needed", for_column(remedies_.missing, reader_.header()[column])));
    const std::string reading = orders_that_read(reader_.trimmed_cell(column));
    if (reading.empty()) reader_.refuse_cell(column, Reason::bad_feature, "is no date");
    refuse_order(column, about.date_order, reading);
}

/// Throws for a date that is one only in other orders of day, month and year: `reading`.
void PointReader::refuse_order(std::size_t column, DateOrder order, const std::string& reading) const {
    reader_.refuse_cell(column, Reason::bad_feature,
                        with_remedy("is no date with the " + std::string(in_words(order)),
                                    remedies_.date.empty() ? "" : remedies_.date + " " + reading + " reads it"));
}

double PointReader::target() const {
    if (target_column_ == none) return 0;
    if (targets_come_later_ && reader_.is_missing(target_column_)) return std::numeric_limits<double>::quiet_NaN();
    // Letters such as n may be anything.
    if (const std::string_view word = reader_.trimmed_cell(target_column_); !positive_ && word.size() > 1)
        if (const auto truth = truth_value(word)) return *truth ? 1 : 0;
    if (!positive_)
        return targets_come_later_ ? read_outcome(reader_, target_column_, remedies_of_target_)
                                   : reader_.number(target_column_, remedies_of_target_);
    if (reader_.is_missing(target_column_)) reader_.refuse_cell(target_column_, Reason::bad_feature, "is no target");
    return is_same_answer(*positive_, reader_.trimmed_cell(target_column_)) ? 1 : 0;
}

std::int64_t PointReader::time() {
    if (!time_unit_) require_likely_unit();
    const std::string_view cell = reader_.trimmed_cell(time_column_);
    if (!read_time(cell, time_unit_, date_order_))
        if (const std::string reading = orders_that_read(cell); !reading.empty())
            refuse_order(time_column_, date_order_, reading);
    const std::int64_t time = reader_.time(time_column_, time_unit_, date_order_);
    if (time_ahead_ && time > latest_time_) require_no_later(time);
    return time;
}

/// Throws for a number that is a time from 2000 to 2100 in another unit than the one that it would be read in.
void PointReader::require_likely_unit() const {
    const std::optional<TimeUnit> unit = mistaken_unit(reader_.trimmed_cell(time_column_));
    if (!unit) return;
    const std::string read_as = time_text(reader_.time(time_column_, std::nullopt, date_order_));
    reader_.refuse_cell(time_column_, Reason::malformed,
                        "is " + time_text(reader_.time(time_column_, unit, date_order_)) + " in " +
                            std::string(name(*unit)) + ", and would be taken for " + read_as + ": --time-unit " +
                            std::string(symbol(*unit)) + " reads it so, and --time-unit us as microseconds");
}

namespace {

/// Returns a span of time in the largest unit of which it has at least two, "47 hours".
std::string span_text(std::chrono::microseconds span) {
    using std::chrono::duration_cast;
    const auto days = duration_cast<std::chrono::days>(span).count(),
               hours = duration_cast<std::chrono::hours>(span).count();
    if (days > 1) return std::to_string(days) + " days";
    return hours > 1 ? std::to_string(hours) + " hours"
                     : std::to_string(duration_cast<std::chrono::minutes>(span).count()) + " minutes";
}

}  // namespace

/// Throws for a time that is too far ahead of the clock, which is looked at again.
void PointReader::require_no_later(std::int64_t time) {
    using std::chrono::duration_cast, std::chrono::microseconds;
    const auto now = duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch());
    latest_time_ = (now + *time_ahead_).count();
    if (time <= latest_time_) return;
    reader_.refuse_cell(
        time_column_, Reason::malformed,
        with_remedy("is " + span_text(microseconds(time) - now) + " ahead of this machine's clock, and an engine " +
                        "would take it for the present, and forget all points older than its max_age",
                    remedies_.future));
}

Remarks PointReader::remarks() const {
    Remarks remarks{.passed_over = passed_over_,
                    .unlisted = groups_.unlisted(),
                    .left_out = left_out_,
                    .last_total = total_,
                    .bad_rows = bad_rows_.count(),
                    .first_bad = bad_rows_.first(),
                    .span_of_batch = span_.longest()};
    std::erase_if(remarks.left_out, [](const RowsWithout& without) { return without.rows == 0; });
    std::erase_if(remarks.unlisted, [](const UnlistedCells& unlisted) { return unlisted.cells == 0; });
    of_features_->add_to(remarks);
    if (positive_ && may_not_mean_no(negative_, *positive_)) remarks.unlisted.push_back(negative_);
    remarks.unmet = reader_.unmet_columns();
    for (const auto& [column, cell] : dates_ahead_) remarks.dates_ahead.push_back({reader_.header()[column], cell});
    if (!reader_.has_usual_mark())
        for (std::size_t i = 0; i < features_.size(); ++i)
            if (reader_.is_in_per_cent(feature_columns_[i])) remarks.in_per_cent.push_back(features_[i]);
    if (const std::uint64_t cells = stand_ins_of_target_.count(); cells > 0)
        remarks.stand_ins.push_back({reader_.header()[target_column_], stand_ins_of_target_.first(), cells});
    return remarks;
}

double PointReader::weight() const {
    const double weight = reader_.number(weight_column_, {.marks = remedies_.marks});
    if (!(weight >= least_weight && weight <= largest_weight))
        reader_.refuse_cell(weight_column_, Reason::bad_feature, "is no weight: must be 1e-15 to 1e15");
    return weight;
}

std::size_t PointReader::read(std::size_t count, PointColumns& out) {
    out.clear();
    kept_.clear();
    together_.clear();
    texts_together_.clear();
    bounds_features_ = true;
    if (std::exchange(is_ahead_, false)) add(out);
    while (out.ids.size() < count && comes(out) && next(row_)) {
        if (event_column_ != none) {
            const std::string_view event = reader_.trimmed_cell(event_column_);
            is_ahead_ = !out.ids.empty() && event != event_;
            event_ = event;
            if (is_ahead_) break;
        }
        is_ahead_ = is_among_next();
        if (is_ahead_) break;
        add(out);
    }
    return out.ids.size();
}

/// Waits for the next row; returns false where the points so far are to be given without it.
bool PointReader::comes(PointColumns& out) const {
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

/// Says whether the current row has the id of a point that `read` returns next.
bool PointReader::is_among_next() const {
    return format_.has_text_ids ? texts_together_.contains(row_.id_text) : together_.contains(row_.id);
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
        texts_together_.insert(row_.id_text);
    } else if (id_column_ != none) {
        together_.insert(row_.id);
    }
    for (std::size_t i = 0; i < row_.features.size(); ++i) out.features.push_back(static_cast<float>(row_.features[i]));
    out.groups.insert(out.groups.end(), row_.groups.begin(), row_.groups.end());
    if (!kept_columns_.empty()) kept_.push_back(row_.kept);
    if (format_.has_targets) out.targets.push_back(static_cast<float>(row_.target));
    if (format_.has_weights) out.weights.push_back(row_.weight);
}

std::optional<PointReader::RowCounts> PointReader::count_rows() {
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

std::string PointReader::bad_rows_text() {
    const std::optional<RowCounts> rows = count_rows();
    return rows ? bad_rows_.text_among(rows->all) : "";
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
        reader_.refuse_cell(
            column, Reason::bad_feature,
            with_remedy("is above the largest magnitude allowed, 1e15",
                        column == target_column_ ? "" : for_column(remedies_.large, reader_.header()[column])));
}

}  // namespace fairstream::csv
