#include <fairstream/fit/stages/tau_scan.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/models/lord/lord.hpp>
#include <fairstream/options.hpp>

namespace fairstream::fit {
namespace {

constexpr std::string_view tau_setting = "tau=scan";
constexpr int tau_steps = 100;  // steps between tau = 0 and tau = 1

ModelOptions with_tau(ModelOptions model, double tau) {
    model.get<lord::Options>().tau = tau;
    return model;
}

const TriedTau& best_of(const TauScan& scan) {
    return *std::ranges::max_element(scan, {}, &TriedTau::accuracy);
}

}  // namespace

void take_tau_scan(FitOptions& options) {
    if (options.model != model_name(lord::Options{}) || std::erase(options.settings, tau_setting) == 0) return;
    for (const std::string& other : options.settings)
        if (other.starts_with("tau="))
            throw InvalidInput(Reason::bad_option,
                               "--set " + other + " and --set " + std::string(tau_setting) + " give tau two values");
    options.scans_tau = true;
}

void check_tau_scan(const FitOptions& options, const ModelOptions& model) {
    const auto refuse = [](const std::string& why) {
        throw InvalidInput(Reason::bad_option, "--set " + std::string(tau_setting) + ": " + why);
    };
    if (model.get<lord::Options>().method != lord::Method::b_lord)
        refuse("method = lord has no tau; use method = b_lord");
    if (options.input.classes.empty())
        refuse(
            "chooses the tau whose labels agree best with the true classes: name the column of classes with "
            "--target, or let the model choose: --set tau=tau1 or --set tau=tau2");
}

TauScan scan_tau(const ModelOptions& model, const FitOfTau& accuracy, const FitProgress& progress) {
    TauScan scan;
    bool goes_on = true;
    for (int i = 0; i <= tau_steps && goes_on; ++i) {
        const double tau = static_cast<double>(i) / tau_steps;
        const std::string text =
            "tau " + number_text(tau) + ", " + std::to_string(i + 1) + " of " + std::to_string(tau_steps + 1);
        const FitProgress of_tau = [&](double share, std::string_view) {
            goes_on = progress((i + share) / (tau_steps + 1), text);
            return goes_on;
        };
        scan.push_back({tau, accuracy(with_tau(model, tau), of_tau)});
    }
    // The accuracy of an interrupted fit is not comparable.
    if (!goes_on && scan.size() > 1) scan.pop_back();
    return scan;
}

ModelOptions with_best_tau(ModelOptions model, const TauScan& scan) {
    return with_tau(std::move(model), best_of(scan).tau);
}

void add_tau_scan(const TauScan& scan, nlohmann::ordered_json& json) {
    json["tau_oracle"] = true;
    json["tau_scanned"] = nlohmann::ordered_json::array();
    for (const TriedTau& one : scan) json["tau_scanned"].push_back({{"tau", one.tau}, {"accuracy", one.accuracy}});
}

TextRows tau_scan_rows(const TauScan& scan) {
    return {{"tau by oracle", number_text(best_of(scan).tau),
             "best agreement with the true classes, among " + std::to_string(scan.size()) + " values from 0 to 1"}};
}

}  // namespace fairstream::fit
