#pragma once
/// How well the labels of a fit agree with the true classes of its points, where a file has them. They are looked at
/// when the labels are final, and no model sees them; where tau is scanned for, they choose among models.

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
    std::string column;       ///< where the classes are from
    std::size_t classes = 0;  ///< those that points are of
    LabelAgreement figures;
    TauScan tau_scan = {};  ///< from which the classes chose; empty: they chose nothing
};

/// The classes of points by their ids, or by the texts by which they are known.
class ClassesById {
public:
    void set(PointId id, std::string_view text, files::ClassId of_class) {
        if (text.empty())
            by_id_.insert_or_assign(id, of_class);
        else
            by_text_.insert_or_assign(std::string(text), of_class);
    }
    [[nodiscard]] files::ClassId of(PointId id, std::string_view text) const {
        return text.empty() ? by_id_.at(id) : by_text_.find(text)->second;
    }

private:
    std::unordered_map<PointId, files::ClassId> by_id_;
    std::unordered_map<std::string, files::ClassId, files::TextHash, std::equal_to<>> by_text_;
};

/// Returns the classes of the rows; of a repeated id the last, as its last row replaces the point. Empty for a table
/// without classes.
[[nodiscard]] ClassesById classes_by_id(const files::Table& table);

/// Returns how well labels agree with the classes of the same points, `weights` being theirs or empty: 1 each. Points
/// without a cluster are left out.
[[nodiscard]] ClassAgreement agreement_with_classes(const std::string& column, std::span<const ClusterId> labels,
                                                    std::span<const files::ClassId> classes,
                                                    std::span<const double> weights = {});

void add_agreement(const ClassAgreement& agreement, nlohmann::ordered_json& json);
/// Returns rows of name, value and meaning.
[[nodiscard]] TextRows agreement_rows(const ClassAgreement& agreement);

}  // namespace fairstream::fit
