package config

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pfsd/engine/sysvar"
	"pfsd/instr"
)

func find1(name string) *option {
	o, _, _ := find(name)
	return o
}

func TestSizesAreMySQLs(t *testing.T) {
	known := map[string]bool{}
	for _, f := range sizeFacts(t) {
		name := strings.TrimPrefix(f["name"], sysvar.Prefix)
		known[name] = true
		o := find1(optionOf(name))
		if o == nil {
			t.Errorf("%s is not here", name)
			continue
		}
		if got, want := o.def, f["default"]; got != want {
			t.Errorf("%s: default %s, want %s", o.name, got, want)
		}
		if got, want := o.bounds(), f["min"]+" to "+f["max"]; got != want {
			t.Errorf("%s: range %s, want %s", o.name, got, want)
		}
	}
	for l := range instr.LimitCount {
		if !known[l.String()] || l.Things() == "" {
			t.Errorf("limit %s: not a size of MySQL, or not documented", l)
		}
	}
}

// Each switch of MySQL's Performance Schema is an option here, with MySQL's type and default.
func TestSwitchesAreMySQLs(t *testing.T) {
	for _, f := range mysqlVariables(t) {
		if strings.HasPrefix(f["type"], "integer") {
			continue
		}
		o := find1(canonical(f["name"]))
		switch {
		case o == nil:
			t.Errorf("there is no option %s", f["name"])
		case o.def != f["default"] || (f["type"] == "boolean") != (o.kind == booleanOption):
			t.Errorf("%s is %s by default and has kind %d, want %s, %s", o.name, o.def, o.kind, f["default"], f["type"])
		}
	}
}

// Each size can be set in each way to each value of its range, and to no other value.
func TestSizeOptions(t *testing.T) {
	have := sizeFacts(t)
	for _, f := range have {
		name := strings.TrimPrefix(f["name"], sysvar.Prefix)
		option := optionOf(name)
		for _, value := range []string{f["min"], f["max"], "5"} {
			file := writeFile(t, "my.cnf", "[mysqld]\n"+f["name"]+" = "+value+"\n")
			for way, line := range map[string]*CommandLine{
				"dashes":      parse(t, "--"+option+"="+value),
				"underscores": parse(t, "--"+f["name"], value),
				"file":        parse(t, "--defaults-file="+file),
			} {
				if got := sizeOf(line.Options, name); strconv.Itoa(got) != value {
					t.Errorf("%s with %s: got %d, want %s", option, way, got, value)
				}
			}
		}
		low, _ := strconv.Atoi(f["min"])
		high, _ := strconv.Atoi(f["max"])
		for _, n := range []int{low - 1, high + 1} {
			want := fmt.Sprintf("option '--%s': value '%d' is out of range %d to %d", option, n, low, high)
			if _, err := ParseCommandLine([]string{fmt.Sprintf("--%s=%d", option, n)}, nil); message(err) != want {
				t.Errorf("got %q, want %q", message(err), want)
			}
			// A program that embeds the server gets the same error.
			reg := instr.NewRegistry()
			if err := Apply(withSize(name, n), reg); message(err) != want {
				t.Errorf("apply: got %q, want %q", message(err), want)
			}
		}
	}
	for _, o := range []Options{{Limits: map[instr.Limit]int{instr.LimitCount: 1}}, withSize("max_no_such_thing", 1)} {
		if err := Apply(o, instr.NewRegistry()); err == nil || !strings.HasPrefix(err.Error(), "unknown ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// sizeOf returns the value that the options have for the variable performance_schema_NAME.
func sizeOf(o Options, name string) int {
	switch name {
	case "events_waits_history_size":
		return *o.HistorySize
	case "events_waits_history_long_size":
		return *o.HistoryLongSize
	}
	for l, n := range o.Limits {
		if l.String() == name {
			return n
		}
	}
	return o.Sizes[name]
}

// withSize returns options that set only the variable performance_schema_NAME.
func withSize(name string, n int) Options {
	switch name {
	case "events_waits_history_size":
		return Options{HistorySize: &n}
	case "events_waits_history_long_size":
		return Options{HistoryLongSize: &n}
	}
	for l := range instr.LimitCount {
		if l.String() == name {
			return Options{Limits: map[instr.Limit]int{l: n}}
		}
	}
	return Options{Sizes: map[string]int{name: n}}
}

// Sizes that are not given stay as the program has set them. The command pfsd sets all sizes to
// MySQL's.
func TestLimitsApplied(t *testing.T) {
	reg := instr.NewRegistry()
	reg.Setup().SetLimit(instr.LimitAccounts, 7)
	reg.Setup().SetLimit(instr.LimitMutexClasses, 8)
	reg.Setup().SetHistorySize(instr.FamilyWaits, 3)
	if err := Apply(withSize("max_mutex_classes", 9), reg); err != nil {
		t.Fatal(err)
	}
	if a, m, h := reg.Setup().Limit(instr.LimitAccounts), reg.Setup().Limit(instr.LimitMutexClasses), reg.Setup().HistorySize(instr.FamilyWaits); a != 7 || m != 9 || h != 3 {
		t.Errorf("got %d accounts, %d mutex classes, history %d", a, m, h)
	}
	if err := Apply(parse(t, "--performance-schema-users-size=6").Options, reg); err != nil {
		t.Fatal(err)
	}
	for l := range instr.LimitCount {
		want := l.Default()
		if l == instr.LimitUsers {
			want = 6
		}
		if got := reg.Setup().Limit(l); got != want {
			t.Errorf("%s is %d, want %d", l, got, want)
		}
	}
}

func TestDigestEvictionOption(t *testing.T) {
	reg := instr.NewRegistry()
	if err := Apply(parse(t).Options, reg); err != nil || reg.Setup().DigestEviction() {
		t.Error(err, reg.Setup().DigestEviction())
	}
	if err := Apply(parse(t, "--performance-schema-digest-eviction").Options, reg); err != nil || !reg.Setup().DigestEviction() {
		t.Error(err, reg.Setup().DigestEviction())
	}
}

// Automatic sizes depend on the numbers of connections and tables in the options.
func TestAutomaticSizes(t *testing.T) {
	for _, c := range []struct {
		args string
		want [3]int
	}{
		{"", [3]int{10, 10000, 10000}},
		{"--table-definition-cache=400", [3]int{5, 100, 1000}},
		{"--table-definition-cache=800", [3]int{10, 1000, 5000}},
		{"--table-definition-cache=800 --max-connections=302 --table_open_cache=8000", [3]int{10, 1000, 5000}},
		{"--table-definition-cache=400 --max-connections=303", [3]int{10, 10000, 10000}},
		{"--table-open-cache=100", [3]int{10, 1000, 5000}},
	} {
		reg := instr.NewRegistry()
		if err := Apply(parse(t, strings.Fields(c.args)...).Options, reg); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string][3]int{
			"waits":  {reg.Setup().HistorySize(instr.FamilyWaits), reg.Setup().HistoryLongSize(instr.FamilyWaits), reg.Setup().DigestsSize()},
			"stages": {reg.Setup().HistorySize(instr.FamilyStages), reg.Setup().HistoryLongSize(instr.FamilyStages), reg.Setup().DigestsSize()},
		} {
			if got != c.want {
				t.Errorf("%s: %s: %v, want %v", c.args, name, got, c.want)
			}
		}
	}
}
