#include <fairstream/replay/point_names.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fairstream/base/printable.hpp>
#include <fairstream/wire/text_id.hpp>

namespace fairstream::replay {
namespace {

PointId number_of(const std::string& name) {
    PointId id = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data(), end, id);
    if (error != std::errc() || rest != end || id == no_point)
        throw InvalidInput(Reason::malformed,
                           "'" + printable(name) + "' is no id: ids of this stream are whole numbers");
    return id;
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

}  // namespace

PointNames::PointNames(const StreamFormat& format, std::span<const std::string> names)
    : has_texts_(format.has_text_ids), numbers_texts_(format.numbers_texts()) {
    for (const std::string& name : names) {
        if (has_texts_ && (name.empty() || name.size() > longest_id_text))
            throw InvalidInput(Reason::malformed, "'" + printable(name.substr(0, 80)) +
                                                      "' is no id: a text id has 1 to " +
                                                      std::to_string(longest_id_text) + " bytes");
        if (!numbers_texts_ && !ids_.insert(has_texts_ ? wire::text_id(name) : number_of(name)).second) continue;
        if (has_texts_ && !texts_.insert(name).second) continue;
        if (has_texts_) printed_.insert(printable(name));
        names_.push_back(name);
    }
}

PointNames::Removal PointNames::removal(std::size_t first, std::size_t count) const {
    Removal removal;
    for (std::size_t i = first; i < first + count; ++i) {
        if (numbers_texts_)
            removal.texts.add(names_[i]);
        else
            removal.ids.push_back(has_texts_ ? wire::text_id(names_[i]) : number_of(names_[i]));
    }
    return removal;
}

bool PointNames::are_named_in(std::string_view message) const {
    for (std::size_t at = 0; at < message.size();) {
        const std::size_t begin = at;
        while (at < message.size() && is_digit(message[at])) ++at;
        PointId id = 0;
        if (at > begin && std::from_chars(message.data() + begin, message.data() + at, id).ec == std::errc() &&
            ids_.contains(id))
            return true;
        at += at == begin ? 1 : 0;
    }
    // A text may itself contain quotes.
    std::vector<std::size_t> quotes;
    for (std::size_t at = message.find('\''); at != message.npos; at = message.find('\'', at + 1)) quotes.push_back(at);
    for (std::size_t i = 0; i < quotes.size(); ++i)
        for (std::size_t j = i + 1; j < quotes.size(); ++j)
            if (printed_.contains(message.substr(quotes[i] + 1, quotes[j] - quotes[i] - 1))) return true;
    return false;
}

bool PointNames::are_in(wire::Bytes bytes) const {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (std::ranges::any_of(texts_, [&](const std::string& each) { return text.find(each) != text.npos; })) return true;
    // Columns of ids start at word boundaries.
    for (std::size_t at = 0; at + sizeof(PointId) <= bytes.size(); at += sizeof(PointId)) {
        PointId id = 0;
        std::memcpy(&id, bytes.data() + at, sizeof id);
        if (ids_.contains(id)) return true;
    }
    return false;
}

}  // namespace fairstream::replay
