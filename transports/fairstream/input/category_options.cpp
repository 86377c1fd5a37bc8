#include <fairstream/input/category_options.hpp>

#include <algorithm>
#include <charconv>

#include <fairstream/base/types.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/files/cells/shown.hpp>

namespace fairstream::files {
namespace {

[[noreturn]] void refuse_category(const std::string& what) {
    throw InvalidInput(Reason::bad_option, what);
}

/// Returns the level that begins at `first` in an order: the longest of `levels` found there in full, since levels such
/// as "<10k" contain the separator; otherwise the text up to the separator.
std::string level_at(const std::string& order, std::size_t first, const std::vector<std::string>& levels) {
    const std::string* longest = nullptr;
    for (const std::string& level : levels) {
        const std::size_t end = first + level.size();
        const bool is_whole = order.compare(first, level.size(), level) == 0 &&
                              (end == order.size() || (end < order.size() && order[end] == '<'));
        if (is_whole && (longest == nullptr || level.size() > longest->size())) longest = &level;
    }
    return longest != nullptr ? *longest : order.substr(first, order.find('<', first) - first);
}

}  // namespace

void require_encoding(const std::string& option, const std::string& value) {
    const bool is_hash = value == "hash" || value.starts_with("hash:");
    if (!is_hash && value != "onehot" && value != "ordinal" && value.find('<') == std::string::npos)
        refuse_category(option + ": must be onehot, ordinal, hash, hash:N, or an order such as low<high");
}

std::uint32_t buckets_of(const std::string& option, const std::string& value) {
    if (value == "hash") return usual_buckets;
    std::uint32_t buckets = 0;
    const char* const last = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data() + std::string_view("hash:").size(), last, buckets);
    if (error != std::errc() || end != last || buckets < least_buckets || buckets > most_buckets)
        refuse_category(option + ": N must be 2 to 65535");
    return buckets;
}

std::vector<std::string> ordered(const std::string& option, const std::string& value,
                                 const std::vector<std::string>& levels) {
    std::vector<std::string> given;
    for (std::size_t first = 0; first <= value.size();) {
        given.push_back(level_at(value, first, levels));
        first += given.back().size() + 1;
    }
    for (const std::string& level : levels)
        if (std::ranges::count(given, level) == 0)
            refuse_category(option + ": the order leaves out " + shown(level) + "; list every value of the column");
    return given;
}

}  // namespace fairstream::files
