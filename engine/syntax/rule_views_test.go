package syntax

import "testing"

func TestViews(t *testing.T) {
	needed(t, "ALTER VIEW v AS SELECT 1")
	rewrites(t, map[string]string{
		"ALTER VIEW d.v (a) AS SELECT 'ALTER VIEW v'":                               "CREATE OR REPLACE VIEW d.v (a) AS SELECT 'ALTER VIEW v'",
		"alter algorithm=merge definer=a@b sql security invoker view v as select 1": "CREATE OR REPLACE algorithm=merge definer=a@b sql security invoker view v as select 1",
	})
	keeps(t, "ALTER TABLE t ADD COLUMN view INT", "SELECT 'ALTER VIEW v AS SELECT 1'", "SELECT 1 -- ALTER VIEW v AS SELECT 1")
	refuses(t, "ALTER VIEW", "ALTER VIEW v", "ALTER OR REPLACE VIEW v AS SELECT 1", "SELECT ALTER VIEW v AS SELECT 1")
}
