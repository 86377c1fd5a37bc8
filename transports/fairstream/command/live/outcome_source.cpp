#include <fairstream/command/live/outcome_source.hpp>

#include <array>
#include <cmath>

#include <fairstream/command/input/stream_columns.hpp>
#include <fairstream/csv/outcomes.hpp>
#include <fairstream/csv/profile.hpp>
#include <fairstream/wire/text_id.hpp>

namespace fairstream::command {
namespace {

csv::Reader reader_of(const std::filesystem::path& file, const InputOptions& input) {
    csv::Reader reader(file);
    reader.expect(std::array{input.id, input.target});
    return reader;
}

}  // namespace

OutcomeSource::OutcomeSource(const std::filesystem::path& file, const InputOptions& input)
    : reader_(reader_of(file, input)),
      bad_rows_({input.bad_rows, input.bad_rows_file}, reader_),
      id_(reader_.column(input.id)),
      target_(reader_.column(input.target)),
      positive_(input.positive),
      negative_{input.target, csv::UnlistedCells::Of::answers, "0"} {
    reader_.use_only(std::array{id_, target_});
    reader_.pass_over_other_keys();
    reader_.set_decimal_mark(decimal_mark(input));
    take_missing_texts(input.missing_texts);
}

void OutcomeSource::take_format(const StreamFormat& format) {
    has_text_ids_ = format.has_text_ids;
    take_missing_texts(format.missing_texts);
    reader_.set_usual_decimal_mark(format.decimal_mark);
}

std::size_t OutcomeSource::read(std::size_t count, PointColumns& out) {
    out.clear();
    ids_.clear();
    while (out.ids.size() < count && (next_ || (next_ = next()))) {
        if (!ids_.insert(next_->id).second) break;
        out.ids.push_back(next_->id);
        out.targets.push_back(next_->target);
        next_.reset();
    }
    return out.ids.size();
}

csv::Remarks OutcomeSource::remarks() const {
    csv::Remarks remarks{.bad_rows = bad_rows_.count(), .first_bad = bad_rows_.first()};
    if (without_ > 0) remarks.left_out.push_back({reader_.header()[target_], without_});
    if (csv::may_not_mean_no(negative_, positive_)) remarks.unlisted.push_back(negative_);
    return remarks;
}

std::string OutcomeSource::bad_rows_text() {
    if (reader_.is_broken()) return "";
    bad_rows_.count_all();
    try {
        while (next()) {
        }
    } catch (const InvalidInput&) {
        return "";
    }
    return bad_rows_.text_among(rows_);
}

/// Takes these texts for missing outcomes, too.
void OutcomeSource::take_missing_texts(const std::vector<std::string>& texts) {
    missing_texts_.insert(missing_texts_.end(), texts.begin(), texts.end());
    reader_.set_missing_texts(missing_texts_);
}

/// Returns the next outcome, or nothing at the end.
std::optional<OutcomeSource::Outcome> OutcomeSource::next() {
    for (;;) {
        try {
            ++rows_;
            if (!reader_.next()) return --rows_, std::nullopt;
            if (!reader_.is_missing(target_)) return read_row();
            ++without_;
        } catch (const InvalidInput& error) {
            if (reader_.is_broken()) throw;
            bad_rows_.add(reader_, error, std::string(bad_row_remedy));
        }
    }
}

OutcomeSource::Outcome OutcomeSource::read_row() {
    const double value = target();
    if (!(std::abs(value) <= double{feature_limit}))
        reader_.refuse_cell(target_, Reason::bad_feature, "must be within +-1e15");
    const PointId id = has_text_ids_ ? wire::text_id(reader_.trimmed_cell(id_)) : reader_.integer(id_);
    if (id == no_point) reader_.refuse_cell(id_, Reason::reserved_id, "is the id that means no point");
    if (!positive_.empty() && value == 0) negative_.add(reader_.trimmed_cell(target_));
    return {id, static_cast<float>(value)};
}

double OutcomeSource::target() const {
    if (!positive_.empty()) return csv::is_same_answer(positive_, reader_.trimmed_cell(target_)) ? 1 : 0;
    return csv::read_outcome(reader_, target_, remedies_);
}

}  // namespace fairstream::command
