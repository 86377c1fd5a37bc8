#include <fairstream/models/group_metrics/detail/options.hpp>
#include <fairstream/models/model_adapter.hpp>

namespace fairstream::group_metrics {

const ModelAbout Model::about{.cost = "none: it measures, and minimises nothing",
                              .start = "a column with the predictions"};

const ModelKind& Model::kind() {
    return kind_of<Model>();
}

}  // namespace fairstream::group_metrics
