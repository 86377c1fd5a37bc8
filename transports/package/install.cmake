# Installs the transports, the program, the schema and an example configuration.
set_target_properties(fairstream_transports PROPERTIES INSTALL_RPATH "$ORIGIN")
set_target_properties(fairstream PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS fairstream_transports EXPORT fairstream)
install(TARGETS fairstream)
fairstream_install_pc(transports)

# All headers but those in a folder `detail` and those of the program, which are private.
install(DIRECTORY transports/fairstream DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp"
  PATTERN detail EXCLUDE PATTERN command EXCLUDE)

install(FILES schemas/fairstream.capnp demos/loans.toml DESTINATION "${CMAKE_INSTALL_DATADIR}/fairstream")
