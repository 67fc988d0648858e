package sysschema

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/functions"
	"pfsd/engine/syntax"
)

// formatFunctions are the functions of sys that write values for people to read.
var formatFunctions = []Function{
	{
		Name: "extract_schema_from_file_name", Params: []Parameter{{"path", varchar512}}, Returns: varchar64, Data: noSQL,
		Doc: "The database whose directory a file is in: the last but one part of a path.",
		do:  ofText(func(path string) string { return firstRunes(schemaOfPath(path), 64) }),
	},
	{
		Name: "extract_table_from_file_name", Params: []Parameter{{"path", varchar512}}, Returns: varchar64, Data: noSQL,
		Doc: "The table that a file is of: the last part of a path without what follows its first dot.",
		do:  ofText(func(path string) string { return firstRunes(tableOfPath(path), 64) }),
	},
	{
		Name: "format_bytes", Params: []Parameter{{"bytes", textKind}}, Returns: textKind, Data: noSQL,
		Doc: "A number of bytes with the largest unit that fits: bytes, KiB, MiB, GiB, TiB, PiB, EiB.",
		do: func(ctx *sql.Context, _ *Server, args []any) (any, error) {
			if args[0] == nil {
				return nil, nil
			}
			return functions.FormatBytes(numberOf(args[0].(string))), nil
		},
	},
	{
		Name: "format_path", Params: []Parameter{{"in_path", varchar512}}, Returns: varchar512, Data: noSQL,
		Doc: "A path with the name of the system variable that it begins with the value of, as in @@datadir/t.ibd.",
		do: func(ctx *sql.Context, s *Server, args []any) (any, error) {
			if args[0] == nil {
				return nil, nil
			}
			return s.formatPath(args[0].(string)), nil
		},
	},
	{
		Name: "format_statement", Params: []Parameter{{"statement", longText}}, Returns: longText, Data: noSQL,
		Doc: "A statement on one line, its middle left out if it is longer than statement_truncate_len characters.",
		do: func(ctx *sql.Context, s *Server, args []any) (any, error) {
			if args[0] == nil {
				return nil, nil
			}
			limit, err := s.setting(ctx, "statement_truncate_len", "64")
			if err != nil {
				return nil, err
			}
			return formatStatement(args[0].(string), limit), nil
		},
	},
	{
		Name: "format_time", Params: []Parameter{{"picoseconds", textKind}}, Returns: textKind, Data: noSQL,
		Doc: "A number of picoseconds with the largest unit that fits: ps, ns, us, ms, s, m, h, d, w.",
		do: func(ctx *sql.Context, _ *Server, args []any) (any, error) {
			if args[0] == nil {
				return nil, nil
			}
			text := args[0].(string)
			if v := numberOf(text); v >= 1e3 {
				return formatTime(v), nil
			}
			return text + " ps", nil
		},
	},
	{
		Name: "quote_identifier", Params: []Parameter{{"in_identifier", textKind}}, Returns: textKind, Data: noSQL,
		Doc: "A name in backquotes, as statements can have it.",
		do:  ofText(syntax.QuoteName),
	},
}

// listFunctions are the functions of sys for texts that are lists with commas, such as sql_mode.
var listFunctions = []Function{
	{
		Name: "list_add", Params: []Parameter{{"in_list", textKind}, {"in_add_value", textKind}}, Returns: textKind, Data: ContainsSQL,
		Doc: "A list with a value more at its end.",
		do: func(_ *sql.Context, _ *Server, args []any) (any, error) {
			value, ok := args[1].(string)
			if !ok {
				return nil, errListValue("list_add", "in_add_value")
			}
			if list, _ := args[0].(string); list != "" {
				return list + "," + value, nil
			}
			return value, nil
		},
	},
	{
		Name: "list_drop", Params: []Parameter{{"in_list", textKind}, {"in_drop_value", textKind}}, Returns: textKind, Data: ContainsSQL,
		Doc: "A list without a value.",
		do: func(_ *sql.Context, _ *Server, args []any) (any, error) {
			value, ok := args[1].(string)
			if !ok {
				return nil, errListValue("list_drop", "in_drop_value")
			}
			list, _ := args[0].(string)
			if list == "" {
				return args[0], nil
			}
			var rest []string
			for _, v := range strings.Split(list, ",") {
				if strings.TrimSpace(v) != value {
					rest = append(rest, v)
				}
			}
			return strings.Join(rest, ","), nil
		},
	},
}

func errListValue(function, parameter string) error {
	return mysql.NewSQLError(1138, "02200", "Function sys.%s: %s input variable should not be NULL", function, parameter)
}

// ofText returns the function that applies f to a text. Its result for NULL is NULL.
func ofText(f func(string) string) action {
	return func(_ *sql.Context, _ *Server, args []any) (any, error) {
		if args[0] == nil {
			return nil, nil
		}
		return f(args[0].(string)), nil
	}
}

// firstRunes returns the first n characters of text, or all if it has fewer.
func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// pathParts returns the last two parts of a path, "" for a part that is missing. If a path has a
// single part, that part is also its directory.
func pathParts(path string) (directory, name string) {
	path = strings.ReplaceAll(path, `\`, "/")
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return path, path
	}
	directory, name = path[:i], path[i+1:]
	return directory[strings.LastIndexByte(directory, '/')+1:], name
}

func schemaOfPath(path string) string {
	directory, _ := pathParts(path)
	return directory
}

// tableOfPath returns the name of the table whose file is at path. In names of files, MySQL writes
// $ as @0024.
func tableOfPath(path string) string {
	_, name := pathParts(path)
	name, _, _ = strings.Cut(strings.ReplaceAll(name, "@0024", "$"), ".")
	return name
}

// leadingNumber matches the number at the start of a text.
var leadingNumber = regexp.MustCompile(`^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?`)

// numberOf returns the number at the start of a text, 0 if there is none.
func numberOf(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		v, _ = strconv.ParseFloat(strings.TrimSpace(leadingNumber.FindString(text)), 64)
	}
	return v
}

// timeUnitsOfSys are the units of sys.format_time, the largest first.
var timeUnitsOfSys = []struct {
	name string
	size float64
}{{"w", 604_800e12}, {"d", 86_400e12}, {"h", 3_600e12}, {"m", 60e12}, {"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}}

// formatTime returns v, a number of picoseconds, in the largest unit that is at most v, with two
// decimals. Less than a nanosecond stays in picoseconds.
func formatTime(v float64) string {
	for _, u := range timeUnitsOfSys {
		if v >= u.size {
			return strconv.FormatFloat(math.RoundToEven(v/u.size*100)/100, 'f', 2, 64) + " " + u.name
		}
	}
	return strconv.FormatFloat(v, 'f', -1, 64) + " ps"
}

// formatStatement returns a statement on one line. From a statement of more than limit characters,
// it keeps the start and the end, each about half of limit, with dots between them.
func formatStatement(text, limit string) string {
	n := numberOf(limit)
	if float64(len(text)) > n {
		if length := utf8.RuneCountInString(text); float64(length) > n {
			half := int(max(0, math.Round(n/2-2)))
			text = firstRunes(text, half) + " ... " + lastRunes(text, half)
		}
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// lastRunes returns the last n characters of text, or all if it has fewer.
func lastRunes(text string, n int) string {
	i := len(text)
	for ; i > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	return text[i:]
}

// pathVariables are the system variables whose values are directories, in the order in which
// formatPath tries them.
var pathVariables = []string{
	"datadir", "tmpdir", "replica_load_tmpdir", "innodb_data_home_dir", "innodb_log_group_home_dir", "innodb_undo_directory", "basedir",
}

// formatPath returns a path in which the name of a system variable replaces the directory that is
// the variable's value. It first removes /private, in which macOS has /tmp.
func (s *Server) formatPath(path string) string {
	path = strings.TrimPrefix(path, "/private")
	for _, name := range pathVariables {
		directory, _ := s.Variable(name).(string)
		if directory = strings.TrimSuffix(directory, "/"); directory == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(path, directory+"/"); ok {
			return "@@" + name + "/" + rest
		}
	}
	return path
}
