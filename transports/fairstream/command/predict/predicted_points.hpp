#pragma once
/// The output files of `fairstream predict`: a line for each point, in the order of the input.

#include <memory>
#include <span>
#include <string>

#include <fairstream/command/predict/predict.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/written/output_stream.hpp>

namespace fairstream::command {

/// A model's outputs for n points; an output that was not asked for is empty.
struct Predicted {
    std::vector<ClusterId> labels;  ///< n
    std::vector<Score> scores;      ///< n
    std::vector<float> rows;        ///< n x k
};

class PredictedPoints {
public:
    /// `clusters` is the number of clusters, `score` the heading of the column of scores or predictions.
    PredictedPoints(const PredictOptions& options, std::size_t clusters, const std::string& score);

    /// `kept` holds the cells of the columns to copy beside the labels, by point.
    void write(const PointColumns& points, std::span<const std::string> kept, const Predicted& predicted);
    /// Completes the files. Without this call they do not appear.
    void close();

private:
    std::unique_ptr<files::OutputStream> labels_, scores_, rows_;  // null: not asked
};

}  // namespace fairstream::command
