#pragma once
/// Points of a stream as rows of CSV, as `files::PointReader` reads them back.

#include <string>
#include <string_view>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/reader_settings.hpp>

namespace fairstream::command {

/// Returns an outcome as files have it, 1, 0 or -1: of any other number 1 where it is above 0, otherwise 0.
[[nodiscard]] std::string outcome_text(float outcome);

/// The columns of a stream's points, and their rows. Numbers are in the shortest form that reads back equal, features
/// and targets as float32; a missing value or target is an empty cell, levels and groups are their names, and a level
/// that is not listed its number.
class PointsCsv {
public:
    /// `mark` is the decimal mark of the stream's files.
    PointsCsv(const StreamFormat& format, files::DecimalMark mark);

    /// Returns the line of the names: sequence, time, id, the features, the attributes, target and weight where the
    /// stream has such. Features without names are x0, x1, ...; of two columns of one name the later one gets "_".
    [[nodiscard]] std::string heading() const;
    /// Appends a line for each point of event `sequence`.
    void add(Sequence sequence, const PointBatch& batch, std::string& out) const;
    /// Returns the options with which `send` reads the file again, each after a blank. `batch` is the number of points
    /// of all events, but the last may have less; 0: they have any.
    [[nodiscard]] std::string send_options(std::size_t batch) const;

private:
    struct Names {
        std::string sequence, time, id, target, weight;
        std::vector<std::string> features, attributes;
    };
    void add_feature(std::size_t column, float value, std::string& out) const;

    StreamFormat format_;
    files::DecimalMark mark_;
    std::vector<std::vector<std::string>> texts_;  // of the buckets of each column; empty: not hashed
    Names names_;
};

}  // namespace fairstream::command
