#include <fairstream/command/predict/predicted_points.hpp>

namespace fairstream::command {
namespace {

std::unique_ptr<files::OutputStream> begin_file(const std::filesystem::path& path, const std::string& heading) {
    if (path.empty()) return nullptr;
    auto file = std::make_unique<files::OutputStream>(path);
    file->write("id" + heading + "\n");
    return file;
}

/// Appends a line for each point: its id, then the cells that `cells` appends.
template <class Cells> void write_lines(files::OutputStream* file, const PointColumns& points, const Cells& cells) {
    if (file == nullptr) return;
    std::string lines;
    for (std::size_t row = 0; row < points.ids.size(); ++row) {
        lines += files::id_cell(points.ids[row], points.id_texts.empty() ? std::string_view() : points.id_texts[row]);
        cells(row, lines);
        lines += '\n';
    }
    file->write(lines);
}

}  // namespace

PredictedPoints::PredictedPoints(const PredictOptions& options, std::size_t clusters, const std::string& score)
    : labels_(begin_file(options.labels, ",label" + files::heading_of(options.input.with))),
      scores_(begin_file(options.scores, "," + score)),
      rows_(begin_file(options.rows.path, options.rows.heading(clusters))) {}

void PredictedPoints::write(const PointColumns& points, std::span<const std::string> kept, const Predicted& predicted) {
    write_lines(labels_.get(), points, [&](std::size_t row, std::string& line) {
        line += "," + std::to_string(predicted.labels[row]);
        if (!kept.empty()) line += "," + kept[row];
    });
    write_lines(scores_.get(), points,
                [&](std::size_t row, std::string& line) { line += "," + files::score_text(predicted.scores[row]); });
    write_lines(rows_.get(), points, [&](std::size_t row, std::string& line) {
        const std::size_t numbers = predicted.rows.size() / points.ids.size();
        line += "," + files::row_cells(std::span(predicted.rows).subspan(row * numbers, numbers));
    });
}

void PredictedPoints::close() {
    for (files::OutputStream* file : {labels_.get(), scores_.get(), rows_.get()})
        if (file != nullptr) file->close();
}

}  // namespace fairstream::command
