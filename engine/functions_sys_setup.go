package engine

import (
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/instr"
)

// sysAboutSetup are the functions of sys about what is watched.
var sysAboutSetup = []sysFunction{
	{
		name: "ps_is_account_enabled", params: []sysParameter{{"in_host", sysVarchar255}, {"in_user", sysVarchar32}}, returns: sysYesNo, data: readsData,
		doc:   "Whether the threads of an account are watched, by setup_actors.",
		reads: []string{"performance_schema.setup_actors"},
		do: func(_ *sql.Context, s *sysServer, args []any) (any, error) {
			host, hasHost := args[0].(string)
			user, hasUser := args[1].(string)
			for _, a := range s.registry.SetupActors() {
				if a.Enabled && (a.Host == "%" || hasHost && like(a.Host, host)) && (a.User == "%" || hasUser && a.User == user) {
					return "YES", nil
				}
			}
			return "NO", nil
		},
	},
	{
		name: "ps_is_consumer_enabled", params: []sysParameter{{"in_consumer", sysVarchar64}}, returns: sysYesNo, data: readsData,
		doc:   "Whether a consumer is on, and all that it depends on.",
		reads: []string{"performance_schema.setup_consumers"},
		do: func(_ *sql.Context, s *sysServer, args []any) (any, error) {
			name, ok := args[0].(string)
			if !ok {
				return nil, nil
			}
			c, ok := instr.ConsumerByName(name)
			if !ok {
				return nil, mysql.NewSQLError(3047, "HY000", "Invalid argument error: %s in function sys.ps_is_consumer_enabled.", name)
			}
			return yesOrNo(consumerFed(s.registry, c)), nil
		},
	},
	{
		name: "ps_is_instrument_default_enabled", params: []sysParameter{{"in_instrument", sysVarchar128}}, returns: sysYesNo, data: readsData,
		doc: "Whether an instrument is on until somebody says otherwise.",
		do: func(_ *sql.Context, s *sysServer, args []any) (any, error) {
			name, _ := args[0].(string)
			enabled, _ := s.registry.InstrumentDefault(name)
			return yesOrNo(enabled), nil
		},
	},
	{
		name: "ps_is_instrument_default_timed", params: []sysParameter{{"in_instrument", sysVarchar128}}, returns: sysYesNo, data: readsData,
		doc: "Whether an instrument is timed until somebody says otherwise.",
		do: func(_ *sql.Context, s *sysServer, args []any) (any, error) {
			name, _ := args[0].(string)
			_, timed := s.registry.InstrumentDefault(name)
			return yesOrNo(timed), nil
		},
	},
}

// like tells whether a host is as the pattern says: % is any text, _ any character.
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

// consumerFed tells whether a consumer is on, and all those above it.
func consumerFed(reg *instr.Registry, c instr.Consumer) bool {
	if !reg.Consumer(c) {
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
	return consumerFed(reg, above)
}
