#pragma once
/// The command line of a benchmark program that plays one of several roles.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>

namespace fairstream::benchmarks {

/// The arguments of a role by position: 0 is the program, 1 the role.
class RoleArguments {
public:
    RoleArguments(int count, char** values) : values_(values, static_cast<std::size_t>(count)) {}

    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
    [[nodiscard]] std::string text(std::size_t place) const { return values_[place]; }
    [[nodiscard]] std::uint64_t number(std::size_t place) const { return std::strtoull(values_[place], nullptr, 10); }
    [[nodiscard]] std::string role() const { return size() > 1 ? text(1) : std::string(); }

private:
    std::span<char*> values_;
};

/// Plays the role and returns the exit code: 2 if `play` returns false because the arguments are no role's; 1 if it
/// throws, with the reason on stderr after `program`.
template <class Play> int play_role(const char* program, int count, char** values, const Play& play) {
    try {
        if (play(RoleArguments(count, values))) return 0;
        std::fprintf(stderr, "%s: unknown role or wrong number of arguments\n", program);
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", program, error.what());
        return 1;
    }
}

}  // namespace fairstream::benchmarks
