#pragma once
/// What the columns of a file become, one by one.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/command/input/by_column.hpp>
#include <fairstream/command/input/column_problems.hpp>
#include <fairstream/command/input/group_gaps.hpp>
#include <fairstream/command/input/input.hpp>
#include <fairstream/csv/profile.hpp>

namespace fairstream::command {

/// Describes the columns of a file one by one. Each function throws `InvalidInput` for options that contradict each
/// other or the file.
class FileDescription {
public:
    FileDescription(const InputOptions& options, const std::vector<std::string>& columns);
    /// Take a feature, and an attribute with its groups.
    void add_feature(const csv::ColumnProfile& profile);
    void add_attribute(const csv::ColumnProfile& profile);
    /// Takes the column of ids: of integers, or otherwise of texts.
    void add_ids(const csv::ColumnProfile& profile);
    /// Takes the target that a model learns.
    void add_target(const csv::ColumnProfile& profile);
    /// Takes the number of rows that cannot be used whatever the columns are.
    void set_bad_rows(std::uint64_t rows) { problems_.set_bad_rows(rows); }
    /// Takes a note for people, if there is one.
    void note(std::optional<std::string> text);
    /// Returns the stream of what was taken; `names` are the features'. Throws where one of them cannot be read as it
    /// is.
    [[nodiscard]] InputStream take(std::vector<std::string> names);

private:
    /// Throws for values that no column can have, given for all.
    void check_general_values() const;
    /// Leaves out rows without a weight where that is asked for.
    void take_weights();
    /// Tells of options for all columns of a kind where there is none.
    void note_unused();
    void note_texts(const std::string& column, const std::string& what, const std::vector<std::string>& texts);
    void note_number(const csv::ColumnProfile& profile);
    /// A mark in numbers of the file.
    struct MarkOfFile {
        std::string column, first;     // that has it, and a cell; empty: none has
        bool may_be_thousands = true;  // in all columns
    };
    static void note_mark(const std::string& column, const csv::NumbersWithMark& numbers, MarkOfFile& mark);
    void require_one_decimal_mark() const;
    /// Throws for text that configurations and recordings cannot hold.
    void require_utf8() const;
    /// Throws for missing values that nothing fills in.
    [[noreturn]] void refuse_gaps(const csv::ColumnProfile& profile, const std::string& what) const;
    void require_flat(const csv::ColumnProfile& profile, const char* what) const;
    [[nodiscard]] bool is_dropped(const csv::ColumnProfile& profile, const std::string& value) const;
    void require_groups(const csv::ColumnProfile& profile, const Attribute& attribute) const;
    void set_kind(const csv::ColumnProfile& profile, FeatureColumn& column, ColumnPreparation& how, ColumnNote& about);
    /// Names the option that reads dates also where a few cells are none.
    void add_odd_dates(const csv::ColumnProfile& profile);
    /// Returns the order in which all but a few dates of a column are.
    [[nodiscard]] std::optional<DateOrder> order_of_most(const csv::ColumnProfile& profile) const;
    void set_dates(const csv::ColumnProfile& profile, FeatureColumn& column, ColumnNote& about);
    void set_category(const csv::ColumnProfile& profile, const std::string& value, FeatureColumn& column,
                      ColumnPreparation& how, ColumnNote& about);
    void set_order(const csv::ColumnProfile& profile, std::vector<std::string> levels, FeatureColumn& column,
                   ColumnNote& about);
    void set_missing(const csv::ColumnProfile& profile, FeatureColumn& column, ColumnPreparation& how);

    const InputOptions& options_;
    ByColumn categorical_, missing_, dates_;
    std::uint64_t tolerated_;
    std::optional<DateOrder> given_order_;
    MarkOfFile of_point_, of_comma_;
    InputStream stream_;
    ColumnProblems problems_;
    GroupGaps gaps_;
    bool is_described_ = false, has_dates_ = false, has_categories_ = false;
};

}  // namespace fairstream::command
