package connection

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/hints"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sysvar"
)

// carryOutHints carries out the hints of a statement that are about the statement as a whole: MAX_EXECUTION_TIME and SET_VAR. The function
// done takes back what they have set. The others are about plans that this server does not make.
//
// go-mysql-server: a hint is a comment. MySQL: carries hints out, and warns of what is none.
func (w *Work) carryOutHints(ctx *sql.Context, text string) (done func()) {
	done = func() {}
	w.Current.longest = 0
	all := hints.Of(text)
	if all == nil {
		return done
	}
	var back []func()
	seen := map[string]bool{}
	for _, c := range all {
		if c.Bad != "" {
			w.warnHint(ctx, mysql.NewSQLError(mysql.ERParseError, "42000", "Optimizer hint syntax error near '%.80s' at line %d", c.Bad, c.Line))
		}
		for _, h := range c.Hints {
			switch h.Name {
			case "MAX_EXECUTION_TIME":
				n, err := strconv.ParseUint(h.Args[0], 10, 32)
				switch {
				case !c.Top || c.First != "SELECT" || !query(w.Current.tree):
					w.warnHint(ctx, mysql.NewSQLError(3125, "HY000", "The MAX_EXECUTION_TIME hint is supported by top-level standalone SELECT statements only"))
				case err != nil:
					w.warnHint(ctx, mysql.NewSQLError(3124, "HY000", "Unsupported MAX_EXECUTION_TIME"))
				case seen[h.Name]:
					w.warnHint(ctx, mysql.NewSQLError(3126, "HY000", "Hint MAX_EXECUTION_TIME(%d) is ignored as conflicting/duplicated", n))
				default:
					seen[h.Name] = true
					w.Current.longest = time.Duration(n) * time.Millisecond
				}
			case "SET_VAR":
				name := strings.ToLower(h.Args[0])
				if key := "SET_VAR " + name; !c.Top || seen[key] {
					w.warnHint(ctx, mysql.NewSQLError(3126, "HY000", "Hint SET_VAR(%s=%s) is ignored as conflicting/duplicated", h.Args[0], h.Args[1]))
				} else {
					seen[key] = true
					if undo, err := setByHint(ctx, name, h.Args[1]); err != nil {
						w.warnHint(ctx, err)
					} else {
						back = append(back, undo)
					}
				}
			}
		}
	}
	if len(back) == 0 {
		return done
	}
	return func() {
		for i := len(back) - 1; i >= 0; i-- {
			back[i]()
		}
	}
}

// query tells whether a statement is a query.
func query(s ast.Statement) bool {
	switch s.(type) {
	case *ast.Select, *ast.SetOp, *ast.ParenSelect:
		return true
	}
	return false
}

// warnHint warns of a hint that is not carried out.
func (w *Work) warnHint(ctx *sql.Context, err error) {
	e := mysqlerr.Of(ctx, err)
	w.diagnostics.Warn(ctx, e, nil)
}

// setByHint sets a variable for a statement; undo sets it as it was.
func setByHint(ctx *sql.Context, name, text string) (undo func(), err error) {
	if !hintable[name] {
		if _, err := ctx.GetSessionVariable(ctx, name); err != nil {
			return nil, mysql.NewSQLError(3128, "HY000", "Unresolved name '%s' for SET_VAR hint", name)
		}
		return nil, mysql.NewSQLError(3637, "HY000", "Variable '%s' cannot be set using SET_VAR hint.", name)
	}
	before, err := ctx.GetSessionVariable(ctx, name)
	if err != nil {
		return nil, err
	}
	value, err := hintValue(name, text)
	if err != nil {
		return nil, err
	}
	if err := sysvar.SetSession(ctx, name, value); err != nil {
		return nil, err
	}
	return func() { _ = sysvar.SetSession(ctx, name, before) }, nil
}

// hintValue returns the value that a hint gives a variable.
func hintValue(name, text string) (any, error) {
	if q := text[0]; (q == '\'' || q == '"') && len(text) > 1 && text[len(text)-1] == q {
		return strings.ReplaceAll(text[1:len(text)-1], string([]byte{q, q}), string(q)), nil
	}
	size := strings.ToUpper(text[len(text)-1:])
	if shift := strings.Index("KMG", size); shift >= 0 && size != "" {
		if n, err := strconv.ParseUint(text[:len(text)-1], 10, 40); err == nil {
			return n << (10 * (shift + 1)), nil
		}
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, nil
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n, nil
	}
	if strings.ContainsAny(text, "'\"`@() ") {
		return nil, mysqlerr.WrongValue(name, fmt.Sprint(text))
	}
	return text, nil
}

// hintable are the variables that MySQL lets SET_VAR set.
var hintable = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(`
		auto_increment_increment auto_increment_offset big_tables bulk_insert_buffer_size cte_max_recursion_depth default_table_encryption
		default_tmp_storage_engine div_precision_increment end_markers_in_json eq_range_index_dive_limit foreign_key_checks group_concat_max_len
		insert_id internal_tmp_mem_storage_engine join_buffer_size lock_wait_timeout max_error_count max_execution_time max_heap_table_size
		max_join_size max_length_for_sort_data max_points_in_geometry max_seeks_for_key max_sort_length optimizer_prune_level
		optimizer_search_depth optimizer_switch optimizer_trace_max_mem_size range_alloc_block_size range_optimizer_max_mem_size
		read_buffer_size read_rnd_buffer_size secondary_engine_cost_threshold select_into_buffer_size select_into_disk_sync
		select_into_disk_sync_delay set_operations_buffer_size sort_buffer_size sql_auto_is_null sql_big_selects sql_buffer_result sql_mode
		sql_require_primary_key sql_safe_updates sql_select_limit time_zone timestamp tmp_table_size transaction_alloc_block_size
		transaction_prealloc_size unique_checks updatable_views_with_limit use_secondary_engine windowing_use_high_precision xa_detach_on_prepare`) {
		all[name] = true
	}
	return all
}()
