#pragma once
/// Agreement of a fit's labels with the true classes in its file. Classes are compared with the final labels, and no
/// model sees them. A scan for tau uses them to choose among models.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fairstream/base/types.hpp>
#include <fairstream/files/cells/text_hash.hpp>
#include <fairstream/files/points/table.hpp>
#include <fairstream/fit/stages/model_report.hpp>
#include <fairstream/fit/stages/tau_scan.hpp>
#include <fairstream/numeric/label_agreement.hpp>

namespace fairstream::fit {

struct ClassAgreement {
    std::string column;       ///< column of the classes
    std::size_t classes = 0;  ///< number of classes among the points
    LabelAgreement figures;
    TauScan tau_scan = {};  ///< the scan in which the classes chose tau; empty: none
};

/// The classes of points by id, or by the text of the id.
class ClassesById {
public:
    void set(PointId id, std::string_view text, files::ClassId true_class) {
        if (text.empty())
            by_id_.insert_or_assign(id, true_class);
        else
            by_text_.insert_or_assign(std::string(text), true_class);
    }
    [[nodiscard]] files::ClassId of(PointId id, std::string_view text) const {
        return text.empty() ? by_id_.at(id) : by_text_.find(text)->second;
    }

private:
    std::unordered_map<PointId, files::ClassId> by_id_;
    std::unordered_map<std::string, files::ClassId, files::TextHash, std::equal_to<>> by_text_;
};

/// Returns the classes of the rows. A repeated id has its last class, as the last row replaces the point. Empty for a
/// table without classes.
[[nodiscard]] ClassesById classes_by_id(const files::Table& table);

/// Returns the agreement of labels with the classes of the same points. `weights` are the points' weights; empty: 1
/// each. Points without a cluster are left out.
[[nodiscard]] ClassAgreement agreement_with_classes(const std::string& column, std::span<const ClusterId> labels,
                                                    std::span<const files::ClassId> classes,
                                                    std::span<const double> weights = {});

void add_agreement(const ClassAgreement& agreement, nlohmann::ordered_json& json);
/// Returns rows of name, value and meaning.
[[nodiscard]] TextRows agreement_rows(const ClassAgreement& agreement);

}  // namespace fairstream::fit
