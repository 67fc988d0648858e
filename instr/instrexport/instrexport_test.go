package instrexport

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"pfsd/instr"
)

func recorded(t *testing.T) *instr.Registry {
	r := instr.NewRegistry()
	r.Setup().AddPattern("%", instr.PatternOn)
	r.Setup().SetConsumer(instr.ConsumerEventsWaitsHistogram, true)
	f, err := r.NewFileClass("test/f").Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	pool := r.NewConnPool("test/pool", "a \"shop\"\n\\")
	for range 3 {
		c := pool.Open()
		t.Cleanup(c.Close)
	}
	taken := pool.Open()
	taken.Take()
	t.Cleanup(taken.Close)
	th := r.Attach("test/t")
	t.Cleanup(th.Detach)
	s := th.StartStatement(r.NewStatementClass("test/q"))
	s.End()
	return r
}

func get(h http.Handler, method string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
	return w
}

// Prometheus's own parser can read the response, and the numbers are those of the snapshot.
func TestPrometheus(t *testing.T) {
	r := recorded(t)
	w := get(Prometheus(r), "GET")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	value := func(name string, labels ...string) (v float64, found bool) {
		for _, m := range families[name].GetMetric() {
			have := map[string]string{}
			for _, l := range m.GetLabel() {
				have[l.GetName()] = l.GetValue()
			}
			same := len(have) == len(labels)/2
			for i := 0; i < len(labels); i += 2 {
				same = same && have[labels[i]] == labels[i+1]
			}
			if same {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue(), true
			}
		}
		return 0, false
	}
	for _, want := range []struct {
		value  float64
		name   string
		labels []string
	}{
		{2, "pfsd_events_total", []string{"instrument", "wait/io/file/test/f"}},
		{1, "pfsd_events_total", []string{"instrument", "statement/test/q"}},
		{4, "pfsd_io_bytes_total", []string{"instrument", "wait/io/file/test/f", "operation", "write"}},
		{0, "pfsd_statement_errors_total", []string{"instrument", "statement/test/q"}},
		{1, "pfsd_pool_connections", []string{"pool", "a \"shop\"\n\\", "state", "taken"}},
		{3, "pfsd_pool_connections", []string{"pool", "a \"shop\"\n\\", "state", "idle"}},
		{0, "pfsd_lost_total", []string{"what", "mutex_instances_lost"}},
	} {
		if got, ok := value(want.name, want.labels...); !ok || got != want.value {
			t.Errorf("%s%q is %v, %v, want %v", want.name, want.labels, got, ok, want.value)
		}
	}
	sum, _ := value("pfsd_event_seconds_total", "instrument", "wait/io/file/test/f")
	longest, ok := value("pfsd_event_seconds", "instrument", "wait/io/file/test/f", "quantile", "1")
	if !ok || longest <= 0 || longest > sum {
		t.Errorf("the longest took %v of %v", longest, sum)
	}
	if n, _ := value("pfsd_threads"); n < 1 {
		t.Errorf("%v threads", n)
	}
	if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") {
		t.Error(got)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for name := range families {
		if !strings.Contains(string(doc), name) {
			t.Errorf("doc.go does not have %s", name)
		}
	}
}

func TestJSON(t *testing.T) {
	w := get(JSON(recorded(t)), "GET")
	var d Document
	if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, i := range d.Instruments {
		if i.Name == "wait/io/file/test/f" {
			found = i.Events == 2 && i.IO.WriteBytes == 4 && i.Sum > 0 && len(i.Percentiles) == 3 && i.Percentiles[0].Count == 2 && i.Percentiles[0].Max <= i.Sum
		}
	}
	if !found || d.Threads < 1 || len(d.Pools) != 1 || d.Pools[0].Taken != 1 || d.Pools[0].Idle != 3 {
		t.Errorf("%s", w.Body)
	}
}

func TestMethods(t *testing.T) {
	for _, h := range []http.Handler{Prometheus(instr.NewRegistry()), JSON(instr.NewRegistry())} {
		if w := get(h, "POST"); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("POST: %d", w.Code)
		}
		if w := get(h, "HEAD"); w.Code != http.StatusOK || w.Body.Len() != 0 {
			t.Errorf("HEAD: %d, %q", w.Code, w.Body)
		}
	}
}
