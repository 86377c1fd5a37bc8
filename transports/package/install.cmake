# Installs the transports, the program with its manual pages and completion, the schema and an example configuration.
set_target_properties(fairstream_transports PROPERTIES INSTALL_RPATH "$ORIGIN")
set_target_properties(fairstream PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS fairstream_transports EXPORT fairstream)
install(TARGETS fairstream)
fairstream_install_pc(transports)

# All headers except those in folders `detail`, those of the program, and those that need nlohmann's library, which
# users may not have.
install(DIRECTORY transports/fairstream DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp"
  PATTERN detail EXCLUDE PATTERN command EXCLUDE REGEX "/fit/(stages|outputs|front)$" EXCLUDE
  REGEX "/figures/(json|report_text|schema|target_report)[.]hpp$" EXCLUDE)

install(FILES schemas/fairstream.capnp demos/loans.toml DESTINATION "${CMAKE_INSTALL_DATADIR}/fairstream")

# The program writes its manual pages and completion as it is installed: a build has only what it runs.
set(reference "${CMAKE_CURRENT_BINARY_DIR}/reference")
install(CODE "
  file(MAKE_DIRECTORY \"${reference}/man1\")
  execute_process(COMMAND \"$<TARGET_FILE:fairstream>\" man --into \"${reference}/man1\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"$<TARGET_FILE:fairstream>\" completion bash OUTPUT_FILE \"${reference}/fairstream\"
    COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY "${reference}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}")
install(FILES "${reference}/fairstream" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
