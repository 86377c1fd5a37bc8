# Installs the transports, the program, the schema and an example configuration.
set_target_properties(fairstream_transports PROPERTIES INSTALL_RPATH "$ORIGIN")
set_target_properties(fairstream PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS fairstream_transports EXPORT fairstream)
install(TARGETS fairstream)
fairstream_install_pc(transports)

# The headers that a user of the library may include, and what they include.
foreach(header
    config/config
    csv/byte_source csv/graph csv/groups csv/points csv/reader csv/table
    generate/elliptical generate/graphs generate/loans generate/random_order generate/synthetic
    recording/job_thread recording/recent_hashes recording/recording
    replay/replay
    service/board service/journal service/producers service/refused_newcomers service/replay service/service
    service/shared_bytes service/topics
    wire/messages
    zmq/control_client zmq/label_subscriber zmq/point_map zmq/point_view zmq/producer zmq/producer_window
    zmq/score_subscriber zmq/server
    zmq/socket zmq/subscriber_options)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES "transports/fairstream/${header}.hpp" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/fairstream/${folder}")
endforeach()

install(FILES schemas/fairstream.capnp demos/loans.toml DESTINATION "${CMAKE_INSTALL_DATADIR}/fairstream")
