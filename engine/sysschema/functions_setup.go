package sysschema

import (
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/instr"
	"pfsd/tables"
)

// setupFunctions are the functions of sys about what the server instruments.
var setupFunctions = []Function{
	{
		Name: "ps_is_account_enabled", Params: []Parameter{{"in_host", varchar255}, {"in_user", varchar32}}, Returns: yesNo, Data: readsData,
		Doc:   "Whether the threads of an account are watched, by setup_actors.",
		reads: []string{"performance_schema.setup_actors"},
		do: func(_ *sql.Context, s *Server, args []any) (any, error) {
			host, hasHost := args[0].(string)
			user, hasUser := args[1].(string)
			for _, a := range s.Model.Setup().Actors() {
				if a.Enabled && (a.Host == "%" || hasHost && like(a.Host, host)) && (a.User == "%" || hasUser && a.User == user) {
					return "YES", nil
				}
			}
			return "NO", nil
		},
	},
	{
		Name: "ps_is_consumer_enabled", Params: []Parameter{{"in_consumer", varchar64}}, Returns: yesNo, Data: readsData,
		Doc:   "Whether a consumer is on, and all that it depends on.",
		reads: []string{"performance_schema.setup_consumers"},
		do: func(_ *sql.Context, s *Server, args []any) (any, error) {
			name, ok := args[0].(string)
			if !ok {
				return nil, nil
			}
			c, ok := instr.ConsumerByName(name)
			if !ok {
				return nil, mysql.NewSQLError(3047, "HY000", "Invalid argument error: %s in function sys.ps_is_consumer_enabled.", name)
			}
			return yesOrNo(consumerFed(s.Model, c)), nil
		},
	},
	{
		Name: "ps_is_instrument_default_enabled", Params: []Parameter{{"in_instrument", varchar128}}, Returns: yesNo, Data: readsData,
		Doc: "Whether an instrument is on until somebody says otherwise.",
		do: func(_ *sql.Context, s *Server, args []any) (any, error) {
			name, _ := args[0].(string)
			enabled, _ := s.Registry.Setup().InstrumentDefault(name)
			return yesOrNo(enabled), nil
		},
	},
	{
		Name: "ps_is_instrument_default_timed", Params: []Parameter{{"in_instrument", varchar128}}, Returns: yesNo, Data: readsData,
		Doc: "Whether an instrument is timed until somebody says otherwise.",
		do: func(_ *sql.Context, s *Server, args []any) (any, error) {
			name, _ := args[0].(string)
			_, timed := s.Registry.Setup().InstrumentDefault(name)
			return yesOrNo(timed), nil
		},
	},
}

// like reports whether a host matches a pattern: % is any text, _ any character.
func like(pattern, host string) bool {
	expr := strings.NewReplacer("%", ".*", "_", ".").Replace(regexp.QuoteMeta(pattern))
	ok, err := regexp.MatchString("(?is)^"+expr+"$", host)
	return ok && err == nil
}

func yesOrNo(is bool) string {
	if is {
		return "YES"
	}
	return "NO"
}

// consumerFed reports whether a consumer receives events: it is on, and so are all consumers above
// it.
func consumerFed(m tables.Model, c instr.Consumer) bool {
	if !m.Setup().Consumer(c) {
		return false
	}
	name := c.String()
	var above instr.Consumer
	switch {
	case c == instr.ConsumerGlobalInstrumentation:
		return true
	case strings.HasPrefix(name, "events_") && strings.Contains(name, "_history"):
		above, _ = instr.ConsumerByName(name[:strings.Index(name, "_history")] + "_current")
	case strings.HasPrefix(name, "events_") && strings.HasSuffix(name, "_current"):
		above = instr.ConsumerThreadInstrumentation
	default:
		above = instr.ConsumerGlobalInstrumentation
	}
	return consumerFed(m, above)
}
