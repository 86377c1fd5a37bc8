#include <fairstream/files/rows/detail/json_object.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include <fairstream/files/cells/shown.hpp>

namespace fairstream::files::detail {
namespace {

using nlohmann::json;

/// Receives the parser's events; the parser stops when a function returns false.
class MemberEvents final : public nlohmann::json_sax<json> {
public:
    explicit MemberEvents(const TakeMember& take) : take_(take) {}
    [[nodiscard]] const std::string& wrong() const noexcept { return wrong_; }

    bool null() override { return value(""); }
    bool boolean(bool truth) override { return value(truth ? "true" : "false"); }
    bool number_integer(json::number_integer_t number) override { return integer(number); }
    bool number_unsigned(json::number_unsigned_t number) override { return integer(number); }
    bool number_float(json::number_float_t, const std::string& written) override {
        // The parser writes the decimal mark of the locale.
        std::string text = written;
        std::ranges::replace(text, ',', '.');
        return value(text);
    }
    bool string(std::string& text) override {
        if (depth_ == 1 && text.find('\0') != std::string::npos)
            return refuse("key " + shown(key_) + " has a NUL character");
        return value(text);
    }
    bool binary(json::binary_t&) override { return refuse("has binary data"); }
    bool start_object(std::size_t) override { return depth_++ != 1 || member("{...}"); }
    bool key(std::string& name) override {
        if (depth_ > 1) return true;
        key_ = name;
        if (name.empty()) return refuse("a key is empty");
        if (name.find('\0') != std::string::npos) return refuse("key " + shown(name) + " has a NUL character");
        return true;
    }
    bool end_object() override { return --depth_, true; }
    bool start_array(std::size_t) override {
        if (depth_ == 0) return refuse("is an array where an object is needed");
        return depth_++ != 1 || member("[...]");
    }
    bool end_array() override { return --depth_, true; }
    bool parse_error(std::size_t position, const std::string& token, const json::exception& error) override {
        constexpr int number_overflow = 406;
        if (error.id == number_overflow)
            return refuse("key " + shown(key_) + " has a number that is out of the range of a double");
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
        if (depth_ == 0) return refuse("is no JSON object");
        return depth_ > 1 || member(text);
    }
    bool member(std::string_view text) {
        wrong_ = take_(key_, text);
        return wrong_.empty();
    }
    bool refuse(std::string why) {
        wrong_ = std::move(why);
        return false;
    }

    const TakeMember& take_;
    std::size_t depth_ = 0;  // number of open objects and arrays
    std::string key_;
    std::string wrong_;
};

}  // namespace

std::string read_object(std::string_view text, const TakeMember& take) {
    MemberEvents events(take);
    (void)json::sax_parse(text.begin(), text.end(), &events);
    return events.wrong();
}

}  // namespace fairstream::files::detail
