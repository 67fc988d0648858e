import java.io.ByteArrayInputStream;
import java.sql.*;
import java.util.*;

/**
 * Does with MariaDB's Connector/J what programs and tools of Java's do with it, and prints what came
 * of it as JSON; the server is at PORT, where the accounts USER and OTHER have PASSWORD.
 * java -cp mariadb-java-client.jar Jdbc.java PORT USER OTHER PASSWORD
 */
public class Jdbc {
  static final String TYPES = "SELECT 1 + 1, 'é', CAST(18446744073709551615 AS UNSIGNED), CAST(-1.50 AS DECIMAL(10, 2)), 1.5e0,"
      + " DATE '2026-11-21', TIMESTAMP '2026-11-21 23:59:59.000001', TIME '-01:02:03', NULL";
  static final String ROWS = "SELECT a.NAME, b.NAME FROM performance_schema.setup_instruments a, performance_schema.setup_consumers b LIMIT 5000";
  static final String FIGURES = "SELECT EVENT_NAME, SUM_TIMER_WAIT FROM performance_schema.events_waits_summary_global_by_event_name";
  static final String STARTED = "SELECT COUNT(*) FROM performance_schema.events_transactions_current"
      + " WHERE STATE = 'ACTIVE' AND AUTOCOMMIT = 'NO' AND THREAD_ID = PS_CURRENT_THREAD_ID()";
  static final Map<String, Object> out = new LinkedHashMap<>();
  static String url, user, other, password;

  public static void main(String[] args) throws Exception {
    url = "jdbc:mariadb://127.0.0.1:" + args[0] + "/test?allowMultiQueries=true&useMysqlMetadata=true&allowPublicKeyRetrieval=true&connectionAttributes=program_name:visitor";
    user = args[1];
    other = args[2];
    password = args[3];
    try (Connection c = connect("")) {
      queries(c);
      catalog(c.getMetaData());
    }
    try (Connection c = connect("&useServerPrepStmts=true&useBulkStmts=true")) {
      prepared(c);
    }
    times();
    System.out.println(json(out));
  }

  static Connection connect(String more) throws SQLException {
    return DriverManager.getConnection(url + more, user, password);
  }

  static void queries(Connection c) throws SQLException {
    out.put("attribute", row(c, "SELECT ATTR_VALUE FROM performance_schema.session_connect_attrs WHERE PROCESSLIST_ID = CONNECTION_ID() AND ATTR_NAME = 'program_name'").get(0));
    out.put("text", row(c, TYPES));
    try (Statement s = c.createStatement()) {
      s.executeUpdate("INSERT INTO visited (word) VALUES ('a'), ('b')", Statement.RETURN_GENERATED_KEYS);
      out.put("inserted", List.of(s.getUpdateCount(), Integer.valueOf(all(s.getGeneratedKeys()).get(0).get(0))));
      try {
        s.executeUpdate("INSERT INTO visited VALUES (1, 'd')");
      } catch (SQLIntegrityConstraintViolationException e) {
        out.put("duplicate", List.of(e.getErrorCode(), e.getSQLState()));
      }
      c.setAutoCommit(false);
      s.executeUpdate("INSERT INTO visited (word) VALUES ('e')");
      out.put("in_transaction", row(c, STARTED));
      Savepoint p = c.setSavepoint("p");
      s.executeUpdate("INSERT INTO visited (word) VALUES ('e')");
      c.rollback(p);
      out.put("to_savepoint", row(c, "SELECT COUNT(*) FROM visited WHERE word = 'e'"));
      c.rollback();
      c.setAutoCommit(true);
      out.put("after_it", List.of(row(c, STARTED).get(0), row(c, "SELECT COUNT(*) FROM visited WHERE word = 'e'").get(0)));
      List<List<String>> several = new ArrayList<>();
      for (boolean rows = s.execute("SELECT 1; SELECT 2, 3; SET @several = 4; SELECT @several"); rows || s.getUpdateCount() >= 0; rows = s.getMoreResults()) {
        if (rows) {
          several.add(all(s.getResultSet()).get(0));
        }
      }
      out.put("several", several);
      for (int i = 1; i <= 3; i++) {
        s.addBatch("INSERT INTO batched VALUES (" + i + ", 'w')");
      }
      out.put("batch_of_statements", s.executeBatch());
      s.executeUpdate("DELETE FROM batched");
      s.setMaxRows(3);
      out.put("max_rows", all(s.executeQuery("SELECT NAME FROM performance_schema.setup_consumers")).size());
      s.setMaxRows(0);
      s.setQueryTimeout(1);
      try {
        s.execute("SELECT SLEEP(100)");
      } catch (SQLTimeoutException e) {
        out.put("timed_out", List.of(e.getErrorCode(), e.getSQLState()));
      }
      s.setQueryTimeout(0);
      s.executeUpdate("SET @kept = 1");
      try {
        s.executeQuery("SELECT nothing FROM visited");
      } catch (SQLSyntaxErrorException e) {
        out.put("unknown", List.of(e.getErrorCode(), e.getSQLState()));
      }
      s.executeQuery("SELECT CAST('x' AS SIGNED)");
      out.put("warning", s.getWarnings().getErrorCode());
    }
    try (Statement s = c.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE); ResultSet r = s.executeQuery("SELECT id, word FROM visited WHERE id = 1")) {
      r.next();
      r.updateString("word", "changed");
      r.updateRow();
      out.put("updated_row", row(c, "SELECT word FROM visited WHERE id = 1"));
    }
    out.put("parameters", parameters(c));
    out.put("call", call(c, 5));
    out.put("isolation", List.of(c.getTransactionIsolation(), c.isReadOnly(), c.getCatalog(), c.isValid(5)));
    c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    out.put("isolation_set", row(c, "SELECT @@transaction_isolation"));
    out.put("figures", figures(c.createStatement().executeQuery(FIGURES)));
    out.put("ping", c.isValid(5));
  }

  static void prepared(Connection c) throws SQLException {
    try (PreparedStatement s = c.prepareStatement(TYPES)) {
      out.put("prepared", all(s.executeQuery()).get(0));
    }
    out.put("parameters_prepared", parameters(c));
    try (PreparedStatement s = c.prepareStatement("INSERT INTO visited (word) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
      s.setString(1, "c");
      s.executeUpdate();
      out.put("inserted_prepared", List.of(s.getUpdateCount(), Integer.valueOf(all(s.getGeneratedKeys()).get(0).get(0))));
    }
    try (PreparedStatement s = c.prepareStatement("INSERT INTO batched VALUES (?, ?)")) {
      for (int i = 1; i <= 3; i++) {
        s.setInt(1, i);
        s.setString(2, i == 3 ? null : "w" + i);
        s.addBatch();
      }
      s.executeBatch();
    }
    out.put("batched", Integer.valueOf(row(c, "SELECT COUNT(*) FROM batched").get(0)));
    try (PreparedStatement s = c.prepareStatement("SELECT LENGTH(?), ? = x'00ff', MD5(?)")) {
      s.setBinaryStream(1, new ByteArrayInputStream(new byte[100000])); // COM_STMT_SEND_LONG_DATA
      s.setBytes(2, new byte[] {0, (byte) 255});
      s.setBinaryStream(3, new ByteArrayInputStream(new byte[70000]));
      out.put("long_data", all(s.executeQuery()).get(0));
    }
    try (PreparedStatement s = c.prepareStatement(ROWS)) {
      s.setFetchSize(100); // a stream
      int n = 0;
      for (ResultSet r = s.executeQuery(); r.next(); n += 2) {
        r.getString(2);
      }
      out.put("streamed", n);
      out.put("described", List.of(s.getMetaData().getColumnCount(), s.getMetaData().getColumnName(1), s.getMetaData().getTableName(1), s.getParameterMetaData().getParameterCount()));
    }
    out.put("call_prepared", call(c, 6));
    try (PreparedStatement s = c.prepareStatement(FIGURES)) {
      out.put("figures_prepared", figures(s.executeQuery()));
    }
  }

  /** What the server says and shows of moments, and what it stores of them. */
  static void times() throws SQLException {
    Timestamp t = Timestamp.from(java.time.Instant.parse("2026-07-01T12:00:00.123456Z"));
    List<Object> said = new ArrayList<>();
    for (String more : List.of("", "&useServerPrepStmts=true")) {
      try (Connection c = connect(more + "&useLegacyDatetimeCode=false&serverTimezone=GMT+05:30&sessionVariables=time_zone='+05:30'")) {
        try (PreparedStatement s = c.prepareStatement("REPLACE INTO moments VALUES (1, ?, ?, ?)")) {
          s.setTimestamp(1, t);
          s.setTimestamp(2, t);
          s.setObject(3, java.time.LocalTime.of(1, 2, 3));
          s.executeUpdate();
        }
        said.add(row(c, "SELECT CAST(ts AS CHAR), CAST(dt AS CHAR), HOUR(tm) FROM moments"));
        try (PreparedStatement s = c.prepareStatement("SELECT ts, dt, tm FROM moments"); ResultSet r = s.executeQuery()) {
          r.next();
          said.add(List.of(r.getTimestamp(1).equals(t), r.getTimestamp(2).equals(t), r.getTime(3).toString()));
        }
      }
    }
    out.put("moments", said);
  }

  /** The calls with which tools look at a catalog. */
  static void catalog(DatabaseMetaData m) throws SQLException {
    out.put("product", List.of(m.getDatabaseProductName(), m.getDatabaseMajorVersion(), m.getDatabaseMinorVersion()));
    listed("catalogs", m.getCatalogs(), "TABLE_CAT");
    listed("types_of_tables", m.getTableTypes(), "TABLE_TYPE");
    listed("tables", m.getTables("shelf", null, "%", null), "TABLE_NAME", "TABLE_TYPE", "REMARKS");
    listed("tables_of_others", m.getTables("performance_schema", null, "thr%", null), "TABLE_NAME", "TABLE_TYPE");
    listed("views_of_sys", m.getTables("sys", null, "user\\_summary", new String[] {"VIEW"}), "TABLE_NAME", "TABLE_TYPE");
    listed("columns", m.getColumns("shelf", null, "books", "%"), "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "NULLABLE", "COLUMN_DEF", "IS_AUTOINCREMENT", "REMARKS");
    listed("columns_of_others", m.getColumns("performance_schema", null, "setup_consumers", "%"), "COLUMN_NAME", "DATA_TYPE", "TYPE_NAME", "COLUMN_SIZE", "NULLABLE");
    listed("indexes", m.getIndexInfo("shelf", null, "books", false, false), "INDEX_NAME", "NON_UNIQUE", "ORDINAL_POSITION", "COLUMN_NAME");
    listed("primary_keys", m.getPrimaryKeys("shelf", null, "books"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME");
    listed("imported", m.getImportedKeys("shelf", null, "books"), "PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "UPDATE_RULE", "DELETE_RULE", "FK_NAME");
    listed("exported", m.getExportedKeys("shelf", null, "authors"), "FKTABLE_NAME", "FKCOLUMN_NAME", "FK_NAME");
    listed("crossed", m.getCrossReference("shelf", null, "authors", "shelf", null, "books"), "FKCOLUMN_NAME");
    listed("procedures", m.getProcedures("shelf", null, "%"), "PROCEDURE_NAME", "REMARKS", "PROCEDURE_TYPE");
    listed("procedure_columns", m.getProcedureColumns("shelf", null, "lend", "%"), "COLUMN_NAME", "COLUMN_TYPE", "TYPE_NAME");
    listed("functions", m.getFunctions("sys", null, "format\\_%"), "FUNCTION_NAME");
    listed("function_columns", m.getFunctionColumns("sys", null, "format_bytes", "%"), "COLUMN_NAME", "TYPE_NAME");
    listed("row_identifier", m.getBestRowIdentifier("shelf", null, "books", DatabaseMetaData.bestRowSession, true), "COLUMN_NAME");
    listed("version_columns", m.getVersionColumns("shelf", null, "books"), "COLUMN_NAME");
    listed("column_privileges", m.getColumnPrivileges("shelf", null, "books", "id"), "GRANTEE", "PRIVILEGE");
    listed("table_privileges", m.getTablePrivileges("shelf", null, "books"), "GRANTEE", "PRIVILEGE");
    listed("pseudo_columns", m.getPseudoColumns("shelf", null, "%", "%"), "COLUMN_NAME");
    listed("client_info", m.getClientInfoProperties(), "NAME");
    out.put("types", all(m.getTypeInfo()).size() > 20);
    out.put("limits", List.of(m.getMaxConnections() >= 0, m.getNumericFunctions().length() > 0, m.getSQLKeywords().length() > 0, m.supportsTransactions(), m.storesLowerCaseIdentifiers()));
  }

  static void listed(String name, ResultSet r, String... columns) throws SQLException {
    List<String> found = new ArrayList<>();
    while (r.next()) {
      List<String> row = new ArrayList<>();
      for (String c : columns) {
        row.add(String.valueOf(r.getString(c)));
      }
      found.add(String.join("|", row));
    }
    out.put(name, found);
  }

  static List<String> parameters(Connection c) throws SQLException {
    try (PreparedStatement s = c.prepareStatement("SELECT ? + 1, CONCAT(?, ?), ? IS NULL")) {
      s.setInt(1, 41);
      s.setString(2, "é");
      s.setString(3, "'");
      s.setNull(4, Types.VARCHAR);
      return all(s.executeQuery()).get(0);
    }
  }

  static List<List<List<String>>> call(Connection c, int n) throws SQLException {
    List<List<List<String>>> sets = new ArrayList<>();
    try (CallableStatement s = c.prepareCall("{call visit(?)}")) {
      s.setInt(1, n);
      for (boolean rows = s.execute(); rows; rows = s.getMoreResults()) {
        sets.add(all(s.getResultSet()));
      }
    }
    try (CallableStatement s = c.prepareCall("{call visit_out(?, ?)}")) {
      s.setInt(1, n);
      s.registerOutParameter(2, Types.INTEGER);
      s.execute();
      out.merge("out_parameters", List.of(s.getInt(2)), (a, b) -> List.of(((List<?>) a).get(0), ((List<?>) b).get(0)));
    }
    return sets;
  }

  static List<String> row(Connection c, String query) throws SQLException {
    try (Statement s = c.createStatement()) {
      return all(s.executeQuery(query)).get(0);
    }
  }

  static List<List<String>> all(ResultSet r) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    while (r.next()) {
      List<String> row = new ArrayList<>();
      for (int i = 1; i <= r.getMetaData().getColumnCount(); i++) {
        row.add(String.valueOf(r.getString(i)));
      }
      rows.add(row);
    }
    r.close();
    return rows;
  }

  static Map<String, Double> figures(ResultSet r) throws SQLException {
    Map<String, Double> all = new LinkedHashMap<>();
    while (r.next()) {
      all.put(r.getString(1), r.getDouble(2));
    }
    return all;
  }

  static String json(Object v) {
    if (v instanceof Map<?, ?> m) {
      StringJoiner j = new StringJoiner(",", "{", "}");
      m.forEach((k, e) -> j.add(json(k) + ":" + json(e)));
      return j.toString();
    }
    if (v instanceof int[] a) {
      v = Arrays.stream(a).boxed().toList();
    }
    if (v instanceof Collection<?> l) {
      StringJoiner j = new StringJoiner(",", "[", "]");
      l.forEach(e -> j.add(json(e)));
      return j.toString();
    }
    if (v == null || v instanceof Number || v instanceof Boolean) {
      return String.valueOf(v);
    }
    return '"' + v.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}
