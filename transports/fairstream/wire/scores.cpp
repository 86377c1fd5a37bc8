/// Publications of models that give scores.

#include <fairstream/wire/detail/conversions.hpp>

namespace fairstream::wire::detail {

ScoreUpdate read_scores(schema::ScoreUpdate::Reader reader) {
    const ScoreUpdate update{.departed = column<PointId>(reader.getDeparted(), "departed"),
                             .ids = column<PointId>(reader.getIds(), "ids"),
                             .scores = column<Score>(reader.getScores(), "scores"),
                             .provisional = column<std::uint8_t>(reader.getProvisional(), "provisional")};
    check_columns(update.ids.size(), update.scores.size(), "scores", update.provisional.size());
    return update;
}

void write_scores(const ScoreUpdate& update, schema::ScoreUpdate::Builder out) {
    check_columns(update.ids.size(), update.scores.size(), "scores", update.provisional.size());
    out.setDeparted(bytes_of(update.departed, "departed"));
    out.setIds(bytes_of(update.ids, "ids"));
    out.setScores(bytes_of(update.scores, "scores"));
    out.setProvisional(bytes_of(update.provisional, "provisional"));
}

ScoreFairnessReport read_score_fairness(schema::ScoreFairnessReport::Reader reader) {
    return {.loss = reader.getLoss(),
            .churn = reader.getChurn(),
            .outcome = outcome_of(reader.getOutcome()),
            .iterations = reader.getIterations(),
            .figures = {.points = reader.getPoints(),
                        .accuracy = reader.getAccuracy(),
                        .auc = reader.getAuc(),
                        .sp = reader.getSp(),
                        .dp = reader.getDp(),
                        .gauc = reader.getGauc(),
                        .eop = reader.getEop(),
                        .eod = reader.getEod(),
                        .tail_gap = reader.getTailGap(),
                        .overall_gap = reader.getOverallGap()}};
}

void write_score_fairness(const ScoreFairnessReport& report, schema::ScoreFairnessReport::Builder out) {
    out.setLoss(report.loss);
    out.setChurn(report.churn);
    out.setOutcome(static_cast<std::uint8_t>(report.outcome));
    out.setIterations(report.iterations);
    out.setPoints(report.figures.points);
    out.setAccuracy(report.figures.accuracy);
    out.setAuc(report.figures.auc);
    out.setSp(report.figures.sp);
    out.setDp(report.figures.dp);
    out.setGauc(report.figures.gauc);
    out.setEop(report.figures.eop);
    out.setEod(report.figures.eod);
    out.setTailGap(report.figures.tail_gap);
    out.setOverallGap(report.figures.overall_gap);
}

}  // namespace fairstream::wire::detail
