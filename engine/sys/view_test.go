package sys

import (
	"reflect"
	"strings"
	"testing"
)

func TestTwins(t *testing.T) {
	_, err := parse("v", strings.Join([]string{
		"-- What it is,", "-- at length.",
		"SELECT {statement: a} AS b, -- longtext", "       c AS d, -- x$ only: bigint NOT NULL",
		"       IF(e,", "          {time: f(g)}, 1) AS h, -- varchar(9) / varchar(8)",
		"       {bytes: i} AS j -- decimal(9,0) NOT NULL", "  FROM k -- not a type of a column that follows", "",
	}, "\n"))
	if err == nil {
		t.Fatal("a comment behind the columns is taken for a type")
	}
	twins, err := parse("v", strings.Join([]string{
		"-- What it is,", "-- at length.",
		"SELECT {statement: a} AS b, -- longtext", "       c AS d, -- x$ only: bigint NOT NULL",
		"       IF(e,", "          {time: f({bytes: g})}, 1) AS h, -- varchar(9) / varchar(8)",
		"       {bytes: i} AS j -- decimal(9,0) NOT NULL", "  FROM k", "",
	}, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []View{{
		"v", "What it is, at length.",
		[]Column{{"b", "longtext", false, "statement"}, {"h", "varchar(9)", false, ""}, {"j", "varchar(11)", false, "bytes"}},
		"SELECT sys.format_statement(a) AS b,\n       IF(e,\n          format_pico_time(f(format_bytes(g))), 1) AS h,\n       format_bytes(i) AS j\n  FROM k",
		"MERGE",
	}, {
		"x$v", "What it is, at length.",
		[]Column{{"b", "longtext", false, "statement"}, {"d", "bigint", true, ""}, {"h", "varchar(8)", false, ""}, {"j", "decimal(9,0)", true, "bytes"}},
		"SELECT a AS b,\n       c AS d,\n       IF(e,\n          f(g), 1) AS h,\n       i AS j\n  FROM k",
		"MERGE",
	}}
	if !reflect.DeepEqual(twins, want) {
		t.Errorf("got %+v\nwant %+v", twins, want)
	}
}

func TestRefused(t *testing.T) {
	for _, text := range []string{
		"SELECT a AS b -- int\n  FROM c",                    // no comment
		"-- What.\n\nSELECT a AS b -- int\n  FROM c",        // SELECT does not follow
		"-- What.\nSELECT a b -- int\n  FROM c",             // no AS
		"-- What.\nSELECT {time: a AS b -- int\n  FROM c",   // not closed
		"-- What.\nSELECT {colour: a} AS b -- int\n FROM c", // unknown
	} {
		if v, err := parse("v", text); err == nil {
			t.Errorf("%q is %+v", text, v)
		}
	}
}

func TestAViewWithoutMarkersHasNoTwin(t *testing.T) {
	twins, err := parse("x$v", "-- What.\nSELECT COUNT(*) AS b -- bigint NOT NULL\n  FROM c\n")
	if err != nil || len(twins) != 1 {
		t.Fatalf("got %+v, %v", twins, err)
	}
	want := "CREATE ALGORITHM=TEMPTABLE DEFINER=`mysql.sys`@`localhost` SQL SECURITY INVOKER VIEW `sys`.`x$v` (`b`) AS SELECT COUNT(*) AS b\n  FROM c"
	if got := twins[0].Create(); got != want {
		t.Errorf("got %s", got)
	}
}
