#include <fairstream/optimisation/sa2gd.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <fairstream/base/option_fields.hpp>
#include <fairstream/base/types.hpp>

namespace fairstream::sa2gd {
namespace {

constexpr std::int64_t most_steps = 1'000'000'000;

template <class T> void require(bool holds, const std::string& name, T value, const char* rule) {
    if (!holds) throw InvalidInput(Reason::bad_option, name + " = " + number_text(value) + ": must be " + rule);
}

bool positive(double value) {
    return value > 0 && std::isfinite(value);
}

double step_size(const Options& options, std::int64_t t) {
    const double n = static_cast<double>(options.steps_a + options.steps_b);
    const double alpha =
        options.step ? options.step(t) : 2 / (options.strong_convexity * (static_cast<double>(t) + 1) * n);
    require(positive(alpha), "step size " + std::to_string(t), alpha, "above 0 and finite");
    return alpha;
}

void check_gradients(const Options& options, const Gradient& gradient_a, const Gradient& gradient_b) {
    if ((options.steps_a > 0 && !gradient_a) || (options.steps_b > 0 && !gradient_b))
        throw InvalidInput(Reason::bad_option, std::string("no gradient of f^") +
                                                   (options.steps_a > 0 && !gradient_a ? "a" : "b") +
                                                   ", but steps on it are requested");
}

void check_start(std::span<const double> start) {
    if (start.empty()) throw InvalidInput(Reason::wrong_shape, "start has 0 coordinates: must have at least 1");
    for (std::size_t i = 0; i < start.size(); ++i)
        if (!std::isfinite(start[i]))
            throw InvalidInput(Reason::bad_feature,
                               "start[" + std::to_string(i) + "] = " + number_text(start[i]) + " is not finite");
}

// Repeats y <- y - alpha g(y) `steps` times; returns false once y is not finite.
bool descend(const Gradient& gradient, std::int64_t steps, double alpha, Draws& draws, std::span<double> y,
             std::span<double> g) {
    for (std::int64_t r = 0; r < steps; ++r) {
        gradient(y, draws, g);
        bool finite = true;
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] -= alpha * g[i];
            finite &= std::isfinite(y[i]);
        }
        if (!finite) return false;
    }
    return true;
}

}  // namespace

void check(const Options& options) {
    require(options.steps_a >= 0 && options.steps_a <= most_steps, "steps_a", options.steps_a, "0 to 1e9");
    require(options.steps_b >= 0 && options.steps_b <= most_steps, "steps_b", options.steps_b, "0 to 1e9");
    require(options.steps_a + options.steps_b > 0, "steps_a + steps_b", options.steps_a + options.steps_b, "above 0");
    require(options.iterations >= 0, "iterations", options.iterations, "at least 0");
    const double c = options.strong_convexity;
    if (options.step)
        require(c == 0, "strong_convexity", c, "0 if step is given");
    else
        require(positive(c), "strong_convexity", c, "above 0 and finite if no step is given");
}

double weight(const Options& options) {
    return static_cast<double>(options.steps_a) / static_cast<double>(options.steps_a + options.steps_b);
}

Result minimise(const Options& options, std::span<const double> start, const Gradient& gradient_a,
                const Gradient& gradient_b, const Observer& observe) {
    check(options);
    check_gradients(options, gradient_a, gradient_b);
    check_start(start);
    Result result{.x = {start.begin(), start.end()}};
    std::vector<double> y = result.x;
    // Begins with NaN, so that an entry that the gradient never writes is noticed. With 0 its variable would stay
    // unchanged.
    std::vector<double> g(start.size(), std::numeric_limits<double>::quiet_NaN());
    Draws draws(options.seed);
    while (result.iterations < options.iterations) {
        const double alpha = step_size(options, result.iterations);
        if (!descend(gradient_a, options.steps_a, alpha, draws, y, g) ||
            !descend(gradient_b, options.steps_b, alpha, draws, y, g)) {
            result.outcome = Outcome::not_finite;
            break;
        }
        std::ranges::copy(y, result.x.begin());
        ++result.iterations;
        if (observe) observe(result.iterations, result.x);
    }
    return result;
}

}  // namespace fairstream::sa2gd
