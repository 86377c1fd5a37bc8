#include <fairstream/figures/report_text.hpp>

#include <cmath>

#include <nlohmann/json.hpp>

namespace fairstream::figures {
namespace {

using nlohmann::ordered_json;

void write_infinities(ordered_json& json) {
    if (json.is_structured())
        for (ordered_json& value : json) write_infinities(value);
    else if (json.is_number_float() && std::isinf(json.get<double>()))
        json = json.get<double>() > 0 ? "Infinity" : "-Infinity";
}

std::string text_of(ordered_json report, int indent) {
    write_infinities(report);
    return report.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string report_text(ordered_json report) {
    return text_of(std::move(report), 2);
}

std::string report_line(ordered_json report) {
    return text_of(std::move(report), -1);
}

}  // namespace fairstream::figures
