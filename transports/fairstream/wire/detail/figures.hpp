#pragma once
/// Figures of a table as fields of messages: the figure `worst_gap` is the field `worstGap`.

#include <string>
#include <string_view>
#include <vector>

#include <capnp/dynamic.h>

namespace fairstream::wire::detail {

/// Returns "worstGap" for "worst_gap".
inline std::string field_name(std::string_view figure) {
    std::string name;
    for (std::size_t i = 0; i < figure.size(); ++i) {
        const bool begins_word = i > 0 && figure[i - 1] == '_';
        if (figure[i] != '_') name += begins_word ? static_cast<char>(figure[i] - 'a' + 'A') : figure[i];
    }
    return name;
}

/// Returns the field of each figure of `table`, which has static storage; Cap'n Proto throws for a figure without a
/// field.
template <class Message, const auto& table> const std::vector<capnp::StructSchema::Field>& fields_of() {
    static const auto fields = [] {
        std::vector<capnp::StructSchema::Field> all;
        const capnp::StructSchema schema = capnp::Schema::from<Message>();
        for (const auto& figure : table) all.push_back(schema.getFieldByName(field_name(figure.name)));
        return all;
    }();
    return fields;
}

template <const auto& table, class Reader, class Of> void read_figures(Reader reader, Of& to) {
    const capnp::DynamicStruct::Reader from(reader);
    const auto& fields = fields_of<typename Reader::Reads, table>();
    for (std::size_t i = 0; i < table.size(); ++i) to.*table[i].value = from.get(fields[i]).template as<double>();
}

template <const auto& table, class Of, class Builder> void write_figures(const Of& from, Builder builder) {
    capnp::DynamicStruct::Builder to(builder);
    const auto& fields = fields_of<typename Builder::Builds, table>();
    for (std::size_t i = 0; i < table.size(); ++i) to.set(fields[i], from.*table[i].value);
}

}  // namespace fairstream::wire::detail
