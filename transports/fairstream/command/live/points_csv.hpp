#pragma once
/// Points of a stream as rows of CSV that `files::PointReader` reads back.

#include <string>
#include <string_view>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/reader_settings.hpp>

namespace fairstream::command {

/// Returns an outcome as files write it: 1, 0 or -1. Any other number becomes 1 when above 0, else 0.
[[nodiscard]] std::string outcome_text(float outcome);

/// The columns of a stream's points, and their rows. Numbers have the shortest text that reads back equal; features and
/// targets are float32. A missing value or target is an empty cell. Levels and groups are written by name; an unlisted
/// level by number.
class PointsCsv {
public:
    /// `mark` is the decimal mark of the stream's files.
    PointsCsv(const StreamFormat& format, files::DecimalMark mark);

    /// Returns the heading: sequence, time, id, the features, the attributes, and target and weight if the stream has
    /// them. Features without names are x0, x1, ...; a repeated name gets "_".
    [[nodiscard]] std::string heading() const;
    /// Appends a line for each point of event `sequence`.
    void add(Sequence sequence, const PointBatch& batch, std::string& out) const;
    /// Returns the options with which `send` reads the file again, each preceded by a blank. `batch` is the number of
    /// points of each event, of which the last may have fewer; 0: sizes vary.
    [[nodiscard]] std::string send_options(std::size_t batch) const;

private:
    struct Names {
        std::string sequence, time, id, target, weight;
        std::vector<std::string> features, attributes;
    };
    void add_feature(std::size_t column, float value, std::string& out) const;

    StreamFormat format_;
    files::DecimalMark mark_;
    std::vector<std::vector<std::string>> texts_;  // texts of the buckets, by column; empty: not hashed
    Names names_;
};

}  // namespace fairstream::command
