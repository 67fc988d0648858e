package instrsql_test

import (
	"testing"

	"pfsd/instr"
	"pfsd/instr/instrsql"
)

// What is prepared and then executed counts once in the digest of the query: to prepare it is another statement.
func TestPreparingCountsApart(t *testing.T) {
	reg := recorder()
	defer reg.Attach("test/worker").Detach()
	for kind, fake := range fakes {
		db := instrsql.OpenDB(dsn{fake(), ""}, instrsql.WithRegistry(reg), instrsql.WithName(kind))
		defer db.Close()
		s, err := db.Prepare("INSERT ? rows 1")
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := s.Exec(1); err != nil {
				t.Fatal(err)
			}
		}
		counts := map[string]uint64{}
		for _, row := range reg.Reader().Digests(instr.DigestFilter{}) {
			if row.Schema == kind && row.Digest != nil {
				counts[row.Digest.Text()] += row.Stat.Count
			}
		}
		if len(counts) != 2 || counts["INSERT ? `rows` ?"]+counts["INSERT ? ROWS ?"] != 3 || counts["PREPARE INSERT ? `rows` ?"]+counts["PREPARE INSERT ? ROWS ?"] != 1 {
			t.Errorf("%s: %v", kind, counts)
		}
		_ = s.Close()
	}
}
