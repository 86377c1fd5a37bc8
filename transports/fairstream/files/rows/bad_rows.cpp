#include <fairstream/files/rows/bad_rows.hpp>

#include <unistd.h>

#include <cerrno>
#include <limits>
#include <system_error>

#include <fairstream/files/cells/csv_cell.hpp>
#include <fairstream/files/rows/standard_output.hpp>

namespace fairstream::files {

BadRows::BadRows(const BadRowPolicy& policy, const Reader& reader) : policy_(policy) {
    if (policy_.file.empty()) return;
    // For standard output, a copy of the descriptor is used: it writes behind what a file already contains.
    file_.reset(is_stdout(policy_.file) ? ::fdopen(::dup(STDOUT_FILENO), "wb")
                                        : std::fopen(policy_.file.c_str(), "wb"));
    std::vector<std::string> heading{"line", "reason"};
    heading.insert(heading.end(), reader.header().begin(), reader.header().end());
    write(heading);
}

void BadRows::add(const Reader& reader, const BadRow& error) {
    constexpr std::size_t most_kept = 3;
    ++count_;
    if (first_.size() < most_kept) first_.emplace_back(error.what());
    if (!policy_.file.empty()) {
        std::vector<std::string> row{std::to_string(reader.line()), error.what()};
        for (const std::string_view cell : reader.cells()) row.emplace_back(cell);
        write(row);
    }
    if (count_ <= policy_.at_most) return;
    if (policy_.at_most == 0) throw BadRow(error);
    std::string text = "more than " + std::to_string(policy_.at_most) + " rows cannot be used";
    for (const std::string& what : first_) text += (&what == first_.data() ? ": " : "; ") + what;
    throw BadRow(error.reason(), text, error.fault(), error.column(), error.cell());
}

void BadRows::count_all() {
    policy_ = {std::numeric_limits<std::uint64_t>::max(), {}};
}

void BadRows::write(const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + csv_cell(cells[i]);
    line += '\n';
    if (!file_ || std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fflush(file_.get()) != 0)
        throw std::system_error(errno, std::generic_category(), policy_.file.string());
}

}  // namespace fairstream::files
