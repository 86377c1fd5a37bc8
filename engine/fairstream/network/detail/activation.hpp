#pragma once
/// Activations of layers, and their derivatives.

#include <algorithm>
#include <cmath>

#include <fairstream/network/network.hpp>

namespace fairstream {

template <class Number> [[nodiscard]] Number activated(Activation activation, Number z) {
    switch (activation) {
        case Activation::identity:
            return z;
        case Activation::relu:
            return std::max(z, Number{0});
        case Activation::tanh:
            return std::tanh(z);
        case Activation::sigmoid:
            return 1 / (1 + std::exp(-z));
    }
    return z;
}

/// Returns the derivative at the input whose activation is `active`.
[[nodiscard]] inline double slope(Activation activation, double active) {
    switch (activation) {
        case Activation::identity:
            return 1;
        case Activation::relu:
            return active > 0 ? 1 : 0;
        case Activation::tanh:
            return 1 - active * active;
        case Activation::sigmoid:
            return active * (1 - active);
    }
    return 0;
}

}  // namespace fairstream
