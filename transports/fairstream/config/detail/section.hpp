#pragma once
/// A table of a configuration file that tracks which keys were read, in order to refuse unknown ones. The only header
/// that includes toml++.

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/base/number_text.hpp>
#include <fairstream/base/types.hpp>

namespace fairstream::config {

class Section {
public:
    /// `name` is in the file's spelling, e.g. "[window]"; empty for the file itself.
    Section(const toml::table& table, std::string name, const std::string& source)
        : table_(table), name_(std::move(name)), source_(source) {}

    /// Returns the node under `key`, or null; marks the key as known.
    const toml::node* find(std::string_view key) {
        known_.emplace_back(key);
        return table_.get(key);
    }

    /// Reads the value under `key`; every `read` leaves `out` unchanged when the key is missing.
    void read(std::string_view key, std::string& out) {
        if (const toml::node* node = find(key)) out = text(*node, key);
    }
    void read(std::string_view key, bool& out) {
        const toml::node* node = find(key);
        if (node == nullptr) return;
        if (!node->is_boolean()) refuse(*node, key, "must be true or false");
        out = node->as_boolean()->get();
    }
    /// Reads an integer in [least, most]. A value above 2^63 - 1, TOML's largest integer, is written as a string.
    template <class Integer> void read(std::string_view key, Integer& out, std::uint64_t least = 0,
                                       std::uint64_t most = std::numeric_limits<Integer>::max()) {
        const toml::node* node = find(key);
        if (node == nullptr) return;
        std::uint64_t value = 0;
        const bool valid = integer(*node, value) && value >= least && value <= most;
        if (!valid) refuse(*node, key, "must be an integer, " + std::to_string(least) + " to " + std::to_string(most));
        out = static_cast<Integer>(value);
    }
    /// Reads a number in [least, most].
    void read(std::string_view key, double& out, double least, double most) {
        const toml::node* node = find(key);
        if (node == nullptr) return;
        const double value = number(*node, key);
        if (!(value >= least && value <= most))
            refuse(*node, key, "must be a number, " + bound_text(least) + " to " + bound_text(most));
        out = value;
    }
    void read(std::string_view key, std::vector<double>& out) {
        const toml::node* node = find(key);
        if (node == nullptr) return;
        if (!node->is_array()) refuse(*node, key, "must be a list of numbers");
        out.clear();
        for (const toml::node& element : *node->as_array()) out.push_back(number(element, key));
    }
    void read(std::string_view key, std::vector<std::string>& out) {
        const toml::node* node = find(key);
        if (node == nullptr) return;
        if (!node->is_array()) refuse(*node, key, "must be a list of texts");
        out.clear();
        for (const toml::node& element : *node->as_array()) out.push_back(text(element, key));
    }
    /// Returns the table `[key]`; an empty one when it is missing.
    [[nodiscard]] Section table(std::string_view key) {
        static const toml::table nothing;
        const toml::node* node = find(key);
        if (node != nullptr && !node->is_table()) refuse(*node, key, "must be a table");
        return {node == nullptr ? nothing : *node->as_table(), "[" + path(key) + "]", source_};
    }
    /// Returns the tables `[[key]]`, in order.
    [[nodiscard]] std::vector<Section> tables(std::string_view key) {
        std::vector<Section> result;
        const toml::node* node = find(key);
        if (node == nullptr) return result;
        if (!node->is_array_of_tables()) refuse(*node, key, "must be a list of tables, [[" + path(key) + "]]");
        for (const toml::node& element : *node->as_array())
            result.emplace_back(*element.as_table(), "[[" + path(key) + "]]", source_);
        return result;
    }

    /// Returns a table that is an entry of the list under `key`.
    [[nodiscard]] Section entry(const toml::table& table, std::string_view key) const {
        return {table, "[" + path(key) + "]", source_};
    }

    [[nodiscard]] const toml::table& keys() const noexcept { return table_; }
    [[nodiscard]] std::string where(const toml::source_region& region) const {
        return source_ + ":" + std::to_string(region.begin.line) + ":" + std::to_string(region.begin.column) + ": ";
    }
    [[noreturn]] void refuse(const toml::node& node, std::string_view key, const std::string& rule) const {
        throw InvalidInput(Reason::bad_option, where(node.source()) + path(key) + " = " + spelled(node) + ": " + rule);
    }
    /// Returns a value as text, in the form that options take and errors show.
    [[nodiscard]] static std::string spelled(const toml::node& node) {
        if (const auto* value = node.as_string()) return value->get();
        if (const auto* value = node.as_integer()) return std::to_string(value->get());
        if (const auto* value = node.as_boolean()) return value->get() ? "true" : "false";
        if (const auto* value = node.as_floating_point()) {
            std::array<char, 32> digits;
            return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value->get()).ptr};
        }
        if (const auto* list = node.as_array()) return spelled(*list);
        return node.is_table() ? "(a table)" : "(a date or time)";
    }
    /// Returns a number for messages: 1e15, where `number_text` writes 1e+15.
    [[nodiscard]] static std::string bound_text(double value) {
        std::string text = number_text(value);
        std::erase(text, '+');
        return text;
    }
    /// Throws `InvalidInput` for the section as a whole, at its start.
    [[noreturn]] void refuse(const std::string& what) const {
        throw InvalidInput(Reason::bad_option, where(table_.source()) + what);
    }
    /// Throws `InvalidInput` for the first key, by position, that was not read.
    void require_all_known() const {
        const toml::key* unknown = nullptr;
        for (const auto& [key, node] : table_) {
            const bool is_known = std::find(known_.begin(), known_.end(), key.str()) != known_.end();
            if (!is_known && (unknown == nullptr || before(key, *unknown))) unknown = &key;
        }
        if (unknown == nullptr) return;
        std::string names;
        for (const std::string& name : known_) names += (names.empty() ? "" : ", ") + name;
        throw InvalidInput(Reason::unknown_option,
                           where(unknown->source()) + "unknown key '" + std::string(unknown->str()) + "'" +
                               (name_.empty() ? "" : " in " + name_) +
                               did_you_mean(std::string(unknown->str()), known_) + "; known: " + names);
    }

private:
    /// Returns the first values of a list: "[1, 2]".
    static std::string spelled(const toml::array& list) {
        constexpr std::size_t most_shown = 8;
        std::string text;
        for (std::size_t i = 0; i < std::min(list.size(), most_shown); ++i) {
            const toml::node& element = *list.get(i);
            text += (i == 0 ? "" : ", ") + (element.is_array() ? "(a list)" : spelled(element));
        }
        return "[" + text + (list.size() > most_shown ? ", ...]" : "]");
    }
    static bool before(const toml::key& a, const toml::key& b) {
        const auto &left = a.source().begin, &right = b.source().begin;
        return left.line != right.line ? left.line < right.line : left.column < right.column;
    }
    static bool integer(const toml::node& node, std::uint64_t& value) {
        if (const auto* number = node.as_integer()) {
            value = static_cast<std::uint64_t>(number->get());
            return number->get() >= 0;
        }
        const auto* spelled = node.as_string();
        if (spelled == nullptr) return false;
        const std::string& digits = spelled->get();
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc() && end == digits.data() + digits.size();
    }
    [[nodiscard]] double number(const toml::node& node, std::string_view key) const {
        if (const auto* value = node.as_integer()) return static_cast<double>(value->get());
        if (const auto* value = node.as_floating_point()) return value->get();
        refuse(node, key, "must be a number");
    }
    [[nodiscard]] const std::string& text(const toml::node& node, std::string_view key) const {
        if (!node.is_string()) refuse(node, key, "must be text");
        return node.as_string()->get();
    }
    [[nodiscard]] std::string path(std::string_view key) const {
        const std::size_t open = name_.find_first_not_of('['), close = name_.find(']');
        return (name_.empty() ? "" : name_.substr(open, close - open) + ".") + std::string(key);
    }

    const toml::table& table_;
    std::string name_;
    const std::string& source_;
    std::vector<std::string> known_;
};

}  // namespace fairstream::config
