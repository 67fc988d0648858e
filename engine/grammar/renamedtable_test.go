package grammar

import "testing"

func TestTriggerOn(t *testing.T) {
	for text, want := range map[string]string{
		"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = 1":                                                 "CREATE TRIGGER g BEFORE INSERT ON `u``v` FOR EACH ROW SET @a = 1",
		"create definer=`root`@`%` trigger `d`.`after` after update on `d`.`T` for each row insert into t values (1)": "create definer=`root`@`%` trigger `d`.`after` after update on `d`.`u``v` for each row insert into t values (1)",
		"CREATE TRIGGER g /* ON t */ AFTER DELETE ON d . t FOR EACH ROW BEGIN END":                                    "CREATE TRIGGER g /* ON t */ AFTER DELETE ON d . `u``v` FOR EACH ROW BEGIN END",
		"CREATE TRIGGER g BEFORE INSERT ON other FOR EACH ROW UPDATE t SET a = 1":                                     "CREATE TRIGGER g BEFORE INSERT ON other FOR EACH ROW UPDATE t SET a = 1",
	} {
		if got, err := TriggerOn(text, "t", "u`v"); got != want || err != nil {
			t.Errorf("%s:\n got %s, %v\nwant %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "CREATE TABLE t (a INT)", "CREATE TRIGGER g BEFORE", "CREATE TRIGGER g AFTER INSERT t"} {
		if got, err := TriggerOn(text, "t", "u"); err == nil || got != text {
			t.Errorf("%q is %q", text, got)
		}
	}
}
