#pragma once
/// A file of outcomes: ids of points that were sent before, and their targets.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/columns/remarks.hpp>
#include <fairstream/files/input/input.hpp>
#include <fairstream/files/rows/bad_rows.hpp>
#include <fairstream/files/rows/reader.hpp>

namespace fairstream::command {

class OutcomeSource {
public:
    /// Reads the columns `input` names for ids and targets. Throws `InvalidInput` where there are none of these names.
    OutcomeSource(const std::filesystem::path& file, const files::InputOptions& input);

    /// Reads outcomes as points of the stream are read: its texts for missing values, and its decimal mark where no
    /// other is given.
    void take_format(const StreamFormat& format, const files::ReaderSettings& reader);
    /// Reads up to `count` outcomes, or those before an id that comes again; returns how many. Rows without an outcome
    /// are passed over. Throws `InvalidInput` for a row that cannot be used and may not be left out.
    [[nodiscard]] std::size_t read(std::size_t count, PointColumns& out);

    [[nodiscard]] double progress() const { return reader_.progress(); }
    /// Returns the rows that were passed over or left out.
    [[nodiscard]] files::Remarks remarks() const;
    /// Reads on to the end, after an error too, and returns " (3 of 800 rows cannot be used): add --bad-rows 3";
    /// nothing where that is not known. `read` may not be called afterwards.
    [[nodiscard]] std::string bad_rows_text();

private:
    struct Outcome {
        PointId id = 0;            // where ids are integers
        std::string id_text = {};  // where they are texts
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
    files::DecimalMark decimal_mark_ = files::DecimalMark::found;  // as given
    files::UnlistedCells negative_;                                // texts that are not `positive_`
    std::vector<std::string> missing_texts_;
    bool has_text_ids_ = false;
    std::uint64_t rows_ = 0, without_ = 0;   // read, and those of them without an outcome
    std::unordered_set<PointId> ids_;        // of those that `read` returns next
    std::unordered_set<std::string> texts_;  // likewise
    std::optional<Outcome> next_;            // read, and not returned yet
};

}  // namespace fairstream::command
