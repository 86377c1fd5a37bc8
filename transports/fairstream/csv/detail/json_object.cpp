#include <fairstream/csv/detail/json_object.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/base/printable.hpp>
#include <fairstream/csv/shown.hpp>

namespace fairstream::csv::detail {
namespace {

using nlohmann::json;

/// Makes columns of all that is nested, "person.age" and "scores.0".
constexpr const char* flatten =
    "jq -c '[paths(type != \"object\" and type != \"array\") as $p | {($p | map(tostring) | join(\".\")): "
    "getpath($p)}] "
    "| add // {}' FILE | fairstream ... --input -";

/// Returns a key as a path of jq.
std::string jq_path(const std::string& key) {
    const bool is_word = !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
        return c < 0x80 && (std::isalpha(c) != 0 || c == '_');
    });
    return is_word ? "." + key : ".[\"" + printable(key) + "\"]";
}

/// Hears what the parser finds; it stops when a function returns false.
class MemberEvents final : public nlohmann::json_sax<json> {
public:
    explicit MemberEvents(const TakeMember& take) : take_(take) {}
    [[nodiscard]] const std::string& wrong() const noexcept { return wrong_; }

    bool null() override { return value(""); }
    bool boolean(bool truth) override { return value(truth ? "true" : "false"); }
    bool number_integer(json::number_integer_t number) override { return integer(number); }
    bool number_unsigned(json::number_unsigned_t number) override { return integer(number); }
    bool number_float(json::number_float_t, const std::string& written) override {
        // The parser writes the decimal point of the locale.
        std::string text = written;
        std::ranges::replace(text, ',', '.');
        return value(text);
    }
    bool string(std::string& text) override {
        if (text.find('\0') != std::string::npos) return refuse("key " + shown(key_) + " has a NUL character");
        return value(text);
    }
    bool binary(json::binary_t&) override { return refuse("there are binary data"); }
    bool start_object(std::size_t) override { return !std::exchange(is_inside_, true) || refuse_nested("an object"); }
    bool key(std::string& name) override {
        key_ = name;
        if (name.empty()) return refuse("a key is empty");
        if (name.find('\0') != std::string::npos) return refuse("key " + shown(name) + " has a NUL character");
        return true;
    }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override {
        if (!is_inside_) return refuse("is an array where an object is needed");
        return refuse_nested("an array");
    }
    bool end_array() override { return true; }
    bool parse_error(std::size_t position, const std::string& token, const json::exception& error) override {
        constexpr int number_overflow = 406;
        if (error.id == number_overflow) return refuse("key " + shown(key_) + " has a number beyond those of a double");
        const bool is_constant = token.ends_with('N') || token.ends_with('I');
        return refuse("is no JSON object: wrong at byte " + std::to_string(position) + ", " + shown(token) +
                      (is_constant ? ": NaN and Infinity are no JSON, write null" : ""));
    }

private:
    template <class Integer> bool integer(Integer number) {
        std::array<char, 24> text;
        const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
        return value({text.data(), static_cast<std::size_t>(end - text.data())});
    }
    bool value(std::string_view text) {
        if (!is_inside_) return refuse("is no JSON object");
        wrong_ = take_(key_, text);
        return wrong_.empty();
    }
    bool refuse_nested(const std::string& what) {
        return refuse("key " + shown(key_) + " has " + what + " where a cell is needed: leave it out, jq -c 'del(" +
                      jq_path(key_) + ")', or make columns of all that is nested: " + flatten);
    }
    bool refuse(std::string why) {
        wrong_ = std::move(why);
        return false;
    }

    const TakeMember& take_;
    bool is_inside_ = false;
    std::string key_;
    std::string wrong_;
};

}  // namespace

std::string jq_null(std::string_view key) {
    return "{\"" + printable(key) + "\": null}";
}

std::string read_object(std::string_view text, const TakeMember& take) {
    MemberEvents events(take);
    (void)json::sax_parse(text.begin(), text.end(), &events);
    return events.wrong();
}

}  // namespace fairstream::csv::detail
