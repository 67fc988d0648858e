package planning

import (
	"testing"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"pfsd/engine/mends/mendtest"
)

func TestKeepSorts(t *testing.T) {
	rules := func(b *analyzer.Builder) (n int) {
		for _, batch := range b.Build().Batches {
			for _, rule := range batch.Rules {
				if rule.Id.String() == "replaceIdxSort" {
					n++
				}
			}
		}
		return n
	}
	if rules(analyzer.NewBuilder(memory.NewDBProvider())) == 0 {
		mendtest.NoLongerNeeded(t, "keepsorts.go")
	}
	kept, err := KeepSorts(analyzer.NewBuilder(memory.NewDBProvider()))
	if err != nil {
		t.Fatal(err)
	}
	if n := rules(kept); n != 0 {
		t.Errorf("%d rules drop sorts", n)
	}
}

func TestKeepAggregates(t *testing.T) {
	rules := func(b *analyzer.Builder) (n int) {
		for _, batch := range b.Build().Batches {
			for _, rule := range batch.Rules {
				if rule.Id.String() == "replaceAgg" {
					n++
				}
			}
		}
		return n
	}
	if rules(analyzer.NewBuilder(memory.NewDBProvider())) == 0 {
		mendtest.NoLongerNeeded(t, "keepsorts.go")
	}
	kept, err := KeepAggregates(analyzer.NewBuilder(memory.NewDBProvider()))
	if err != nil {
		t.Fatal(err)
	}
	if n := rules(kept); n != 0 {
		t.Errorf("%d rules replace MAX and MIN", n)
	}
}
