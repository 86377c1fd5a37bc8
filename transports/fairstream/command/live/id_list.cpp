#include <fairstream/command/live/id_list.hpp>

#include <utility>

#include <fairstream/base/types.hpp>
#include <fairstream/files/rows/byte_source.hpp>

namespace fairstream::command {

std::vector<std::string> read_id_list(const std::filesystem::path& file) {
    std::vector<std::string> ids;
    for (files::TextLine& line : files::read_lines(file)) ids.push_back(std::move(line.text));
    if (ids.empty())
        throw InvalidInput(Reason::bad_option,
                           "--ids " + files::input_name(file) + ": has no ids; write one id on each line");
    return ids;
}

}  // namespace fairstream::command
