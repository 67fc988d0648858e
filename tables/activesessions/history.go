package activesessions

import (
	"math"
	"slices"
	"sync"
	"time"
	"unsafe"

	"pfsd/tables"
)

// DefaultSize is how many bytes of samples are kept by default.
const DefaultSize = 16 << 20

// blocks is how many blocks a full history has.
const blocks = 16

// history is the samples in memory, oldest first, and those in files. One goroutine at a time adds samples. A reader keeps
// the blocks that it reads, also if the history drops them.
type history struct {
	mu    sync.Mutex // guards the rest
	size  int
	parts []*block
	files *Files // nil if the samples are only in memory
}

// block is some successive samples. The elements of its slices never change: readers copy the slices under the history's
// lock, and read the elements without it.
type block struct {
	rows  []row
	texts []string // rows refer to them by place; the first is ""
	bytes int

	places map[string]uint32 // of texts; only used by the goroutine that adds
}

// row is one thread in one sample. It has no pointers: texts are places in the block's list.
type row struct {
	sample                       uint64
	time                         int64 // nanoseconds since 1970
	thread, goroutine            uint64
	event, object, waited        uint64
	blocker                      uint64
	statement, transaction       uint64
	milliseconds                 uint32 // the weight
	waits, timed                 bool
	name, user, host             uint32
	class, eventName, source     uint32
	objectName                   uint32
	blockerSource, blockerEvent  uint32
	digest, schema, stage, trace uint32
	digestText                   uint32
	request, stageStatement      uint64
	blockerHeld, unbrokenFrom    uint64

	statementName, requestName                           uint32
	requestDigest, requestDigestText, requestSchema      uint32
	blockerName, blockerUser, blockerHost, blockerDigest uint32
}

const rowBytes = int(unsafe.Sizeof(row{}))

// textBytes is how many bytes a text takes in addition to its characters: its header, and its place
// in the map.
const textBytes = 48

// setSize changes how many bytes are kept.
func (h *history) setSize(bytes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.size = bytes
	h.drop()
}

func (h *history) truncate() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.parts = nil
	if h.files != nil {
		h.files.Truncate()
	}
}

// drop drops the oldest blocks until the rest fits in size. The caller holds mu.
func (h *history) drop() {
	total := 0
	for i := len(h.parts) - 1; i >= 0; i-- {
		if total += h.parts[i].bytes; total > h.size {
			h.parts = slices.Clone(h.parts[i+1:])
			return
		}
	}
}

// add adds the threads of one sample.
func (h *history) add(sessions []tables.ActiveSession) {
	if len(sessions) == 0 {
		return
	}
	if files := h.addToMemory(sessions); files != nil {
		files.add(sessions) // without the lock, for which readers would wait as long as for the disk
	}
}

// addToMemory adds the threads of one sample to those in memory, and returns the files that get them, too.
func (h *history) addToMemory(sessions []tables.ActiveSession) *Files {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b *block // for the whole sample: what is dropped of it is dropped as a whole
	if n := len(h.parts); n > 0 && h.parts[n-1].bytes < h.size/blocks {
		b = h.parts[n-1]
	} else {
		b = &block{texts: []string{""}, places: map[string]uint32{"": 0}}
		if n > 0 {
			h.parts[n-1].places = nil
		}
		h.parts = append(slices.Clip(h.parts), b)
	}
	for i := range sessions {
		b.add(&sessions[i])
	}
	h.drop()
	return h.files
}

// place returns the place of a text in the block's list, and adds the text if need be.
func (b *block) place(text string) uint32 {
	p, ok := b.places[text]
	if !ok {
		p = uint32(len(b.texts))
		b.places[text] = p
		b.texts = append(b.texts, text)
		b.bytes += len(text) + textBytes
	}
	return p
}

func (b *block) add(s *tables.ActiveSession) {
	b.rows = append(b.rows, row{
		sample: s.Sample, time: s.Time.UnixNano(), thread: s.Thread, goroutine: s.Goroutine,
		event: s.Event, object: s.Object, waited: s.Waited, blocker: s.Blocker, statement: s.Statement, transaction: s.Transaction,
		milliseconds: uint32(milliseconds(s.Weight)), waits: s.Waits, timed: s.Timed,
		name: b.place(s.Name), user: b.place(s.User), host: b.place(s.Host),
		class: b.place(s.WaitClass), eventName: b.place(s.EventName), source: b.place(s.Source), objectName: b.place(s.ObjectName),
		blockerSource: b.place(s.BlockerSource), blockerEvent: b.place(s.BlockerEvent),
		digest: b.place(s.Digest), schema: b.place(s.Schema), stage: b.place(s.Stage), trace: b.place(s.Trace), digestText: b.place(s.DigestText),
		request: s.Request, stageStatement: s.StageStatement, blockerHeld: s.BlockerHeld, unbrokenFrom: s.UnbrokenFrom,
		statementName: b.place(s.StatementName), requestName: b.place(s.RequestName), requestDigest: b.place(s.RequestDigest), requestDigestText: b.place(s.RequestDigestText), requestSchema: b.place(s.RequestSchema),
		blockerName: b.place(s.BlockerName), blockerUser: b.place(s.BlockerUser), blockerHost: b.place(s.BlockerHost), blockerDigest: b.place(s.BlockerDigestText),
	})
	b.bytes += rowBytes
}

// session sets s to the row.
func (b *block) session(s *tables.ActiveSession, r *row) {
	*s = tables.ActiveSession{
		Sample: r.sample, Time: time.Unix(0, r.time), Thread: r.thread, Goroutine: r.goroutine,
		Name: b.texts[r.name], User: b.texts[r.user], Host: b.texts[r.host], Waits: r.waits,
		WaitClass: b.texts[r.class], EventName: b.texts[r.eventName], Source: b.texts[r.source],
		Event: r.event, Object: r.object, Waited: r.waited, Timed: r.timed, ObjectName: b.texts[r.objectName],
		Blocker: r.blocker, BlockerSource: b.texts[r.blockerSource], BlockerEvent: b.texts[r.blockerEvent],
		Statement: r.statement, Transaction: r.transaction,
		Digest: b.texts[r.digest], Schema: b.texts[r.schema], Stage: b.texts[r.stage], Trace: b.texts[r.trace], DigestText: b.texts[r.digestText],
		Weight:  float64(r.milliseconds) / 1000,
		Request: r.request, StageStatement: r.stageStatement, BlockerHeld: r.blockerHeld, UnbrokenFrom: r.unbrokenFrom,
		StatementName: b.texts[r.statementName], RequestName: b.texts[r.requestName], RequestDigest: b.texts[r.requestDigest], RequestDigestText: b.texts[r.requestDigestText], RequestSchema: b.texts[r.requestSchema],
		BlockerName: b.texts[r.blockerName], BlockerUser: b.texts[r.blockerUser], BlockerHost: b.texts[r.blockerHost], BlockerDigestText: b.texts[r.blockerDigest],
	}
}

// bytes is how many bytes the samples take.
func (h *history) bytes() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, b := range h.parts {
		n += b.bytes
	}
	return n
}

// firstSample is the first sample in memory, or the largest number if there is none.
func firstSample(parts []block) uint64 {
	for i := range parts {
		if len(parts[i].rows) > 0 {
			return parts[i].rows[0].sample
		}
	}
	return math.MaxUint64
}

// read starts a scan of the present samples: first those that are only in files, then those in memory. What columns do not show
// need not be set; nil means all columns.
func (h *history) read(key tables.Key, columns []string) tables.Source[*tables.ActiveSession] {
	h.mu.Lock()
	parts := make([]block, len(h.parts))
	for i, b := range h.parts {
		parts[i] = block{rows: b.rows, texts: b.texts}
	}
	files := h.files
	h.mu.Unlock()
	var older *fileScan
	if files != nil {
		older = files.read(firstSample(parts), fieldsOf(columns))
	}
	sample, ofOne := key.Uint("SAMPLE_ID")
	thread, ofThread := key.Uint("THREAD_ID")
	var sessions []tables.ActiveSession
	return func(buf []*tables.ActiveSession) int {
		if sessions == nil {
			sessions = make([]tables.ActiveSession, len(buf))
		}
		n, room := 0, min(len(buf), len(sessions))
		for older != nil && n < room {
			s := &sessions[n]
			if !older.row(s, func(d *decoder) bool { return (!ofOne || d.sample == sample) && key.Allows("SAMPLE_TIME", d.time) }) {
				older = nil
				break
			}
			if ofThread && s.Thread != thread {
				continue
			}
			buf[n] = s
			n++
		}
		for len(parts) > 0 && n < room {
			b := &parts[0]
			if len(b.rows) == 0 || ofOne && (b.rows[0].sample > sample || b.rows[len(b.rows)-1].sample < sample) {
				parts = parts[1:]
				continue
			}
			r := &b.rows[0]
			b.rows = b.rows[1:]
			if ofOne && r.sample != sample || ofThread && r.thread != thread || !key.Allows("SAMPLE_TIME", time.Unix(0, r.time)) {
				continue
			}
			b.session(&sessions[n], r)
			buf[n] = &sessions[n]
			n++
		}
		return n
	}
}
