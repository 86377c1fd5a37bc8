#include <fairstream/models/group_metrics/detail/model.hpp>
#include <fairstream/models/group_metrics/detail/options.hpp>
#include <fairstream/models/model_adapter.hpp>

namespace fairstream::group_metrics {

const ModelAbout Model::about{
    .purpose = "Monitor predictions made elsewhere: rates by group, their sampling error, and bounds on differences",
    .cost = "none: the model measures, and minimises nothing",
    .start = "a column with the predictions",
    .examples =
        "  fairstream fit group_metrics --generate loan_decisions --points 2000 --set prediction=income\n"
        "  fairstream fit group_metrics --input decisions.csv --group sex,age --target repaid \\\n"
        "      --set prediction=score\n"
        "  fairstream fit group_metrics --input decisions.csv --group sex --id key --target repaid \\\n"
        "      --set prediction=score --set parity_difference_at_most=0.1 --save-config monitor.toml\n"};

const ModelKind& kind_of(const Options&) {
    return kind_of_model<Model>();
}

}  // namespace fairstream::group_metrics
