#pragma once
/// A file of outcomes: ids of points sent earlier, and their targets.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/columns/remarks.hpp>
#include <fairstream/files/rows/bad_rows.hpp>
#include <fairstream/files/rows/reader.hpp>
#include <fairstream/input/input.hpp>

namespace fairstream::command {

class OutcomeSource {
public:
    /// Reads the columns that `input` names for ids and targets. Throws `InvalidInput` when such a column does not
    /// exist.
    OutcomeSource(const std::filesystem::path& file, const files::InputOptions& input);

    /// Takes over how the stream's points are read: the texts for missing values, and the decimal mark unless one was
    /// given.
    void take_format(const StreamFormat& format, const files::ReaderSettings& reader);
    /// Reads up to `count` outcomes; stops earlier before a repeated id. Returns the number read. Skips rows without an
    /// outcome. Throws `InvalidInput` for an unusable row that the options do not allow to leave out.
    [[nodiscard]] std::size_t read(std::size_t count, PointColumns& out);

    [[nodiscard]] double progress() const { return reader_.progress(); }
    /// Returns the rows skipped or left out.
    [[nodiscard]] files::Remarks remarks() const;
    /// Reads on to the end, also after an error, and returns " (3 of 800 rows cannot be used): add --bad-rows 3"; empty
    /// when the number is not known. `read` may not be called afterwards.
    [[nodiscard]] std::string bad_rows_text();

private:
    struct Outcome {
        PointId id = 0;            // if ids are integers
        std::string id_text = {};  // if ids are texts
        float target = 0;
    };
    void take_missing_texts(const std::vector<std::string>& texts);
    [[nodiscard]] std::optional<Outcome> next();
    [[nodiscard]] Outcome read_row();
    [[nodiscard]] double target() const;

    files::Reader reader_;
    files::BadRows bad_rows_;
    std::size_t id_, target_;
    std::string positive_;
    files::DecimalMark decimal_mark_ = files::DecimalMark::found;  // as the options give it
    files::UnlistedCells negative_;                                // cells with a text other than `positive_`
    std::vector<std::string> missing_texts_;
    bool has_text_ids_ = false;
    std::uint64_t rows_ = 0, without_ = 0;   // rows read, and those without an outcome
    std::unordered_set<PointId> ids_;        // ids in the next result of `read`
    std::unordered_set<std::string> texts_;  // ids that are texts, in the next result of `read`
    std::optional<Outcome> next_;            // already read, not yet returned
};

}  // namespace fairstream::command
