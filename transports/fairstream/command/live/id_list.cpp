#include <fairstream/command/live/id_list.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string_view>

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
        std::string_view id = line;
        constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
        if (ids.empty() && id.starts_with(byte_order_mark)) id.remove_prefix(byte_order_mark.size());
        constexpr std::string_view blank = " \t\r";
        id.remove_prefix(std::min(id.size(), id.find_first_not_of(blank)));
        id = id.substr(0, id.find_last_not_of(blank) + 1);
        if (!id.empty()) ids.emplace_back(id);
    }
    if ((!is_stdin && !opened.is_open()) || in.bad())
        throw InvalidInput(Reason::bad_option, "--ids " + name + ": cannot be read");
    if (ids.empty()) throw InvalidInput(Reason::bad_option, "--ids " + name + ": has no ids; it needs one a line");
    return ids;
}

}  // namespace fairstream::command
