package privilege

// Kinds of rules that are not kinds of statements.
const (
	// Row is the use of a table's rows in any statement: its clauses are the operations.
	Row = "row"
	// Command is a command of the protocol: its clauses are their names.
	Command = "command"
	// Explain is what EXPLAIN needs in addition to its statement, Definer what DEFINER = account
	// needs.
	Explain = "explain"
	Definer = "definer"
	// Part is a part of a syntax tree for which vitess's parser records an AuthInformation: the
	// clauses are its types.
	Part = "part"
)

// table has the privileges that MySQL 8.4 requires. A privilege of two words has an underscore
// between them.
const table = `
# Transactions, and what a session does with itself.
begin,commit,rollback,savepoint,rollback_to_savepoint,release_savepoint    -                everybody
unlock_tables                                                              -                everybody
prepare_sql,execute_sql,dealloc_sql                                        -                everybody
signal,resignal,get_diagnostics,empty_query,help                           -                everybody
change_db                                                                  database         schema-seen
xa_start,xa_end,xa_prepare,xa_commit,xa_rollback                           -                everybody
xa_recover                                                                 -                recovery     XA_RECOVER_ADMIN
kill                                                                       -                everybody    # of others: connection
kill                                                                       connection       server       CONNECTION_ADMIN|SUPER
kill                                                                       protected        server       CONNECTION_ADMIN|SUPER
kill                                                                       protected        server       SYSTEM_USER

# Queries and changes of rows.
select,do,insert,insert_select,replace,replace_select                      -                tables
update,update_multi,delete,delete_multi                                    -                tables
select                                                                     file             file         FILE
explain                                                                    view             table-part   SELECT       # a view that is explained
explain                                                                    view             table        SHOW_VIEW
explain                                                                    database         schema-seen               # in which it is
load                                                                       file             file         FILE
load                                                                       table            table-part   INSERT
load                                                                       replaced         table        DELETE
load                                                                       -                tables
call_procedure                                                             routine          routine      EXECUTE
ha_open                                                                    table            table        SELECT
ha_read,ha_close                                                           -                everybody
lock_tables                                                                table            schema       LOCK_TABLES
lock_tables                                                                table            table        SELECT

# The rows of one table in a query, as the SQL engine notes it in the syntax tree.
row                                                                        SELECT           table-part   SELECT
row                                                                        INSERT           table-part   INSERT
row                                                                        REPLACE          table-part   INSERT+DELETE
row                                                                        UPDATE           table-part   UPDATE
row                                                                        DELETE           table-part   DELETE
# SELECT ... FOR UPDATE, and ON DUPLICATE KEY UPDATE of columns.
row                                                                        locked           table-any    SELECT_with_locking_clause:UPDATE|DELETE|LOCK_TABLES
row                                                                        updated          table-part   UPDATE
# What else it notes has been asked for when the statement was.
part                                                                       IGNORE           everybody
part                                                                       SELECT           tables
part                                                                       INSERT           tables
part                                                                       REPLACE          tables
part                                                                       UPDATE           tables
part                                                                       DELETE           tables
part                                                                       SELECT_INSERT    everybody
part                                                                       ALTER            everybody
part                                                                       ALTER_ROUTINE    everybody
part                                                                       BINLOG           everybody
part                                                                       CALL             everybody
part                                                                       CREATE           everybody
part                                                                       CREATE_ROUTINE   everybody
part                                                                       CREATE_TEMP      everybody
part                                                                       CREATE_VIEW      everybody
part                                                                       DROP             everybody
part                                                                       EVENT            everybody
part                                                                       FILE             everybody
part                                                                       FOREIGN_KEY      everybody
part                                                                       INDEX            everybody
part                                                                       LOCK             everybody
part                                                                       PROCESS          everybody
part                                                                       RELOAD           everybody
part                                                                       RENAME           everybody
part                                                                       REPLICATION      everybody
part                                                                       REPLICATION_CLIENT everybody
part                                                                       SHOW             everybody
part                                                                       SHOW_CREATE_PROCEDURE everybody
part                                                                       SUPER            everybody
part                                                                       TRIGGER          everybody
part                                                                       VISIBLE          everybody

# Databases, tables and views.
create_db                                                                  database         schema       CREATE
drop_db                                                                    database         schema       DROP
alter_db                                                                   database         schema       ALTER
create_table                                                               table            table        CREATE
create_table                                                               filled           table        INSERT      # AS SELECT
create_table                                                               temporary        schema       CREATE_TEMPORARY_TABLES
create_table                                                               like             table        SELECT
create_table,alter_table                                                   references       columns      REFERENCES
create_table                                                               directory        file         FILE
create_table                                                               -                tables
alter_table                                                                table            table        ALTER
alter_table                                                                dropped          table        DROP        # a partition, or the name
alter_table                                                                renamed          table        CREATE+INSERT
alter_table                                                                exchanged        table        ALTER+INSERT+CREATE+DROP
alter_table                                                                maintained       table        SELECT+INSERT
create_index,drop_index                                                    table            table        INDEX
drop_table                                                                 table            table        DROP
drop_table                                                                 temporary        everybody
drop_table                                                                 -                everybody
rename_table                                                               table            table        ALTER+DROP
rename_table                                                               renamed          table        CREATE+INSERT
truncate                                                                   table            table        DROP
create_view                                                                view             table        CREATE_VIEW
alter_view                                                                 view             table        CREATE_VIEW+DROP
create_view                                                                replaced         table        DROP
create_view                                                                -                tables
drop_view                                                                  view             table        DROP
analyze,repair,optimize                                                    table            table        SELECT+INSERT
analyze,repair,optimize                                                    -                everybody
optimize                                                                   local            server       OPTIMIZE_LOCAL_TABLE
check,checksum                                                             table            table        SELECT
assign_to_keycache,preload_keys                                            table            table        INDEX
import                                                                     -                file         FILE
create_spatial_reference_system                                            -                server       SUPER

# Programs, and who is to be their definer: another account than one's own, one with SYSTEM_USER, one that there is not.
definer                                                                    other            server       SUPER|SET_ANY_DEFINER
definer                                                                    protected        server       SYSTEM_USER
definer                                                                    missing          server       SUPER|ALLOW_NONEXISTENT_DEFINER
create_procedure,create_function                                           schema           schema       CREATE_ROUTINE
drop_procedure                                                             routine          routine      ALTER_ROUTINE
drop_function                                                              routine          function     ALTER_ROUTINE
create_trigger,drop_trigger                                                table            table        TRIGGER
create_trigger,drop_trigger                                                -                everybody    # a trigger that there is not
create_event,alter_event,drop_event                                        schema           schema       EVENT

# Accounts. Those who are about to go, or to come, while programs have them as definer, are missing.
create_user,alter_user,drop_user,rename_user,create_role,drop_role         -                accounts
grant,grant_roles,revoke,revoke_all,revoke_roles                           -                accounts
set_role,alter_user_default_role,set_password,show_grants,show_create_user -                accounts

# The server.
set_option                                                                 -                tables
set_option                                                                 global           server       SUPER|SYSTEM_VARIABLES_ADMIN
set_option                                                                 session          server       SUPER|SYSTEM_VARIABLES_ADMIN|SESSION_VARIABLES_ADMIN
set_option                                                                 persist_only     all          SYSTEM_VARIABLES_ADMIN+PERSIST_RO_VARIABLES_ADMIN
reset                                                                      persist          server       SUPER|SYSTEM_VARIABLES_ADMIN
reset                                                                      persist_fixed    all          SYSTEM_VARIABLES_ADMIN+PERSIST_RO_VARIABLES_ADMIN
reset                                                                      binary_logs      server       RELOAD
reset                                                                      replica          server       RELOAD
flush                                                                      status           server       RELOAD|FLUSH_STATUS
flush                                                                      privileges       server       RELOAD|FLUSH_PRIVILEGES
flush                                                                      tables           server       RELOAD|FLUSH_TABLES
flush                                                                      optimizer_costs  server       RELOAD|FLUSH_OPTIMIZER_COSTS
flush                                                                      user_resources   server       RELOAD|FLUSH_USER_RESOURCES
flush                                                                      logs             server       RELOAD
flush                                                                      locked           schema       LOCK_TABLES
flush                                                                      locked           table        SELECT
lock_instance,unlock_instance                                              -                server       BACKUP_ADMIN
clone                                                                      local            server       BACKUP_ADMIN
clone                                                                      instance         server       CLONE_ADMIN
alter_instance                                                             reload_tls       server       CONNECTION_ADMIN
restart,shutdown                                                           -                server       SHUTDOWN
install_plugin                                                             registered       table        INSERT
install_component                                                          registered       table        INSERT
uninstall_plugin                                                           registered       table        DELETE
uninstall_component                                                        registered       table        DELETE
purge,purge_before_date                                                    -                server       SUPER|BINLOG_ADMIN
binlog                                                                     -                server       SUPER|BINLOG_ADMIN|REPLICATION_APPLIER
change_replication_source,change_repl_filter,replica_start,replica_stop    -                server       SUPER|REPLICATION_SLAVE_ADMIN
group_replication_start,group_replication_stop                             -                server       SUPER|GROUP_REPLICATION_ADMIN

# What is shown. What is shown of everything is what the account may see.
show_databases,show_charsets,show_collations,show_storage_engines          -                everybody
show_plugins,show_privileges,show_warnings,show_errors                     -                everybody
show_variables,show_status,show_processlist,show_profile,show_profiles     -                everybody
show_procedure_status,show_function_status                                 -                everybody
show_create_proc,show_create_func,show_procedure_code,show_function_code   -                everybody
explain_other                                                              -                everybody
show_tables,show_table_status,show_triggers,show_create_db                 database         schema-seen
show_events,show_create_event                                              schema           schema       EVENT
show_fields,show_keys                                                      table            table-seen   SELECT
show_create_table                                                          table            table-any    SHOW:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|GRANT_OPTION|REFERENCES|INDEX|ALTER|CREATE_VIEW|SHOW_VIEW|TRIGGER
show_create_table                                                          view             table        SELECT
show_create_table                                                          view             table        SHOW_VIEW
show_create_trigger                                                        -                everybody    # a trigger on a table of one's own
show_engine_status,show_engine_mutex,show_engine_logs                      -                server       PROCESS
show_binlogs,show_binary_log_status,show_replica_status                    -                server       SUPER|REPLICATION_CLIENT
show_binlog_events,show_relaylog_events,show_replicas                      -                server       REPLICATION_SLAVE

# Statements of programs, which are part of those that are carried out, and what only the parser knows.
program                                                                    -                everybody
error                                                                      -                everybody
unknown                                                                    -                nobody

# Commands of the protocol. A statement that comes with one is asked about by itself.
command                                                                    Query            everybody
command                                                                    Prepare          everybody
command                                                                    Execute          everybody
command                                                                    Quit             everybody
command                                                                    Ping             everybody
command                                                                    Statistics       everybody
command                                                                    Fetch            everybody
command                                                                    Init_DB          everybody
command                                                                    Field_List       everybody
command                                                                    Long_Data        everybody
command                                                                    Close_stmt       everybody
command                                                                    Reset_stmt       everybody
command                                                                    Set_option       everybody
command                                                                    Change_user      everybody
command                                                                    Reset_Connection everybody
command                                                                    Debug            server       SUPER
command                                                                    Shutdown         server       SHUTDOWN
`
