#include <fairstream/command/live/outcome_source.hpp>

#include <array>
#include <cmath>

#include <fairstream/files/columns/outcomes.hpp>
#include <fairstream/files/columns/profile.hpp>
#include <fairstream/input/advice.hpp>

namespace fairstream::command {
namespace {

files::Reader reader_of(const std::filesystem::path& file, const files::InputOptions& input) {
    files::Reader reader(files::InputFile(file, files::Passes::one, input.shape));
    reader.expect(std::array{input.id, input.target});
    return reader;
}

}  // namespace

OutcomeSource::OutcomeSource(const std::filesystem::path& file, const files::InputOptions& input)
    : reader_(reader_of(file, input)),
      bad_rows_({input.bad_rows, input.bad_rows_file}, reader_),
      id_(reader_.column(input.id)),
      target_(reader_.column(input.target)),
      positive_(input.positive),
      negative_{input.target, files::UnlistedCells::Kind::answers, "0"} {
    decimal_mark_ = files::decimal_mark(input);
    reader_.set_decimal_mark(decimal_mark_);
    take_missing_texts(input.missing_texts);
}

void OutcomeSource::take_format(const StreamFormat& format, const files::ReaderSettings& reader) {
    has_text_ids_ = format.has_text_ids;
    take_missing_texts(reader.missing_texts);
    if (decimal_mark_ == files::DecimalMark::found && reader_.shape().is_delimited())
        reader_.set_decimal_mark(reader.decimal_mark);
}

std::size_t OutcomeSource::read(std::size_t count, PointColumns& out) {
    out.clear();
    ids_.clear();
    texts_.clear();
    while (out.targets.size() < count && (next_ || (next_ = next()))) {
        if (!(has_text_ids_ ? texts_.insert(next_->id_text).second : ids_.insert(next_->id).second)) break;
        if (has_text_ids_)
            out.id_texts.add(next_->id_text);
        else
            out.ids.push_back(next_->id);
        out.targets.push_back(next_->target);
        next_.reset();
    }
    return out.targets.size();
}

files::Remarks OutcomeSource::remarks() const {
    files::Remarks remarks{.bad_rows = bad_rows_.count(), .first_bad = bad_rows_.first()};
    if (without_ > 0) remarks.left_out.push_back({reader_.header()[target_], without_});
    if (files::is_no_doubtful(negative_, positive_)) remarks.unlisted.push_back(negative_);
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
    return files::bad_rows_text_of({bad_rows_.count(), rows_});
}

/// Treats these texts as missing outcomes, too.
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
        } catch (const files::BadRow& error) {
            bad_rows_.add(reader_, error);
        }
    }
}

OutcomeSource::Outcome OutcomeSource::read_row() {
    const double value = target();
    if (!(std::abs(value) <= double{feature_limit}))
        reader_.refuse_cell(target_, Reason::bad_feature, "must be within +-1e15");
    Outcome outcome{.target = static_cast<float>(value)};
    if (has_text_ids_)
        outcome.id_text = files::read_id_text(reader_, id_);
    else
        outcome.id = files::read_id(reader_, id_);
    if (!positive_.empty() && value == 0) negative_.add(reader_.trimmed_cell(target_));
    return outcome;
}

double OutcomeSource::target() const {
    if (!positive_.empty()) return files::is_same_answer(positive_, reader_.trimmed_cell(target_)) ? 1 : 0;
    return files::read_outcome(reader_, target_);
}

}  // namespace fairstream::command
