package activesessions

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pfsd/instr"
	"pfsd/tables"
)

// A sample has the outermost statement beside the innermost, with the request's trace, and says which of them the stage is part of.
func TestRequestOfASample(t *testing.T) {
	r := watched()
	s := New(tables.Of(r))
	defer s.Close()
	defer r.Attach("test/main").Detach()
	th := instr.Current()
	request, query, handler := r.NewStatementClass("http/request"), r.NewStatementClass("db.client/select"), r.NewStageClass("http/running handler", false)
	const trace = "0123456789abcdef0123456789abcdef"
	outer := th.StartStatement(request)
	outer.SetText("GET /users/5 /*traceparent='00-" + trace + "-0123456789abcdef-01'*/")
	outer.SetDigest(r.NewDigest("GET /users/{id}"))
	outer.StartStage(handler)
	sampled := func() tables.ActiveSession {
		t.Helper()
		done := make(chan struct{})
		go func() { // a thread does not sample itself
			defer close(done)
			s.Sample(begin, time.Second)
		}()
		<-done
		all := s.all(nil)
		return all[len(all)-1]
	}
	a := sampled()
	if a.Request == 0 || a.Request != a.Statement || a.RequestName != "statement/http/request" || a.RequestDigestText != "GET /users/{id}" || a.DigestText != a.RequestDigestText || a.Trace != trace || a.StageStatement != a.Request {
		t.Errorf("the request alone: %+v", a)
	}
	inner := th.StartStatement(query)
	inner.Identify(query, "shop", "SELECT 1", r.DigestOf("SELECT 1"))
	b := sampled()
	inner.End()
	outer.End()
	if b.Request != a.Request || b.Statement == b.Request || b.StatementName != "statement/db.client/select" || b.DigestText != "SELECT ?" || b.Schema != "shop" || b.RequestSchema != "" ||
		b.RequestDigestText != "GET /users/{id}" || b.Trace != trace || b.Stage != "stage/http/running handler" || b.StageStatement != b.Request {
		t.Errorf("the request with a query: %+v", b)
	}
}

// A sample knows from which one on none is missing: since the first, or since one was missing or the interval has changed.
func TestUnbroken(t *testing.T) {
	r := watched()
	s := New(tables.Of(r))
	defer s.Close()
	for i, c := range []struct {
		interval time.Duration
		broken   bool
		want     uint64
	}{{time.Second, false, 1}, {time.Second, false, 1}, {time.Second, true, 3}, {time.Second, false, 3}, {time.Minute, false, 5}, {time.Minute, false, 5}} {
		if c.broken {
			s.breakOff()
		}
		s.Sample(begin, c.interval)
		if latest, unbroken := s.Latest(); latest != uint64(i+1) || latest+1-unbroken != c.want {
			t.Errorf("sample %d: %d, %d without one missing", i+1, latest, unbroken)
		}
	}
}

// Files of the version before are read, and have the fields that this version had.
func TestOldFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	want := randomSample(random, 7)
	text := newEncoder().record(binary.LittleEndian.AppendUint64(magic[:8:8], 7), want)
	// The record without the number that is new in it, and without the new fields.
	body := text[headerBytes+frameBytes:]
	r := reader{text: body[fixedBytes:]}
	weight, _, news := r.number(), r.number(), r.number()
	old := binary.AppendUvarint(append([]byte(nil), body[:fixedBytes]...), weight)
	old = binary.AppendUvarint(old, news)
	texts := r.text
	for range news {
		_ = r.string()
	}
	old = append(old, texts[:len(texts)-len(r.text)]...)
	rest := r.text
	_ = r.number()
	for range oldFields {
		r.text = r.text[r.number():]
	}
	old = append(old, rest[:len(rest)-len(r.text)]...)
	file := binary.LittleEndian.AppendUint64([]byte("pfsdASH\x02"), 7)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(old)))
	file = binary.LittleEndian.AppendUint32(file, crc32.Checksum(old, castagnoli))
	d, err := newDecoder(append(file, old...), fieldsOf(nil))
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := d.record(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for i := range want {
		w := &want[i]
		w.StatementName, w.StageStatement, w.Request, w.RequestName, w.RequestDigest, w.RequestDigestText, w.RequestSchema = "", 0, 0, "", "", "", ""
		w.BlockerName, w.BlockerUser, w.BlockerHost, w.BlockerDigestText, w.BlockerHeld, w.UnbrokenFrom = "", "", "", "", 0, 7
		var got tables.ActiveSession
		if ok, err := d.row(&got); !ok || err != nil {
			t.Fatal(ok, err)
		}
		got.Time = got.Time.In(w.Time.Location())
		if diff := cmp.Diff(*w, got); diff != "" {
			t.Error(diff)
		}
	}
}
