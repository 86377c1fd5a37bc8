/// Control requests and replies.

#include <fairstream/wire/detail/conversions.hpp>

namespace fairstream::wire {

using namespace detail;

namespace {

AssignRequest read_assign(schema::AssignRequest::Reader reader) {
    return {.model = model_name(reader.getModel()),
            .features = column<float>(reader.getFeatures(), "features"),
            .groups = column<GroupId>(reader.getGroups(), "groups"),
            .together = reader.getTogether()};
}

RowRequest read_rows(RowKind rows, schema::MembershipRequest::Reader reader) {
    return {model_name(reader.getModel()), column<float>(reader.getFeatures(), "features"), rows};
}

RangeRequest read_range(schema::RangeRequest::Reader reader) {
    return {.topic = topic_name(reader.getTopic()), .first = reader.getFirst(), .last = reader.getLast()};
}

Health read_health(schema::Health::Reader reader) {
    return {.ready = reader.getReady(),
            .sequence = reader.getSequence(),
            .retained = reader.getRetained(),
            .producers = reader.getProducers(),
            .refused = reader.getRefused(),
            .uptime_seconds = reader.getUptimeSeconds(),
            .cpu_level = text(reader.getCpuLevel(), "CPU level", 0, name_limit),
            .version = text(reader.getVersion(), "version", 0, name_limit),
            .activity = text(reader.getActivity(), "activity", 0, name_limit),
            .running_hash = reader.getRunningHash(),
            .condition = read_condition(reader.getCondition()),
            .subscribers = reader.getSubscribers(),
            .uncommitted_seconds = reader.getUncommittedSeconds(),
            .recording_bytes = reader.getRecordingBytes(),
            .bytes_a_day = reader.getKnowsGrowth() ? std::optional(reader.getBytesADay()) : std::nullopt,
            .first_sequence = reader.getFirstSequence()};
}

void write_assign(const AssignRequest& assign, schema::AssignRequest::Builder out) {
    out.setModel(checked_model(assign.model));
    out.setFeatures(bytes_of(assign.features, "features"));
    out.setGroups(bytes_of(assign.groups, "groups"));
    out.setTogether(assign.together);
}

void write_rows(const RowRequest& request, schema::MembershipRequest::Builder out) {
    out.setModel(checked_model(request.model));
    out.setFeatures(bytes_of(request.features, "features"));
}

void write_range(const RangeRequest& range, schema::RangeRequest::Builder out) {
    out.setTopic(checked_topic(range.topic));
    out.setFirst(range.first);
    out.setLast(range.last);
}

void write_health(const Health& health, schema::Health::Builder out) {
    out.setReady(health.ready);
    out.setSequence(health.sequence);
    out.setRetained(health.retained);
    out.setProducers(health.producers);
    out.setRefused(health.refused);
    out.setUptimeSeconds(health.uptime_seconds);
    out.setCpuLevel(checked(health.cpu_level, "CPU level", 0, name_limit));
    out.setVersion(checked(health.version, "version", 0, name_limit));
    out.setActivity(checked(health.activity, "activity", 0, name_limit));
    out.setRunningHash(health.running_hash);
    out.setSubscribers(health.subscribers);
    out.setUncommittedSeconds(health.uncommitted_seconds);
    out.setRecordingBytes(health.recording_bytes);
    out.setKnowsGrowth(health.bytes_a_day.has_value());
    out.setBytesADay(health.bytes_a_day.value_or(0));
    out.setFirstSequence(health.first_sequence);
    if (health.condition != Condition{}) write_condition(health.condition, out.initCondition());
}

Assigned read_assigned(schema::Outputs::Reader reader) {
    Assigned assigned;
    visit_outputs(reader, "an assignment", [&]<class T>() {
        constexpr const char* name = PointOutput<T>::name;
        const auto data = capnp::DynamicStruct::Reader(reader).get(name).as<capnp::Data>();
        assigned.outputs = Answered<T>{column<typename PointOutput<T>::Answer>(data, name)};
    });
    return assigned;
}

void write_assigned(const Assigned& assigned, capnp::DynamicStruct::Builder out) {
    const char* const name = PointOutputs::names.at(assigned.outputs.index());
    std::visit([&](const auto& outputs) { out.set(name, bytes_of(outputs.values, name)); }, assigned.outputs);
}

ModelReport read_report(schema::ModelReport::Reader reader) {
    ModelReport report{read_fairness(reader.getFairness()),
                       read_clusters(reader.getClusters()),
                       text(reader.getCostMeaning(), "meaning", 0, text_limit),
                       {}};
    const auto figures = reader.getFigures();
    report.figures.reserve(checked_count(figures.size(), "figures"));
    for (const auto figure : figures)
        report.figures.push_back({text(figure.getName(), "figure", 1, name_limit),
                                  text(figure.getUnit(), "unit", 0, name_limit),
                                  text(figure.getMeaning(), "meaning", 0, text_limit)});
    return report;
}

void write_report(const ModelReport& report, schema::ModelReport::Builder out) {
    write_fairness(report.fairness, out.initFairness());
    write_clusters(report.clusters, out.initClusters());
    out.setCostMeaning(checked(report.cost_meaning, "meaning", 0, text_limit));
    auto figures = out.initFigures(checked_count(report.figures.size(), "figures"));
    for (unsigned i = 0; i < figures.size(); ++i) {
        figures[i].setName(checked(report.figures[i].name, "figure", 1, name_limit));
        figures[i].setUnit(checked(report.figures[i].unit, "unit", 0, name_limit));
        figures[i].setMeaning(checked(report.figures[i].meaning, "meaning", 0, text_limit));
    }
}

Description read_description(schema::Description::Reader reader) {
    Description out{.sequence = reader.getSequence(),
                    .recording = text(reader.getRecording(), "recording", 0, text_limit),
                    .format = {},
                    .reader_settings = {},
                    .models = {},
                    .events = reader.getEvents(),
                    .points = reader.getPoints(),
                    .max_message_bytes = reader.getMaxMessageBytes(),
                    .capacity = reader.getCapacity()};
    out.format = read_format(reader.getFormat(), out.reader_settings);
    const auto models = reader.getModels();
    out.models.reserve(checked_count(models.size(), "models"));
    for (const auto model : models) {
        ModelDescription& described = out.models.emplace_back();
        described.name = model_name(model.getName());
        described.kind = text(model.getKind(), "kind", 0, name_limit);
        described.every = model.getEvery();
        described.stepped_at = model.getSteppedAt();
        const auto options = model.getOptions();
        described.options.reserve(checked_count(options.size(), "options"));
        for (const auto option : options)
            described.options.push_back({text(option.getName(), "option", 1, name_limit),
                                         text(option.getValue(), "value", 0, text_limit),
                                         text(option.getConfigured(), "value", 0, text_limit), option.getLive()});
    }
    return out;
}

void write_description(const Description& description, schema::Description::Builder out) {
    out.setSequence(description.sequence);
    out.setRecording(checked(description.recording, "recording", 0, text_limit));
    write_format(description.format, description.reader_settings, out.initFormat());
    out.setEvents(description.events);
    out.setPoints(description.points);
    out.setMaxMessageBytes(description.max_message_bytes);
    out.setCapacity(description.capacity);
    auto models = out.initModels(checked_count(description.models.size(), "models"));
    for (unsigned m = 0; m < models.size(); ++m) {
        const ModelDescription& model = description.models[m];
        models[m].setName(checked_model(model.name));
        models[m].setKind(checked(model.kind, "kind", 0, name_limit));
        models[m].setEvery(model.every);
        models[m].setSteppedAt(model.stepped_at);
        auto options = models[m].initOptions(checked_count(model.options.size(), "options"));
        for (unsigned i = 0; i < options.size(); ++i) {
            options[i].setName(checked(model.options[i].name, "option", 1, name_limit));
            options[i].setValue(checked(model.options[i].value, "value", 0, text_limit));
            options[i].setConfigured(checked(model.options[i].configured, "value", 0, text_limit));
            options[i].setLive(model.options[i].live);
        }
    }
}

Producers read_producers(capnp::List<schema::ProducerState>::Reader list) {
    Producers out;
    out.producers.reserve(checked_count(list.size(), "producers"));
    for (const auto each : list)
        out.producers.push_back({producer_name(each.getName()), text(each.getClient(), "client", 0, name_limit),
                                 each.getEpoch(), each.getProducerSequence(), each.getLastSequence()});
    return out;
}

void write_producers(const Producers& producers, capnp::List<schema::ProducerState>::Builder list) {
    for (unsigned i = 0; i < list.size(); ++i) {
        const ProducerState& each = producers.producers[i];
        list[i].setName(checked_producer(each.name));
        list[i].setClient(checked(each.client, "client", 0, name_limit));
        list[i].setEpoch(each.epoch);
        list[i].setProducerSequence(each.producer_sequence);
        list[i].setLastSequence(each.last_sequence);
    }
}

using RequestBody = decltype(ControlRequest::body);

RequestBody read_body(schema::ControlRequest::Reader root) {
    switch (root.which()) {
        case schema::ControlRequest::SNAPSHOT:
            return SnapshotRequest{topic_name(root.getSnapshot())};
        case schema::ControlRequest::RANGE:
            return read_range(root.getRange());
        case schema::ControlRequest::ASSIGN:
            return read_assign(root.getAssign());
        case schema::ControlRequest::REPORT:
            return ReportRequest{model_name(root.getReport())};
        case schema::ControlRequest::KNOB:
            return read_knob(root.getKnob());
        case schema::ControlRequest::REFINEMENT:
            return read_refinement(root.getRefinement());
        case schema::ControlRequest::HEALTH:
            return HealthRequest{};
        case schema::ControlRequest::STOP:
            return StopRequest{};
        case schema::ControlRequest::KNOWN:
            return KnownRequest{read_known(root.getKnown())};
        case schema::ControlRequest::MEMBERSHIPS:
            return read_rows(RowKind::memberships, root.getMemberships());
        case schema::ControlRequest::DESCRIPTION:
            return DescriptionRequest{};
        case schema::ControlRequest::PRODUCERS:
            return ProducersRequest{};
        case schema::ControlRequest::REMOVAL:
            return RemovalRequest{producer_name(root.getRemoval())};
        case schema::ControlRequest::POINT_REMOVAL:
            return read_point_removal(root.getPointRemoval());
    }
    throw InvalidInput(Reason::unknown_request, "a control request of kind " +
                                                    std::to_string(static_cast<unsigned>(root.which())) +
                                                    ", which this version does not know");
}

using ReplyBody = decltype(ControlReply::body);

ReplyBody read_body(schema::ControlReply::Reader root) {
    switch (root.which()) {
        case schema::ControlReply::ERROR:
            return read_nack(root.getError());
        case schema::ControlReply::SNAPSHOT:
            return detail::read_publication(root.getSnapshot());
        case schema::ControlReply::PUBLICATIONS: {
            const auto list = root.getPublications();
            Publications publications;
            publications.messages.reserve(list.size());
            for (const auto entry : list)
                publications.messages.push_back(std::as_bytes(std::span(entry.begin(), entry.size())));
            return publications;
        }
        case schema::ControlReply::ASSIGNED:
            return read_assigned(root.getAssigned());
        case schema::ControlReply::REPORT:
            return read_report(root.getReport());
        case schema::ControlReply::DONE:
            return Done{root.getDone()};
        case schema::ControlReply::HEALTH:
            return read_health(root.getHealth());
        case schema::ControlReply::DESCRIPTION:
            return read_description(root.getDescription());
        case schema::ControlReply::PRODUCERS:
            return read_producers(root.getProducers());
        case schema::ControlReply::REMOVED: {
            const auto removed = root.getRemoved();
            return RemovedPoints{removed.getSequence(), removed.getPoints(), removed.getNotRetained()};
        }
    }
    unknown_kind("a control reply", static_cast<unsigned>(root.which()));
}

}  // namespace

ControlRequest read_control_request(const AlignedMessage& message) {
    return decode<schema::ControlRequest>(message, [](schema::ControlRequest::Reader root) {
        return ControlRequest{root.getRequest(), read_body(root)};
    });
}

std::uint64_t read_request_number(const AlignedMessage& message) {
    try {
        return decode<schema::ControlRequest>(message,
                                              [](schema::ControlRequest::Reader root) { return root.getRequest(); });
    } catch (const InvalidInput&) {
        return 0;
    }
}

ControlReply read_control_reply(const AlignedMessage& message) {
    return decode<schema::ControlReply>(message, [](schema::ControlReply::Reader root) {
        return ControlReply{root.getRequest(), recording_id(root.getRecording()), read_body(root)};
    });
}

Bytes write(const ControlRequest& request, Encoder& encoder) {
    return encode<schema::ControlRequest>(encoder, [&](schema::ControlRequest::Builder root) {
        root.setRequest(request.request);
        std::visit(Overloaded{[&](const SnapshotRequest& body) { root.setSnapshot(checked_topic(body.topic)); },
                              [&](const RangeRequest& body) { write_range(body, root.initRange()); },
                              [&](const AssignRequest& body) { write_assign(body, root.initAssign()); },
                              [&](const ReportRequest& body) { root.setReport(checked_model(body.model)); },
                              [&](const KnobChange& body) { write_knob(body, root.initKnob()); },
                              [&](const Refinement& body) { write_refinement(body, root.initRefinement()); },
                              [&](HealthRequest) { root.setHealth(); }, [&](StopRequest) { root.setStop(); },
                              [&](const KnownRequest& body) { write_known(body.event, root.initKnown()); },
                              [&](const RowRequest& body) {
                                  const std::string name(rules_of(body.rows).name);
                                  auto rows = capnp::DynamicStruct::Builder(root).init(name.c_str());
                                  write_rows(body, rows.as<schema::MembershipRequest>());
                              },
                              [&](DescriptionRequest) { root.setDescription(); },
                              [&](ProducersRequest) { root.setProducers(); },
                              [&](const RemovalRequest& body) { root.setRemoval(checked_producer(body.producer)); },
                              [&](const PointRemoval& body) { write_point_removal(body, root.initPointRemoval()); }},
                   request.body);
    });
}

Bytes write(const ControlReply& reply, Encoder& encoder) {
    return encode<schema::ControlReply>(encoder, [&](schema::ControlReply::Builder root) {
        root.setRequest(reply.request);
        root.setRecording(bytes_of(reply.recording));
        std::visit(Overloaded{[&](const Nack& body) { write_nack(body, root.initError()); },
                              [&](const Publication& body) { write_publication(body, root.initSnapshot()); },
                              [&](const Publications& body) {
                                  auto list = root.initPublications(static_cast<unsigned>(body.messages.size()));
                                  for (unsigned i = 0; i < list.size(); ++i) {
                                      list.set(i, bytes_of(body.messages[i], "publication"));
                                  }
                              },
                              [&](const Assigned& body) { write_assigned(body, root.initAssigned()); },
                              [&](const ModelReport& body) { write_report(body, root.initReport()); },
                              [&](const Done& body) { root.setDone(body.sequence); },
                              [&](const Health& body) { write_health(body, root.initHealth()); },
                              [&](const Description& body) { write_description(body, root.initDescription()); },
                              [&](const Producers& body) {
                                  write_producers(
                                      body, root.initProducers(checked_count(body.producers.size(), "producers")));
                              },
                              [&](const RemovedPoints& body) {
                                  auto out = root.initRemoved();
                                  out.setSequence(body.sequence);
                                  out.setPoints(body.points);
                                  out.setNotRetained(body.not_retained);
                              }},
                   reply.body);
    });
}

}  // namespace fairstream::wire
