package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

// rule is a line of a list of differences that are known.
type rule struct {
	kind, pattern *regexp.Regexp // of the difference, and of its report
	right         string         // who is right: MySQL's rules as "pfsd", "mariadb", or "both" if MySQL leaves it open
	reason        string
}

// The lists. Fields are separated by tabs: a pattern of the kind of the difference, a pattern of the report (tables, statements and answers), who is right, and
// the reason. Lines that begin with # are comments.
var (
	//go:embed mariadb.tsv
	mariadbRules string
	//go:embed open.tsv
	openRules string
)

// parseRules reads a list.
func parseRules(text string) (rules []rule, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("%q has %d fields", line, len(f))
		}
		kind, err := regexp.Compile(f[0])
		if err != nil {
			return nil, err
		}
		pattern, err := regexp.Compile("(?s)" + f[1])
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule{kind, pattern, f[2], f[3]})
	}
	return rules, nil
}

// match returns the first rule that a difference is a case of.
func match(rules []rule, d *difference, report string) *rule {
	for i := range rules {
		if rules[i].kind.MatchString(d.kind) && rules[i].pattern.MatchString(report) {
			return &rules[i]
		}
	}
	return nil
}

var digits = regexp.MustCompile(`[0-9]+|'[^']*'|"[^"]*"|\x60[^\x60]*\x60`)

// reason is an error without what differs from statement to statement.
func reason(e *serverError) string {
	message := e.message
	if len(message) > 90 {
		message = message[:90]
	}
	return fmt.Sprintf("%d %s", e.number, digits.ReplaceAllString(message, "?"))
}
