package main

import "strings"

// frozenTables are tables of performance_schema that do not change while nothing is recorded.
var frozenTables = []string{"setup_instruments", "setup_consumers", "setup_actors", "setup_objects", "setup_threads", "events_waits_summary_global_by_event_name",
	"events_statements_summary_by_digest", "events_waits_history", "events_waits_history_long", "events_statements_history", "events_statements_summary_global_by_event_name",
	"events_stages_summary_global_by_event_name", "file_summary_by_event_name", "global_variables"}

// freeze switches the recording off, and returns the tables.
func freeze(s *session) (*world, *serverError) {
	for _, text := range []string{"USE performance_schema", "SELECT COUNT(*) FROM setup_instruments WHERE NAME LIKE 'wait/%'", "SELECT 1/3", "SELEC",
		"UPDATE performance_schema.setup_instruments SET ENABLED = 'NO'", "UPDATE performance_schema.setup_consumers SET ENABLED = 'NO'"} {
		if o := s.run(text); o.err != nil && text != "SELEC" {
			return nil, o.err
		}
	}
	w := &world{frozen: true, modes: standardModes}
	for _, name := range frozenTables {
		o := s.run("SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = '" + name + "' ORDER BY ORDINAL_POSITION")
		if o.err != nil {
			return nil, o.err
		}
		t := &table{name: name}
		for _, row := range o.rows {
			kind := &columnType{sql: *row[2]}
			switch strings.ToLower(*row[1]) {
			case "tinyint", "smallint", "int", "bigint":
				kind.class = ints
			case "double":
				kind.class = dbls
			case "timestamp", "datetime":
				kind.class = stamp
			case "varchar", "char", "enum", "text", "longtext", "set":
				kind.class = strs
			default:
				continue
			}
			t.columns = append(t.columns, &tableColumn{name: *row[0], kind: kind, null: true})
		}
		t.fields = len(t.columns)
		if o = s.run("SELECT COUNT(*) FROM " + name + " HAVING COUNT(*) > 40"); o.err != nil {
			return nil, o.err
		}
		t.large = len(o.rows) > 0
		w.tables = append(w.tables, t)
	}
	return w, nil
}
