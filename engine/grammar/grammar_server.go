package grammar

import (
	"strings"

	"pfsd/engine/mends"
	"pfsd/engine/syntax"
)

// serverStatements are statements about the server and its sessions. Each line has the kind of a
// statement and its first words. Words in brackets are optional. Of words with bars between them,
// the statement has one. The text behind these words is the Tail of the [Statement].
//
// vitess: they are syntax errors, or "not supported". MySQL: has them.
var serverStatements = parsePatterns(`
	show_open_tables           SHOW OPEN TABLES
	show_profiles              SHOW PROFILES
	show_profile               SHOW PROFILE
	show_replica_status        SHOW REPLICA|SLAVE STATUS
	show_replicas              SHOW REPLICAS
	show_replicas              SHOW SLAVE HOSTS
	show_binlog_events         SHOW BINLOG EVENTS
	show_relaylog_events       SHOW RELAYLOG EVENTS
	show_procedure_code        SHOW PROCEDURE CODE
	show_function_code         SHOW FUNCTION CODE
	flush                      FLUSH [LOCAL|NO_WRITE_TO_BINLOG] STATUS
	flush                      FLUSH [LOCAL|NO_WRITE_TO_BINLOG] LOGS
	flush                      FLUSH [LOCAL|NO_WRITE_TO_BINLOG] BINARY|ENGINE|ERROR|GENERAL|SLOW|RELAY LOGS
	flush                      FLUSH [LOCAL|NO_WRITE_TO_BINLOG] USER_RESOURCES|OPTIMIZER_COSTS
	flush                      FLUSH LOCAL|NO_WRITE_TO_BINLOG PRIVILEGES
	flush                      FLUSH LOCAL|NO_WRITE_TO_BINLOG TABLE|TABLES
	help                       HELP
	do                         DO
	xa_recover                 XA RECOVER
	xa_start                   XA START|BEGIN
	xa_end                     XA END
	xa_prepare                 XA PREPARE
	xa_commit                  XA COMMIT
	xa_rollback                XA ROLLBACK
	reset_replica              RESET REPLICA
	reset_binary_logs          RESET BINARY LOGS AND GTIDS
	group_replication_start    START GROUP_REPLICATION
	group_replication_stop     STOP GROUP_REPLICATION
	install_plugin             INSTALL PLUGIN
	uninstall_plugin           UNINSTALL PLUGIN
	install_component          INSTALL COMPONENT
	uninstall_component        UNINSTALL COMPONENT
	clone                      CLONE LOCAL|INSTANCE
	import                     IMPORT TABLE FROM
	restart                    RESTART
	shutdown                   SHUTDOWN
	lock_instance              LOCK INSTANCE FOR BACKUP
	unlock_instance            UNLOCK INSTANCE
	assign_to_keycache         CACHE INDEX
	preload_keys               LOAD INDEX INTO CACHE
`)

// pattern is the kind of a statement, and its first words.
type pattern struct {
	kind  string
	words []patternWord
}

type patternWord struct {
	any     []string // the statement has one of these words
	missing bool     // the word can be missing
}

func parsePatterns(text string) (all []pattern) {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		f := strings.Fields(line)
		p := pattern{kind: f[0]}
		for _, w := range f[1:] {
			bare := strings.Trim(w, "[]")
			p.words = append(p.words, patternWord{strings.Split(bare, "|"), bare != w})
		}
		all = append(all, p)
	}
	return all
}

// serverStatement reads one of serverStatements. It returns nil, and reads nothing, if the
// statement is none of them.
func (p *Parser) serverStatement() *Statement {
	if !mends.VitessServerGrammar.On() {
		return nil
	}
	for _, s := range serverStatements {
		try := *p
		if !try.begins(s.words) {
			continue
		}
		from := try.At
		if s.kind == "show_open_tables" {
			return p.openTables(try)
		}
		try.skip(false)
		*p = try
		return &Statement{Kind: s.kind, Server: true, Tail: strings.TrimSpace(p.Text[from:p.At])}
	}
	return nil
}

// begins skips the words of a pattern, and reports whether the statement has them.
func (p *Parser) begins(words []patternWord) bool {
	for _, w := range words {
		if !p.Take(w.any...) && !w.missing {
			return false
		}
	}
	return true
}

// openTables reads what follows SHOW OPEN TABLES. try is p at this place.
func (p *Parser) openTables(try Parser) *Statement {
	where := "TRUE"
	if try.Take("FROM", "IN") {
		n, ok := try.name()
		if !ok {
			return nil
		}
		where = "`Database` = '" + strings.ReplaceAll(strings.ReplaceAll(n.Name, `\`, `\\`), "'", "''") + "'"
	}
	from := try.At
	like := try.Kind == syntax.Word && try.Word == "LIKE"
	if try.Kind != syntax.End && !try.IsMark(";") && !like && !(try.Kind == syntax.Word && try.Word == "WHERE") {
		return nil
	}
	try.skip(false)
	switch tail := strings.TrimSpace(p.Text[from:try.At]); {
	case like:
		where += " AND `Table` " + tail
	case tail != "":
		where += " AND (" + tail[len("WHERE"):] + ")"
	}
	*p = try
	return &Statement{Kind: "show_open_tables", Instead: "SELECT * FROM (SELECT OBJECT_SCHEMA AS `Database`, OBJECT_NAME AS `Table`, " +
		"COUNT(EXTERNAL_LOCK) AS In_use, 0 AS Name_locked FROM performance_schema.table_handles WHERE OBJECT_TYPE = 'TABLE' " +
		"GROUP BY OBJECT_SCHEMA, OBJECT_NAME) AS open_tables WHERE " + where}
}
