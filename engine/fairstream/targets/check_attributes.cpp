#include <fairstream/targets/check_attributes.hpp>

#include <algorithm>
#include <string>

#include <fairstream/base/option_fields.hpp>

namespace fairstream {

void check_attributes(const OneOrMore<int>& attribute, const StreamFormat& format) {
    const auto there = static_cast<int>(format.attributes.size());
    for (const int a : attribute) {
        if (a >= std::max(there, 1))
            throw InvalidInput(Reason::bad_option, "attribute = " + std::to_string(a) + ": the stream has " +
                                                       std::to_string(there) + " protected attributes, counted from 0");
        if (std::ranges::count(attribute, a) > 1)
            throw InvalidInput(
                Reason::bad_option,
                "attribute = " + number_text(attribute) + ": names " +
                    (there > 0 ? "'" + format.attributes[static_cast<std::size_t>(a)].name + "'" : std::to_string(a)) +
                    " twice; name each attribute once");
    }
}

std::string attribute_names(const OneOrMore<int>& attribute, const StreamFormat& format) {
    std::string text;
    for (const int a : attribute) {
        const auto index = static_cast<std::size_t>(a);
        text += (text.empty() ? "" : ",") +
                (index < format.attributes.size() ? format.attributes[index].name : std::to_string(a));
    }
    return text;
}

}  // namespace fairstream
