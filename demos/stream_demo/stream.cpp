#include "stream.hpp"

#include <algorithm>
#include <cmath>

#include <fairstream/generate/loans.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

#include "../screen.hpp"
#include "data_file.hpp"

namespace demo {
namespace {

using namespace fairstream;

/// Seconds that a stream without a given rate takes.
constexpr double seconds = 12;

/// Default balance target of the fair model, as a share of the stream's own balance.
constexpr double share = 0.8;

/// Counts the points of each known group of attribute 0.
class GroupCounts {
public:
    explicit GroupCounts(const StreamFormat& format)
        : attributes_(format.attributes.size()), counts_(format.attributes[0].known_groups()) {}
    void add(std::span<const GroupId> groups) {
        for (std::size_t i = 0; i < groups.size(); i += attributes_)
            if (groups[i] < counts_.size()) ++counts_[groups[i]];
    }
    [[nodiscard]] double balance() const {
        const auto [least, most] = std::minmax_element(counts_.begin(), counts_.end());
        return static_cast<double>(*least) / static_cast<double>(*most);
    }

private:
    std::size_t attributes_;
    std::vector<std::uint64_t> counts_;
};

double loan_balance(const StreamOptions& options) {
    constexpr std::uint64_t at_once = 10'000;
    generate::LoanApplicants applicants(options.seed);
    GroupCounts counts(generate::LoanApplicants::format());
    PointColumns points;
    for (std::uint64_t left = options.points; left > 0; left -= points.ids.size()) {
        applicants.next(std::min(left, at_once), points);
        counts.add(points.groups);
    }
    return counts.balance();
}

Stream loan_stream(const StreamOptions& options) {
    Stream stream;
    stream.title = counted(options.points) + " loan applicants, drifting";
    stream.engine.format = generate::LoanApplicants::format();
    stream.features.assign(generate::LoanApplicants::feature_names.begin(),
                           generate::LoanApplicants::feature_names.end());
    stream.points = options.points;
    stream.balance = loan_balance(options);
    stream.sender = {"--generate",      "loans",
                     "--points",        std::to_string(options.points),
                     "--generate-seed", std::to_string(options.seed)};
    return stream;
}

Stream file_stream(const StreamOptions& options) {
    const DataFile data = read_data(options.data, options.reading);
    Stream stream;
    stream.title = counted(data.table.size()) + " rows of " + data.name;
    stream.engine.format = data.table.format;
    stream.engine.prepare = data.prepare;
    stream.reader = data.reader;
    stream.features = data.features;
    stream.points = data.table.size();
    GroupCounts counts(data.table.format);
    counts.add(data.table.groups);
    stream.balance = counts.balance();
    stream.sender = data.sender;
    stream.sends_input = data.is_standard_input;
    return stream;
}

ModelSetup model(const StreamOptions& options, const char* name, double target) {
    safairkm::Options model;
    model.clusters = options.clusters;
    model.targets.balance_at_least = target;
    if (target == 0) model.targets.parity_at_least = 0;
    return {name, model, {}};
}

}  // namespace

Stream make_stream(const StreamOptions& options) {
    Stream stream = options.data.empty() ? loan_stream(options) : file_stream(options);
    const double unit = std::pow(10, -stream.digits());
    stream.target = options.balance.value_or(std::round(share * stream.balance / unit) * unit);
    if (stream.target <= 0)
        throw InvalidInput(Reason::bad_option, "the smallest group of " + stream.engine.format.attributes[0].name +
                                                   " is too small for the default target: set one with --balance");
    stream.engine.window.capacity = static_cast<Slot>(std::min<std::uint64_t>(options.window, stream.points));
    stream.engine.models = {model(options, plain, 0), model(options, fair, stream.target)};
    check(stream.engine);

    constexpr std::uint64_t events = 200;
    stream.batch = std::clamp<std::uint64_t>(stream.points / events, 1, 1 << 16);
    const double rate = options.rate.value_or(static_cast<double>(stream.points) / seconds);
    stream.sender.insert(stream.sender.end(), {"--batch", std::to_string(stream.batch)});
    if (rate > 0) stream.sender.insert(stream.sender.end(), {"--rate", fixed(rate, 3)});
    return stream;
}

}  // namespace demo
