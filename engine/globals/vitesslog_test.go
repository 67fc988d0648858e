package globals

import (
	"os"
	"slices"
	"strings"
	"testing"

	vtlog "github.com/dolthub/vitess/go/vt/log"
	"github.com/sirupsen/logrus"

	"pfsd/engine/mends/mendtest"
)

func TestSetLog(t *testing.T) {
	var printed strings.Builder
	logrus.SetOutput(&printed)
	plainErrorf("client %d", 5)
	logrus.SetOutput(os.Stderr)
	if printed.Len() == 0 {
		mendtest.NoLongerNeeded(t, "vitesslog.go")
	}
	var got []any
	release := SetLog(func(panicked any) { got = append(got, panicked) })
	vtlog.Errorf("client %d", 5)
	vtlog.Errorf("mysql_server caught panic:\n%v\n%s", "index", "stack")
	vtlog.Warning("slow")
	vtlog.Infof("not %s", "this")
	release()
	vtlog.Errorf("mysql_server caught panic:\n%v", "nobody hears")
	if !slices.Equal(got, []any{"index"}) {
		t.Errorf("got %q", got)
	}
}

// plainErrorf is vitess's own function that logs errors, before SetLog replaces it.
var plainErrorf = vtlog.Errorf
