@0xbd3f9c1e5a7724d1;
# All messages of fairstream. Bulk data are columns of raw little-endian bytes (`Data`), row-major, never a struct per point.
# Shapes: n points, d features, a protected attributes, k clusters, J groups of an attribute (J_total: summed over attributes).
# Rules of change: a new field gets the next number; no number, type or meaning changes; fields may be renamed.
# A running hash covers all of a recording's events up to one of them (fairstream/log/running_hash.hpp); 0: not known.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("fairstream::schema");

# ---------------------------------------------------------------- ingest: client DEALER -> engine ROUTER, one frame each way

struct PointBatch {
  ids @0 :Data;        # n x uint64; n is its length / 8. If the engine numbers texts, ids have no effect and may be
                       # left out: points are known by their texts
  features @1 :Data;   # n x d x float32, not prepared: the engine scales and fills in. NaN: missing, if the column
                       # allows it; in a column of categories: the number of the level
  groups @2 :Data;     # n x a x uint16
  targets @3 :Data;    # n x float32, or empty for streams without targets; NaN: not known yet, in streams whose targets
                       # come later
  eventTime @4 :Int64; # microseconds since the Unix epoch, by the producer's clock; decides what leaves a window by age
  weights @5 :Data;    # n x float64, in [1e-15, 1e15]; empty: 1 each
  idTexts @6 :Data;    # for streams with text ids: n texts of 1 to 1024 bytes, joined. If the engine does not number
                       # texts, the id of a text is its XXH64 with seed 0; 0 for a text whose hash is the reserved id
                       # 2^64 - 1
  idTextEnds @7 :Data; # n x uint32: text i ends before this byte; empty for other streams
}

struct KnobChange {
  model @0 :Text;
  option @1 :Text;
  value @2 :Text;      # spelled as on the command line and in the configuration file
}

struct Refinement {
  model @0 :Text;
  rounds @1 :Int64;    # 0: until neither objective improves
}

# The epoch that new producers of a client must exceed, because producers of that client were forgotten.
struct EpochFloor {
  client @0 :Text;         # "key:" and a public key, "name:" and a name in [security], "user:" and the id of a user of
                           # this machine, "loopback"; empty: every client
  epoch @1 :UInt64;
}

# Producers are forgotten. An event of the engine itself in its recording; refused from any producer.
struct ProducerExpiry {
  lastSequence @0 :UInt64; # older recordings: producers without an event after this one are forgotten; 0: none
  names @1 :List(Text);    # forgotten producers
  floors @2 :List(EpochFloor);
  removed @3 :Bool;        # a controller removed them: the floor of each name is its own newest epoch
}

# Targets of retained points, for a stream whose targets come later than its points. Ids without a retained point are
# ignored and counted.
struct Outcomes {
  ids @0 :Data;          # n x uint64; as in PointBatch if the engine numbers texts
  targets @1 :Data;      # n x float32, finite
  idTexts @2 :Data;      # if the engine numbers texts: n texts as in PointBatch; otherwise empty
  idTextEnds @3 :Data;   # n x uint32: text i ends before this byte
}

# Removes points from the window at once. Ids without a retained point are ignored and counted. What models learned from
# the points, as weights and running means, stays.
struct PointRemoval {
  ids @0 :Data;          # n x uint64; as in PointBatch if the engine numbers texts
  idTexts @1 :Data;      # if the engine numbers texts: n texts as in PointBatch; otherwise empty
  idTextEnds @2 :Data;   # n x uint32: text i ends before this byte
}

# A change of the engine's state. The recording keeps these messages as received.
struct Event {
  producer @0 :Text;          # name of the sender, 1 to 128 bytes
  epoch @1 :UInt64;           # rises with each new life of the producer; an epoch below the highest seen is refused
  producerSequence @2 :UInt64; # 1, 2, 3, ... within an epoch
  union {
    batch @3 :PointBatch;
    knob @4 :KnobChange;
    refinement @5 :Refinement;
    expiry @6 :ProducerExpiry;
    outcomes @7 :Outcomes;
    pointRemoval @8 :PointRemoval;
  }
}

# An event that a client knows from an Ack or a publication.
struct KnownEvent {
  recording @0 :Data;     # 16 bytes, from the message that named the event
  sequence @1 :UInt64;
  runningHash @2 :UInt64; # after that event, from that message
}

struct Hello {
  producer @0 :Text;
  epoch @1 :UInt64;
  refusedUpTo @2 :UInt64;     # if none of this epoch's events was taken: numbers up to this one were refused
  known @3 :KnownEvent;       # newest known event, if any. If the recording lacks it, the answer is a Nack
}

struct IngestRequest {
  union {
    hello @0 :Hello;     # answered by Welcome; sent first, and again when an answer is overdue
    event @1 :Event;     # answered by Ack or Nack
  }
}

struct Attribute {
  name @0 :Text;
  groups @1 :List(Text); # names; group g is groups[g]
  unknown @2 :Bool;      # whether the last group holds the points whose group is not known
}

struct Column {
  name @0 :Text;
  levels @1 :List(Text); # for a column of categories: value i is levels[i]; any other integer from 0 is an unlisted
                         # level. Empty: numbers
  mayBeMissing @2 :Bool; # whether NaN is allowed
  buckets @3 :UInt32;    # for a column of hashed text: value i, below `buckets`, stands for all texts whose XXH64 with
                         # seed 0 leaves the remainder i; 0: not hashed
  dates @4 :UInt16;      # for a column of dates, sent as the time since 1970-01-01 UTC in 1 seconds, 2 hours, 3 days, 4
                         # years of 365.2425 days; 0: no dates
  dateOrder @5 :UInt16;  # order in which readers of text expect the parts: first 0 year, 1 day, 2 month
}

struct StreamFormat {
  dimensions @0 :UInt32;
  attributes @1 :List(Attribute);
  hasTargets @2 :Bool;
  hasWeights @3 :Bool;        # whether points may carry weights
  columns @4 :List(Column);   # one for each dimension; empty: numbers without names, never missing
  textIds @5 :Bool;           # whether ids are texts, which the points carry
  targetsComeLater @6 :Bool;  # whether targets may be missing, and come later as Outcomes
  decimalMark @8 :UInt16;     # for numbers in delimited text: 1 point, 2 comma; 0: found in the file
  missingTexts @7 :List(Text); # further texts of missing values for readers of text: "TEXT", or "COLUMN=TEXT" for one
                               # column
  numbersTexts @9 :Bool;      # for text ids: whether the engine numbers the texts, 1, 2, 3, ...; a text that comes
                              # again after its point left gets a new number. Otherwise producers hash them
}

struct Welcome {
  nextProducerSequence @0 :UInt64; # first number of this epoch that the engine has not durably taken or refused
  format @1 :StreamFormat;
  maxMessageBytes @2 :UInt64;      # bytes of the longest event that the engine takes; it closes a connection that sends
                                   # a longer one. 0: unknown
  knownSequence @3 :UInt64;        # `known.sequence` of the answered Hello: the recording has that event
  maxAge @4 :Int64;                # microseconds before the latest time at which points leave the window; 0: never, or
                                   # unknown
  latestTime @5 :Int64;            # latest time of the engine's events, if points leave by age; 0: no event yet, or
                                   # unknown
  capacity @6 :UInt32;             # most points that the engine retains; 0: unknown
  aheadAtMost @7 :Int64;           # microseconds that an event's time may be ahead of the engine's clock; otherwise the
                                   # event is refused. 2^63 - 1: no limit; 0: unknown
  scales @8 :Bool;                 # whether the engine scales features, clips them or takes their logarithms
}

# Sent after the event is on disk, and again for a duplicate of a committed event.
struct Ack {
  producerSequence @0 :UInt64;
  sequence @1 :UInt64;   # number of the event in the recording; 0 for a duplicate too old to be found
  runningHash @2 :UInt64; # after that event
  latePoints @3 :UInt64;  # points of the event, if it came too late for the window, which then retains none of them; 0
                          # (unknown) in the answer to a duplicate
  lateBefore @4 :Int64;   # events before this time come too late, as of this event; microseconds since the Unix epoch.
                          # 0 if no point was late
  notRetained @5 :UInt64; # ids of outcomes without a retained point; 0 (unknown) in the answer to a duplicate
  replaced @6 :UInt64;    # points that replaced a retained one with the same id; 0 (unknown) for a duplicate
  outcomesDropped @7 :UInt64; # replaced points that had a target, and now have none; 0 (unknown) for a duplicate
}

# The event was not taken. A refusal for its content is final, and uses up its number. A refusal for a gap, a stale
# epoch or a time ahead of the engine's clock uses up no number.
struct Nack {
  producerSequence @0 :UInt64; # 0 if the message could not be read that far. Also 0 for a time ahead of the engine's
                               # clock: the producer cannot go on, and `nextProducerSequence` is the number of that
                               # event
  reason @1 :UInt16;           # fairstream::Reason
  text @2 :Text;               # names the value and the rule it breaks
  nextProducerSequence @3 :UInt64; # next number expected from this producer in this epoch; 0 if unknown
  newestEpoch @4 :UInt64;      # for a stale epoch: higher epochs are not stale; otherwise 0
}

struct IngestReply {
  recording @0 :Data;    # 16 bytes, the recording's id
  credit @1 :UInt32;     # unanswered events allowed to the producer from now on
  union {
    welcome @2 :Welcome;
    ack @3 :Ack;
    nack @4 :Nack;
    ending @6 :Void;     # the engine's process ends in order: events of this producer without an answer were not taken
  }
  life @5 :UInt64;       # id of the engine's process: new after each start, never 0
}

# ---------------------------------------------------------------- updates: engine XPUB -> SUB, frames [topic, Publication]

# Probabilities of clusters, by point: those of at least half a per cent; in a snapshot all k.
struct Memberships {
  counts @0 :Data;       # uint16 each: number of clusters listed for a point, in the next entries of the columns below
  clusters @1 :Data;     # int32 each, in [0, k)
  probabilities @2 :Data; # float32 each, in [0, 1]
}

# Topics "labels.<model>", "scores.<model>" (scores of a class, or predictions) and "memberships.<model>". A view is a
# map id -> output; fold: erase `departed`, then set `ids[i]` to the i-th output. Memberships of a point are sent again
# when one of them, rounded to whole per cent, changes; so a view is within one per cent of the engine's.
struct OutputUpdate {
  departed @0 :Data;     # uint64 each: points that left the window
  ids @1 :Data;          # uint64 each: points whose output is new or changed
  union {
    labels @2 :Data;     # int32 each, in [0, k)
    scores @3 :Data;     # float64 each, finite: scores of a class, or predictions
    memberships @5 :Memberships;
  }
  provisional @4 :Data;  # uint8 each, 1: a prediction until the model's next refresh; empty: none
  idTexts @6 :Data;      # for streams with text ids: the texts of `ids`, joined
  idTextEnds @7 :Data;   # uint32 each: text i ends before this byte
}

# Fairness of one protected attribute; definitions and ranges in fairstream/fairness/measures.hpp. A point of weight 2
# counts as two equal points in every figure; only `counts` holds numbers of points. Figures cover the known groups.
struct AttributeFairness {
  attribute @0 :Text;
  balance @1 :Float64;
  averageBalance @2 :Float64;
  bestBalance @3 :Float64;
  clusterBalance @4 :Float64;
  demographicParityDifference @5 :Float64;
  worstGap @6 :Float64;
  klFairnessError @7 :Float64;     # may be infinite
  clusterEntropy @8 :Float64;
  counts @9 :Data;                 # k x J x int64: numbers of points by cluster and group
  parity @10 :Float64;
  bestParity @11 :Float64;
  weights @12 :Data;               # k x J x float64: sums of the points' weights now; empty: all weigh 1
  known @13 :UInt32;               # number of leading groups that figures cover; 0: all J
}

# Values from low to high.
struct Interval {
  low @0 :Float64;
  high @1 :Float64;
}

# Intervals of the figures of ScoreFairness in the population, at 95 %.
struct ScoreIntervals {
  accuracy @0 :Interval;
  auc @1 :Interval;
  psp @2 :Interval;
  pdp @3 :Interval;
  gauc @4 :Interval;
  eop @5 :Interval;
  eod @6 :Interval;
  tailGap @7 :Interval;
  overallGap @8 :Interval;
}

# Fairness of scores; definitions and ranges in fairstream/fairness/score_fairness.hpp.
struct ScoreFairness {
  accuracy @0 :Float64;
  auc @1 :Float64;
  psp @2 :Float64;
  pdp @3 :Float64;
  gauc @4 :Float64;
  eop @5 :Float64;
  eod @6 :Float64;
  tailGap @7 :Float64;
  overallGap @8 :Float64;
  intervals @9 :ScoreIntervals; # null if not computed: on `fairness.NAME` they come with steps of the model,
                                # refinements and changes of options; in reports always
  withoutPositives @10 :List(Text); # known groups with points but no positive one: eop and eod do not cover them
  withoutNegatives @11 :List(Text); # known groups with points but no negative one: eod does not cover them
}

# Errors of predictions and distances between groups; definitions and ranges in
# fairstream/fairness/prediction_fairness.hpp.
struct PredictionFairness {
  hasMse @0 :Bool;         # whether the points have targets
  mse @1 :Float64;         # mean squared error
  ks @2 :Float64;
  wasserstein @3 :Float64;
  meanGap @4 :Float64;
  ksByChance @5 :Float64;
}

# A rate within a group: a share of its points.
struct RateFigure {
  points @0 :Int64;      # points in the denominator; 0: no such rate
  weight @1 :Float64;    # current weight of those points
  value @2 :Float64;     # in [0, 1]
  interval @3 :Interval; # at 95 %
  isCompared @4 :Bool;   # whether differences include it: the group is known and has enough points
}

# The points of a group, of an intersection of groups, or all.
struct GroupFigures {
  groups @0 :List(Text);   # names, one for each attribute that splits the points; empty: all points
  isKnown @1 :Bool;        # whether the group of every attribute is known
  points @2 :Int64;
  withoutOutcome @3 :Int64; # points without an outcome; only the selection rate includes them
  weight @4 :Float64;
  rates @5 :List(RateFigure); # selection, true positive, false positive, false negative, accuracy, precision
  calibrated @6 :Int64;    # points with an outcome; 0: no calibration
  calibrationError @7 :Float64; # expected calibration error, in [0, 1]
  calibrationGap @8 :Float64;   # mean prediction less the share of positives
  calibrationGapInterval @9 :Interval;
}

# Comparison of a rate between groups.
struct GroupComparison {
  groups @0 :Int32;      # number of compared groups; below 2: no figures
  difference @1 :Float64; # largest rate less smallest
  interval @2 :Interval; # of the difference, at 95 %
  hasRatio @3 :Bool;     # false if both rates are 0
  ratio @4 :Float64;     # smallest rate over largest
}

# The groups of one attribute, or intersections of the groups of several.
struct AttributeMetrics {
  attributes @0 :List(Text);
  groups @1 :List(GroupFigures);
  demographicParity @2 :GroupComparison;
  equalOpportunity @3 :GroupComparison;
  equalisedOdds @4 :GroupComparison;
  parity @5 :UInt8;      # fairstream::BoundStatus of the demographic parity difference
  odds @6 :UInt8;        # fairstream::BoundStatus of the equalised odds difference
}

# Figures of predictions by group; definitions and ranges in fairstream/fairness/group_metrics.hpp.
struct GroupMetrics {
  all @0 :GroupFigures;
  attributes @1 :List(AttributeMetrics);
}

# A figure of one kind of model.
struct Figure {
  name @0 :Text;
  value @1 :Float64;
  unit @2 :Text;         # e.g. "iterations"; "share": 1 is the whole; empty: no unit
}

# Topic "fairness.<model>".
struct FairnessReport {
  cost @0 :Float64;       # what the model minimises
  churn @1 :Float64;      # share of retained points whose label, decision or prediction changed with this update, in [0, 1]
  outcome @2 :UInt8;      # fairstream::Outcome
  iterations @3 :Int64;   # of the last step
  moves @4 :Int64;
  swaps @5 :Int64;
  points @6 :Int64;       # labelled or scored points
  union {
    labels @7 :List(AttributeFairness); # for a model of labels: every protected attribute
    scores @8 :ScoreFairness;           # for a model of scores
    predictions @10 :PredictionFairness; # for a model of predictions
    groups @11 :GroupMetrics;            # for a model without outputs, about the predictions that points carry
  }
  figures @9 :List(Figure); # of the model itself; empty while warming
}

# Topic "clusters.<model>".
struct ClusterReport {
  clusters @0 :UInt32;   # k
  dimensions @1 :UInt32; # of the centres: number of prepared columns, possibly more than the stream's
  sizes @2 :Data;        # k x int64: numbers of points
  centres @3 :Data;      # k x dimensions x float32, in prepared units: scaled, with categories split
  weights @4 :Data;      # k x float64: sums of the points' weights now; empty: all weigh 1
}

# A layer of a network: x -> activation(weights x + bias).
struct Layer {
  inputs @0 :UInt32;
  outputs @1 :UInt32;
  weights @2 :Data;      # outputs x inputs x float32
  bias @3 :Data;         # outputs x float32
  activation @4 :UInt8;  # fairstream::Activation
}

# Topic "network.<model>", for models that predict with a network: sent when the network changes.
struct NetworkReport {
  layers @0 :List(Layer); # for prepared rows; empty while warming
}

# One of several clusterings that a model keeps of the same points.
struct OperatingPoint {
  kmeansUpdates @0 :Int64;   # n_a
  swaps @1 :Int64;           # n_b
  balanceAtLeast @2 :Float64;
  cost @3 :Float64;          # f1
  balance @4 :Float64;       # f2
  published @5 :Bool;        # whether its labels are those of the topic "labels.<model>"
}

# Topic "front.<model>", for models that keep several clusterings.
struct FrontReport {
  points @0 :List(OperatingPoint); # in the order of the model's options
}

struct TopicMark {
  topic @0 :Text;
  topicSequence @1 :UInt64; # of the last publication
  runningHash @2 :UInt64;   # of the last publication
}

# Counts of late points, and the state of the scales by which features are prepared, as of the event of the message.
struct Condition {
  latePoints @0 :UInt64;  # points of late events. Such events are taken and acknowledged, but none of their points is
                          # retained
  renewals @1 :UInt64;    # how often a scale changed while points were retained
  drift @2 :Float64;      # distance of the retained points from their scale at the last check: the larger of the shift
                          # of the mean, in deviations, and |ln| of the ratio of the deviations; for a column that is
                          # scaled by its range, least value and range take their places
  driftColumn @3 :UInt32; # feature with this drift, the largest
  driftName @4 :Text;     # its name; empty: no drift, or columns without names
}

# Topic "status": sent about once a second, so that lost updates are noticed. Not numbered (topicSequence 0), never
# repeated.
struct Status {
  topics @0 :List(TopicMark);
  retained @1 :UInt64;   # points in the window
  condition @2 :Condition;
  ending @3 :Bool;       # the engine's process ends in order: this is its last publication
}

struct Publication {
  recording @0 :Data;        # 16 bytes
  topic @1 :Text;
  topicSequence @2 :UInt64;  # 1, 2, 3, ... without a gap within a topic
  sequence @3 :UInt64;       # event that caused it
  union {
    outputs @4 :OutputUpdate;
    fairness @5 :FairnessReport;
    clusters @6 :ClusterReport;
    status @7 :Status;
    front @8 :FrontReport;
    network @11 :NetworkReport;
  }
  runningHash @9 :UInt64;    # after event `sequence`
  previousHash @10 :UInt64;  # running hash of this topic's previous publication; in a snapshot, which replaces all
                             # earlier ones, that of publication `topicSequence`
}

# ---------------------------------------------------------------- control: client DEALER or REQ -> engine ROUTER

struct AssignRequest {
  model @0 :Text;
  features @1 :Data;     # n x d x float32, as in events: not prepared
  groups @2 :Data;       # n x uint16 for each attribute that the model balances: labels then keep its targets; empty:
                         # nearest centre. For a model of scores: n x a x uint16, or empty if it needs no groups
  together @3 :Bool;     # with groups: asks older engines to label points together, as newer ones always do
}

# Asks a model with memberships for the probability of each cluster, by point.
struct MembershipRequest {
  model @0 :Text;
  features @1 :Data;     # as in AssignRequest
}

struct RangeRequest {
  topic @0 :Text;
  first @1 :UInt64;      # topic sequences, both included
  last @2 :UInt64;
}

# A client that does not read loses answers; at most three unanswered requests are safe.
struct ControlRequest {
  request @0 :UInt64;    # chosen by the client, repeated in the reply
  union {
    snapshot @1 :Text;   # topic; answered by `snapshot`
    range @2 :RangeRequest;  # answered by `publications`, or by `snapshot` when the ring no longer holds them
    assign @3 :AssignRequest;
    report @4 :Text;     # model
    knob @5 :KnobChange; # answered by `done` once it is on disk
    refinement @6 :Refinement; # answered by `done` once it is on disk
    health @7 :Void;
    stop @8 :Void;       # write a checkpoint, answer `done`, end
    known @9 :KnownEvent;    # asks whether the recording still has this event; answered by `done`, or by `error` with
                             # the reason lost_events. For events before the newest 2^20 the hash is no longer known:
                             # always `done`
    memberships @10 :MembershipRequest; # answered by `assigned`
    description @11 :Void;   # answered by `description`
    producers @12 :Void;     # answered by `producers`
    removal @13 :Text;       # forgets this producer; answered by `done` once it is on disk. A later life of the
                             # producer needs a higher epoch
    pointRemoval @14 :PointRemoval; # answered by `removed` once it is on disk
  }
}

struct Health {
  ready @0 :Bool;
  sequence @1 :UInt64;       # last event on disk after the last commit; the next three fields are as of that event
  retained @2 :UInt64;
  producers @3 :UInt32;
  refused @4 :UInt64;        # messages refused since the recording began
  uptimeSeconds @5 :Float64;
  cpuLevel @6 :Text;
  version @7 :Text;
  activity @8 :Text;         # the engine's activity, as text for people, e.g. "refining fair in event 17"; empty: none
  runningHash @9 :UInt64;    # after event `sequence`
  condition @10 :Condition;  # as of that event, too
  subscribers @11 :UInt32;   # connections that have a subscription now
  uncommittedSeconds @12 :Float64; # age of the oldest event taken in but not on disk; 0: all are on disk
  recordingBytes @13 :UInt64; # size of the recording's file and its log after the last commit; 0: an older engine
  knowsGrowth @14 :Bool;     # whether `bytesADay` is known, which takes an hour
  bytesADay @15 :UInt64;     # growth of the recording by its events
  firstSequence @16 :UInt64; # first event kept; 0: an older engine
}

# The meaning of a figure, for people.
struct FigureText {
  name @0 :Text;
  unit @1 :Text;         # as in Figure
  meaning @2 :Text;
}

struct ModelReport {
  fairness @0 :FairnessReport;
  clusters @1 :ClusterReport;       # empty for a model of scores
  costMeaning @2 :Text;
  figures @3 :List(FigureText);     # all figures that the model may have
}

# An option of a model, in the spelling of the command line; "given" for a value that is given as a file, and for a
# value longer than 1024 bytes.
struct OptionState {
  name @0 :Text;
  value @1 :Text;        # current value
  configured @2 :Text;   # value in the recording's configuration; differs after a recorded change of the option
  live @3 :Bool;         # may change while the engine runs
}

struct ModelDescription {
  name @0 :Text;
  kind @1 :Text;         # e.g. "safairkm"
  options @2 :List(OptionState);
  every @3 :UInt64;      # points between two steps; 0: it steps with every batch
  steppedAt @4 :UInt64;  # last event that made a step visible, refined the model, or changed its figures by an option;
                         # 0: unknown, because it came before the process started
}

# What an engine runs, and what its process has taken in.
struct Description {
  sequence @0 :UInt64;   # all fields are as of this event
  recording @1 :Text;    # path of the file on the engine's machine
  format @2 :StreamFormat;
  models @3 :List(ModelDescription);
  events @4 :UInt64;     # taken in since the process started
  points @5 :UInt64;     # points in these events
  maxMessageBytes @6 :UInt64; # longest request that the engine takes; 0: unknown
  capacity @7 :UInt32;   # most points that the engine retains; 0: unknown
}

# A producer that the engine knows.
struct ProducerState {
  name @0 :Text;
  client @1 :Text;       # its owner, as in EpochFloor; empty: none, as an older version recorded the producer
  epoch @2 :UInt64;
  producerSequence @3 :UInt64; # last number used in that epoch
  lastSequence @4 :UInt64; # newest event
}

struct Outputs {
  union {
    labels @0 :Data;     # n x int32
    scores @1 :Data;     # n x float64: scores, or predictions
    memberships @2 :Data; # n x k x float32
  }
}

struct RemovedPoints {
  sequence @0 :UInt64;   # of the event
  points @1 :UInt64;     # points that left the window
  notRetained @2 :UInt64; # ids without a retained point
}

struct ControlReply {
  request @0 :UInt64;
  recording @1 :Data;
  union {
    error @2 :Nack;
    snapshot @3 :Publication;        # of outputs: all retained points in `ids`; `departed` is empty
    publications @4 :List(Data);     # serialised Publication messages, in order
    assigned @5 :Outputs;
    report @6 :ModelReport;
    done @7 :UInt64;                 # number of the event, or of the engine's newest
    health @8 :Health;
    description @9 :Description;
    producers @10 :List(ProducerState);
    removed @11 :RemovedPoints;
  }
}
