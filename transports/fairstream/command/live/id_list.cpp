#include <fairstream/command/live/id_list.hpp>

#include <fstream>
#include <iostream>

#include <fairstream/base/types.hpp>

namespace fairstream::command {

std::vector<std::string> read_id_list(const std::filesystem::path& file) {
    const bool is_stdin = file == "-";
    const std::string name = is_stdin ? "standard input" : file.string();
    std::ifstream opened;
    if (!is_stdin) opened.open(file, std::ios::binary);
    std::istream& in = is_stdin ? std::cin : opened;
    std::vector<std::string> ids;
    for (std::string line; std::getline(in, line);) {
        if (line.ends_with('\r')) line.pop_back();
        if (!line.empty()) ids.push_back(std::move(line));
    }
    if ((!is_stdin && !opened.is_open()) || in.bad())
        throw InvalidInput(Reason::bad_option, "--ids " + name + ": cannot be read");
    if (ids.empty()) throw InvalidInput(Reason::bad_option, "--ids " + name + ": has no ids; it needs one a line");
    return ids;
}

}  // namespace fairstream::command
