package activesessions

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"time"
	"unicode/utf8"

	"pfsd/tables"
)

// A file of samples is a header and records, one for each sample. All numbers of fixed length are little endian.
//
//	header  8 bytes magic, 8 bytes number of the first sample
//	record  4 bytes length of the rest, 4 bytes CRC-32C of the rest, and the rest:
//	        8 bytes number of the sample, 8 bytes time in nanoseconds since 1970, uvarint milliseconds it stands for,
//	        uvarint number of new texts, each with its length, uvarint number of rows, and the rows
//
// A text is written once in a file; rows refer to it by its place, from 1 on, and 0 is "". So a record needs those before
// it, and what follows a record that is damaged is not read.
const (
	headerBytes = 16
	frameBytes  = 8
	fixedBytes  = 16
)

var magic = [8]byte{'p', 'f', 's', 'd', 'A', 'S', 'H', 1}

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errDamaged = errors.New("a record is damaged")
	errForeign = errors.New("it is not a file of samples")
)

// maxSample is the largest number of a sample that is believed: later ones still have numbers then.
const maxSample = 1 << 62

// longestText is how many bytes of a text are kept.
const longestText = 4096

// cut returns the beginning of a text that is kept.
func cut(text string) string {
	if len(text) <= longestText {
		return text
	}
	n := longestText
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// encoder writes the records of one file. Owned by one goroutine.
type encoder struct {
	places map[string]uint64
	texts  []byte // of this record
	news   uint64 // texts of this record
	rows   []byte
}

func newEncoder() *encoder { return &encoder{places: map[string]uint64{"": 0}} }

func (e *encoder) place(text string) uint64 {
	text = cut(text)
	p, ok := e.places[text]
	if !ok {
		p = uint64(len(e.places))
		e.places[text] = p
		e.news++
		e.texts = binary.AppendUvarint(e.texts, uint64(len(text)))
		e.texts = append(e.texts, text...)
	}
	return p
}

// record appends the record of one sample, which has at least one row, to dst.
func (e *encoder) record(dst []byte, sessions []tables.ActiveSession) []byte {
	e.texts, e.rows, e.news = e.texts[:0], e.rows[:0], 0
	for i := range sessions {
		s := &sessions[i]
		flags := byte(0)
		if s.Waits {
			flags |= 1
		}
		if s.Timed {
			flags |= 2
		}
		e.rows = append(e.rows, flags)
		for _, n := range [...]uint64{
			s.Thread, s.Goroutine, s.Event, s.Object, s.Waited, s.Blocker, s.Statement, s.Transaction,
			e.place(s.Name), e.place(s.User), e.place(s.Host), e.place(s.WaitClass), e.place(s.EventName), e.place(s.Source), e.place(s.ObjectName),
			e.place(s.BlockerSource), e.place(s.BlockerEvent), e.place(s.Digest), e.place(s.Schema), e.place(s.Stage), e.place(s.Trace), e.place(s.DigestText),
		} {
			e.rows = binary.AppendUvarint(e.rows, n)
		}
	}
	begin := len(dst)
	dst = append(dst, make([]byte, frameBytes)...)
	dst = binary.LittleEndian.AppendUint64(dst, sessions[0].Sample)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(sessions[0].Time.UnixNano()))
	dst = binary.AppendUvarint(dst, milliseconds(sessions[0].Weight))
	dst = binary.AppendUvarint(dst, e.news)
	dst = append(dst, e.texts...)
	dst = binary.AppendUvarint(dst, uint64(len(sessions)))
	dst = append(dst, e.rows...)
	rest := dst[begin+frameBytes:]
	binary.LittleEndian.PutUint32(dst[begin:], uint32(len(rest)))
	binary.LittleEndian.PutUint32(dst[begin+4:], crc32.Checksum(rest, castagnoli))
	return dst
}

// milliseconds is a weight in seconds as it is kept.
func milliseconds(seconds float64) uint64 { return uint64(seconds*1000 + 0.5) }

// decoder reads the records of one file. Its text is untrusted. Owned by one goroutine.
type decoder struct {
	rest  []byte   // what is left of the file
	texts []string // by place

	// The present record.
	sample uint64
	time   time.Time
	weight float64
	left   uint64 // rows that have not been read
	rows   []byte
}

// readHeader returns the number of a file's first sample.
func readHeader(text []byte) (first uint64, err error) {
	if len(text) < headerBytes || [8]byte(text) != magic {
		return 0, errForeign
	}
	return binary.LittleEndian.Uint64(text[8:]), nil
}

// newDecoder returns a decoder of a file's text.
func newDecoder(text []byte) (*decoder, error) {
	if _, err := readHeader(text); err != nil {
		return nil, err
	}
	return &decoder{rest: text[headerBytes:], texts: []string{""}}, nil
}

// record goes to the next record, and skips the rows that are left of the present one. ok is false at the end. A record
// that the end of the file cuts off is the end, too: it is being written, or the process ended meanwhile.
func (d *decoder) record() (ok bool, err error) {
	d.left = 0
	if len(d.rest) < frameBytes {
		return false, nil
	}
	n, sum := uint64(binary.LittleEndian.Uint32(d.rest)), binary.LittleEndian.Uint32(d.rest[4:])
	if uint64(len(d.rest)-frameBytes) < n {
		return false, nil
	}
	body := d.rest[frameBytes : frameBytes+n]
	if n < fixedBytes || crc32.Checksum(body, castagnoli) != sum {
		return false, errDamaged
	}
	d.rest = d.rest[frameBytes+n:]
	d.sample, d.time = binary.LittleEndian.Uint64(body), time.Unix(0, int64(binary.LittleEndian.Uint64(body[8:])))
	if d.sample > maxSample {
		return false, errDamaged
	}
	r := reader{text: body[fixedBytes:]}
	d.weight = float64(r.number()&math.MaxUint32) / 1000
	for news := r.number(); news > 0 && !r.bad; news-- {
		d.texts = append(d.texts, r.string())
	}
	d.left, d.rows = r.number(), r.text
	if r.bad {
		d.left = 0
		return false, errDamaged
	}
	return true, nil
}

// row sets s to the next row of the record. ok is false behind the last.
func (d *decoder) row(s *tables.ActiveSession) (ok bool, err error) {
	if d.left == 0 {
		return false, nil
	}
	d.left--
	r := reader{text: d.rows}
	flags := r.byte()
	text := func() string {
		p := r.number()
		if p >= uint64(len(d.texts)) {
			r.bad = true
			return ""
		}
		return d.texts[p]
	}
	*s = tables.ActiveSession{
		Sample: d.sample, Time: d.time, Weight: d.weight, Waits: flags&1 != 0, Timed: flags&2 != 0,
		Thread: r.number(), Goroutine: r.number(), Event: r.number(), Object: r.number(), Waited: r.number(), Blocker: r.number(), Statement: r.number(), Transaction: r.number(),
		Name: text(), User: text(), Host: text(), WaitClass: text(), EventName: text(), Source: text(), ObjectName: text(),
		BlockerSource: text(), BlockerEvent: text(), Digest: text(), Schema: text(), Stage: text(), Trace: text(), DigestText: text(),
	}
	d.rows = r.text
	if r.bad {
		d.left = 0
		return false, errDamaged
	}
	return true, nil
}

// reader reads numbers and texts. bad is set where there is none; then it reads 0 and "".
type reader struct {
	text []byte
	bad  bool
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.text)
	if size <= 0 {
		r.bad, r.text = true, nil
		return 0
	}
	r.text = r.text[size:]
	return n
}

func (r *reader) byte() byte {
	if len(r.text) == 0 {
		r.bad = true
		return 0
	}
	b := r.text[0]
	r.text = r.text[1:]
	return b
}

func (r *reader) string() string {
	n := r.number()
	if n > uint64(len(r.text)) {
		r.bad = true
		return ""
	}
	s := string(r.text[:n])
	r.text = r.text[n:]
	return s
}
