#include <fairstream/fit/stages/curve_values.hpp>

#include <algorithm>

#include <fairstream/base/number_text.hpp>
#include <fairstream/options.hpp>

namespace fairstream::fit {

ModelOptions changed(ModelOptions model, std::string_view option, std::string_view value) {
    set_option(model, option, value);
    return model;
}

std::string value_text(const ModelOptions& model, std::string_view option) {
    const std::vector<OptionText> all = list_options(model);
    return std::ranges::find(all, option, &OptionText::name)->value;
}

void refuse_curve(const std::string& text, const std::string& why) {
    throw InvalidInput(Reason::bad_option, "--curve " + text + ": " + why);
}

std::vector<double> read_curve_values(const std::string& text, const ModelOptions& model, std::string_view option) {
    std::vector<double> values;
    for (std::size_t first = 0; first <= text.size();) {
        const std::size_t comma = std::min(text.find(',', first), text.size());
        try {
            const ModelOptions with = changed(model, option, std::string_view(text).substr(first, comma - first));
            values.push_back(std::stod(value_text(with, option)));
        } catch (const InvalidInput& error) {
            refuse_curve(text, error.what());
        }
        first = comma + 1;
    }
    std::ranges::sort(values);
    if (const auto twice = std::ranges::adjacent_find(values); twice != values.end())
        refuse_curve(text, number_text(*twice) + " comes twice");
    return values;
}

}  // namespace fairstream::fit
