package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pfsd/instr"
)

// optionGroups are the groups of option files that this server reads.
var optionGroups = []string{"mysqld", "server", "mysqld-8.4", "pfsd"}

var optionFiles = instr.NewFileClass("sql/option_file")

// maxOptionFile is the largest option file, in bytes.
const maxOptionFile = 16 << 20

// maxIncludes is the largest depth of option files that include others.
const maxIncludes = 10

// readOptionFile reads the assignments of these groups from a file in my.cnf format,
// and from the files that it includes.
func readOptionFile(path string) ([]assignment, error) {
	return appendOptionFile(nil, path, "", 0)
}

// appendOptionFile adds the assignments of one file to as. origin is the place of the directive
// that includes the file.
func appendOptionFile(as []assignment, path, origin string, depth int) ([]assignment, error) {
	if depth > maxIncludes {
		return nil, fmt.Errorf("%sincludes are more than %d deep", origin, maxIncludes)
	}
	content, err := optionFiles.ReadRegular(path, maxOptionFile)
	if err != nil {
		return nil, fmt.Errorf("%soption file: %w", origin, err)
	}
	lines, err := parseOptionFile(path, string(content))
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		switch l.name {
		case "!include":
			as, err = appendOptionFile(as, l.value, l.origin, depth+1)
		case "!includedir":
			as, err = appendOptionDir(as, l.value, l.origin, depth+1)
		default:
			as = append(as, l)
		}
		if err != nil {
			return nil, err
		}
	}
	return as, nil
}

// appendOptionDir adds the assignments of the *.cnf files of a directory, by name.
func appendOptionDir(as []assignment, dir, origin string, depth int) ([]assignment, error) {
	entries, err := optionFiles.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%soption directory: %w", origin, err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".cnf" || e.IsDir() {
			continue
		}
		if as, err = appendOptionFile(as, filepath.Join(dir, e.Name()), origin, depth); err != nil {
			return nil, err
		}
	}
	return as, nil
}

// parseOptionFile splits a file's content into the assignments of these groups. A directive is
// among them under its name, "!include" or "!includedir".
func parseOptionFile(path, content string) ([]assignment, error) {
	var as []assignment
	group, read := "", false
	for i, line := range strings.Split(strings.TrimPrefix(content, "\uFEFF"), "\n") {
		origin := fmt.Sprintf("%s:%d: ", path, i+1)
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '!':
			name, value := line, ""
			if i := strings.IndexAny(line, " \t"); i >= 0 {
				name, value = line[:i], strings.TrimSpace(line[i:])
			}
			if name != "!include" && name != "!includedir" || value == "" {
				return nil, fmt.Errorf("%sbad directive '%s'", origin, line)
			}
			as = append(as, assignment{origin: origin, path: path, text: line, name: name, value: value, hasValue: true})
		case line[0] == '[':
			end := strings.IndexByte(line, ']')
			if end < 0 {
				return nil, fmt.Errorf("%sgroup '%s' lacks its ]", origin, line)
			}
			group = strings.TrimSpace(line[1:end])
			read = slices.Contains(optionGroups, group)
		case group == "":
			return nil, fmt.Errorf("%soption '%s' stands before any [group]", origin, line)
		case read:
			line = strings.TrimSpace(cutComment(line))
			name, value, has := strings.Cut(line, "=")
			name = canonical(strings.TrimSpace(name))
			as = append(as, assignment{origin: origin, path: path, text: line, name: name, value: unquote(strings.TrimSpace(value)), hasValue: has})
		}
	}
	return as, nil
}

// cutComment removes a # that is not in quotes, and everything after it.
func cutComment(line string) string {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case quote == 0 && c == '#':
			return line[:i]
		}
	}
	return line
}

// unquote removes the quotes around a value and replaces its escapes. A backslash before any other
// character stays.
func unquote(value string) string {
	if n := len(value); n >= 2 && (value[0] == '\'' || value[0] == '"') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	return escapes.Replace(value)
}

var escapes = strings.NewReplacer(`\b`, "\b", `\t`, "\t", `\n`, "\n", `\r`, "\r",
	`\\`, `\`, `\s`, " ", `\"`, `"`, `\'`, `'`)
