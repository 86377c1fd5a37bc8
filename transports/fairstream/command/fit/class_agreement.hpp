#pragma once
/// How well the labels of a fit agree with the true classes of its points, where a file has them. They are looked at
/// when the labels are final, and no model sees them; where tau is scanned for, they choose among models.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <unordered_map>

#include <fairstream/base/types.hpp>
#include <fairstream/command/fit/model_report.hpp>
#include <fairstream/command/fit/tau_scan.hpp>
#include <fairstream/csv/table.hpp>
#include <fairstream/numeric/label_agreement.hpp>

namespace fairstream::command {

struct ClassAgreement {
    std::string column;       ///< where the classes are from
    std::size_t classes = 0;  ///< those that points are of
    LabelAgreement figures;
    TauScan tau_scan = {};  ///< from which the classes chose; empty: they chose nothing
};

using ClassesById = std::unordered_map<PointId, csv::ClassId>;

/// Returns the classes of the rows; of a repeated id the last, as its last row replaces the point. Empty for a table
/// without classes.
[[nodiscard]] ClassesById classes_by_id(const csv::Table& table);

/// Returns how well labels agree with the classes of the same points, `weights` being theirs or empty: 1 each. Points
/// without a cluster are left out.
[[nodiscard]] ClassAgreement agreement_with_classes(const std::string& column, std::span<const ClusterId> labels,
                                                    std::span<const csv::ClassId> classes,
                                                    std::span<const double> weights = {});

void add_agreement(const ClassAgreement& agreement, nlohmann::ordered_json& json);
/// Returns rows of name, value and meaning.
[[nodiscard]] TextRows agreement_rows(const ClassAgreement& agreement);

}  // namespace fairstream::command
