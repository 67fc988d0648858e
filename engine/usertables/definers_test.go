package usertables

import (
	"strings"
	"testing"
)

func TestDefinerAt(t *testing.T) {
	for _, with := range []string{
		"CREATE| VIEW v AS SELECT 1",
		"create or replace| view v AS SELECT 1",
		" CREATE OR REPLACE ALGORITHM = MERGE| VIEW v AS SELECT 1",
		"CREATE ALGORITHM=UNDEFINED| SQL SECURITY INVOKER VIEW v AS SELECT 1",
		"/* who asks */ CREATE| VIEW v AS SELECT 1",
		"-- who asks\nCREATE| PROCEDURE p() SELECT 1",
		"/*!50001 CREATE| VIEW v AS SELECT 1 */",
		"/*!50001 CREATE ALGORITHM=UNDEFINED| */ /*!50001 VIEW v AS SELECT 1 */",
		"/*!50003 CREATE|*/ /*!50003 TRIGGER t BEFORE INSERT ON u FOR EACH ROW SET @x = 1 */",
		"CREATE /* OR REPLACE */ OR /* x */ REPLACE| VIEW v AS SELECT 1",
		"CREATE| TRIGGER replace BEFORE INSERT ON u FOR EACH ROW SET @x = 1",
	} {
		want := strings.IndexByte(with, '|')
		text := with[:want] + with[want+1:]
		if at := definerAt(text); at != want {
			t.Errorf("%s: the definer would stand at %d, want %d", text, at, want)
		}
	}
	for _, text := range []string{"", "SELECT 1", "/* CREATE */ SELECT 1", "`CREATE` VIEW"} {
		if at := definerAt(text); at >= 0 {
			t.Errorf("%s: the definer would stand at %d", text, at)
		}
	}
	if got := alterAsCreate("/* x */ alter VIEW v AS SELECT 'ALTER'"); got != "/* x */ CREATE OR REPLACE VIEW v AS SELECT 'ALTER'" {
		t.Error(got)
	}
}
