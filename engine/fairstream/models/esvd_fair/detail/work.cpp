#include <algorithm>

#include <fairstream/models/esvd_fair/detail/model.hpp>

namespace fairstream::esvd_fair {
namespace {

struct Size {
    double numbers = 0;  // number of weights of all layers
    double inputs = 0;   // number of inputs of the last layer
};

Size size_of(const Options& options, const StreamFormat& format) {
    Size size;
    if (options.network.has_value()) {
        for (const Layer& layer : options.network->layers)
            size.numbers += static_cast<double>(layer.weights.values.size());
        size.inputs = static_cast<double>(options.network->layers.back().weights.cols);
        return size;
    }
    double before = format.dimensions;
    for (const int width : options.hidden) size.numbers += before * width, before = width;
    size.numbers += before;
    size.inputs = before;
    return size;
}

// The work of an eigendecomposition, and of tries of limits on held-back points.
WorkEstimate solving(const Options& options, const Size& size, double retained) {
    const double tries = options.ks_at_most < 1 ? 1400 : 1;
    return {20 * size.inputs * size.inputs * size.inputs * (tries > 1 ? 4 : 1) +
                retained * (size.numbers + tries * (size.inputs + work_of_pass_point)),
            "the size of the network or the capacity of the window"};
}

WorkEstimate training(const Options& options, const Size& size, double points, double epochs) {
    if (options.network.has_value()) return {0, "epochs"};
    return {epochs * points * 4 * size.numbers, "epochs or start_after"};
}

}  // namespace

WorkEstimate Model::step_work(const Options& options, const StreamFormat& format, std::uint64_t points,
                              std::uint64_t retained) {
    const Size size = size_of(options, format);
    const double n = static_cast<double>(points);
    const double trained_on = static_cast<double>(std::max(points, std::min(options.start_after, retained)));
    const WorkEstimate following{2 * n * (size.numbers + size.inputs * size.inputs), "the size of the network"};
    return sum_of({following, solving(options, size, static_cast<double>(retained)),
                   training(options, size, trained_on, options.epochs)});
}

WorkEstimate Model::refine_work(const Options& options, const StreamFormat& format, std::int64_t rounds,
                                std::uint64_t retained) {
    const Size size = size_of(options, format);
    const double n = static_cast<double>(retained);
    WorkEstimate work = training(options, size, n, rounds > 0 ? static_cast<double>(rounds) : options.epochs);
    if (rounds > 0) work.lower = "the number of rounds";
    return sum_of({work, solving(options, size, n), {n * size.inputs * size.inputs, "the size of the network"}});
}

}  // namespace fairstream::esvd_fair
