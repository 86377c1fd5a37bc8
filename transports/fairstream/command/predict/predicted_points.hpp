#pragma once
/// The files of `fairstream predict`: a line for each point, in the order of the input.

#include <memory>
#include <span>
#include <string>

#include <fairstream/command/predict/predict.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/written/output_stream.hpp>

namespace fairstream::command {

/// What a model says of some points; empty where it was not asked.
struct Predicted {
    std::vector<ClusterId> labels;  ///< n
    std::vector<Score> scores;      ///< n
    std::vector<float> rows;        ///< n x k
};

class PredictedPoints {
public:
    /// `clusters` and `score` are the number of clusters and the name of a number in headings.
    PredictedPoints(const PredictOptions& options, std::size_t clusters, const std::string& score);

    /// `kept` are the cells of the columns that labels come with, by point.
    void write(const PointColumns& points, std::span<const std::string> kept, const Predicted& predicted);
    /// Completes the files; without it they are not there.
    void close();

private:
    std::unique_ptr<files::OutputStream> labels_, scores_, rows_;  // null: not asked
};

}  // namespace fairstream::command
