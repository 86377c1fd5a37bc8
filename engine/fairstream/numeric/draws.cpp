#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/numeric/draws.hpp>

namespace fairstream {
namespace {

template <class Draw> auto drawn(Random::Words& words, Draw&& draw) {
    Random random(words);
    const auto value = draw(random);
    words = random.words();
    return value;
}

}  // namespace

Draws::Draws(std::uint64_t seed) : words_(Random(seed).words()) {}

std::uint64_t Draws::next() {
    return drawn(words_, [](Random& random) { return random.next(); });
}

std::uint32_t Draws::below(std::uint32_t bound) {
    return drawn(words_, [&](Random& random) { return random.below(bound); });
}

double Draws::unit() {
    return drawn(words_, [](Random& random) { return random.unit(); });
}

}  // namespace fairstream
