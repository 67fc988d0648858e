package activesessions

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"slices"
	"sort"
	"time"
	"unicode/utf8"

	"pfsd/tables"
)

// A file of samples is a header and records, one for each sample. All numbers of fixed length are little endian.
//
//	header  8 bytes magic, 8 bytes number of the first sample
//	record  4 bytes length of the rest, 4 bytes CRC-32C of the rest, and the rest:
//	        8 bytes number of the sample, 8 bytes time in nanoseconds since 1970, uvarint milliseconds it stands for,
//	        uvarint how many samples before it have been taken without one missing, uvarint number of new texts, each with its length, uvarint number of rows, and for each of fields: uvarint
//	        length of its values, and a uvarint for each row
//
// Files of the version before have no number of samples before a record, and only the first fields.
//
// So a reader who needs few fields skips the others. A text is written once in a file; rows refer to it by its place, from 1 on,
// and 0 is "". So a record needs those before it, and what follows a record that is damaged is not read.
const (
	headerBytes = 16
	frameBytes  = 8
	fixedBytes  = 16
	version     = 3
	oldVersion  = 2  // can be read, too
	oldFields   = 24 // the first of fields, which are those of oldVersion
)

var magic = [8]byte{'p', 'f', 's', 'd', 'A', 'S', 'H', version}

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errDamaged = errors.New("a record is damaged")
	errForeign = errors.New("it is not a file of samples")
)

// A field is what a record has of each row: a number, a text, or whether something is so. One of the three functions is not nil.
type field struct {
	columns []string // that show it, or are made of it and of other fields
	number  func(*tables.ActiveSession) *uint64
	text    func(*tables.ActiveSession) *string
	is      func(*tables.ActiveSession) *bool
}

// fields are in the order of a record.
var fields = []field{
	{columns: []string{"STATE"}, is: func(s *tables.ActiveSession) *bool { return &s.Waits }},
	{columns: []string{"WAITED_SO_FAR"}, is: func(s *tables.ActiveSession) *bool { return &s.Timed }},
	{columns: []string{"THREAD_ID"}, number: func(s *tables.ActiveSession) *uint64 { return &s.Thread }},
	{columns: []string{"GOROUTINE_ID"}, number: func(s *tables.ActiveSession) *uint64 { return &s.Goroutine }},
	{columns: []string{"EVENT_ID"}, number: func(s *tables.ActiveSession) *uint64 { return &s.Event }},
	{columns: []string{"OBJECT_INSTANCE_BEGIN"}, number: func(s *tables.ActiveSession) *uint64 { return &s.Object }},
	{columns: []string{"WAITED_SO_FAR"}, number: func(s *tables.ActiveSession) *uint64 { return &s.Waited }},
	{columns: []string{"BLOCKING_THREAD_ID"}, number: func(s *tables.ActiveSession) *uint64 { return &s.Blocker }},
	{columns: []string{"STATEMENT_EVENT_ID", "NESTED", "STAGE_OF"}, number: func(s *tables.ActiveSession) *uint64 { return &s.Statement }},
	{columns: []string{"TRANSACTION_EVENT_ID"}, number: func(s *tables.ActiveSession) *uint64 { return &s.Transaction }},
	{columns: []string{"NAME"}, text: func(s *tables.ActiveSession) *string { return &s.Name }},
	{columns: []string{"PROCESSLIST_USER"}, text: func(s *tables.ActiveSession) *string { return &s.User }},
	{columns: []string{"PROCESSLIST_HOST"}, text: func(s *tables.ActiveSession) *string { return &s.Host }},
	{columns: []string{"WAIT_CLASS"}, text: func(s *tables.ActiveSession) *string { return &s.WaitClass }},
	{columns: []string{"EVENT_NAME"}, text: func(s *tables.ActiveSession) *string { return &s.EventName }},
	{columns: []string{"SOURCE"}, text: func(s *tables.ActiveSession) *string { return &s.Source }},
	{columns: []string{"OBJECT_NAME"}, text: func(s *tables.ActiveSession) *string { return &s.ObjectName }},
	{columns: []string{"BLOCKING_SOURCE"}, text: func(s *tables.ActiveSession) *string { return &s.BlockerSource }},
	{columns: []string{"BLOCKING_EVENT_NAME"}, text: func(s *tables.ActiveSession) *string { return &s.BlockerEvent }},
	{columns: []string{"DIGEST"}, text: func(s *tables.ActiveSession) *string { return &s.Digest }},
	{columns: []string{"CURRENT_SCHEMA"}, text: func(s *tables.ActiveSession) *string { return &s.Schema }},
	{columns: []string{"STAGE", "STAGE_OF"}, text: func(s *tables.ActiveSession) *string { return &s.Stage }},
	{columns: []string{"TRACE_ID"}, text: func(s *tables.ActiveSession) *string { return &s.Trace }},
	{columns: []string{"DIGEST_TEXT"}, text: func(s *tables.ActiveSession) *string { return &s.DigestText }},
	{columns: []string{"STATEMENT_EVENT_NAME"}, text: func(s *tables.ActiveSession) *string { return &s.StatementName }},
	{columns: []string{"STAGE_OF"}, number: func(s *tables.ActiveSession) *uint64 { return &s.StageStatement }},
	{columns: []string{"REQUEST_EVENT_ID", "NESTED", "STAGE_OF"}, number: func(s *tables.ActiveSession) *uint64 { return &s.Request }},
	{columns: []string{"REQUEST_EVENT_NAME"}, text: func(s *tables.ActiveSession) *string { return &s.RequestName }},
	{columns: []string{"REQUEST_DIGEST"}, text: func(s *tables.ActiveSession) *string { return &s.RequestDigest }},
	{columns: []string{"REQUEST_DIGEST_TEXT"}, text: func(s *tables.ActiveSession) *string { return &s.RequestDigestText }},
	{columns: []string{"REQUEST_SCHEMA"}, text: func(s *tables.ActiveSession) *string { return &s.RequestSchema }},
	{columns: []string{"BLOCKING_THREAD_NAME"}, text: func(s *tables.ActiveSession) *string { return &s.BlockerName }},
	{columns: []string{"BLOCKING_USER"}, text: func(s *tables.ActiveSession) *string { return &s.BlockerUser }},
	{columns: []string{"BLOCKING_HOST"}, text: func(s *tables.ActiveSession) *string { return &s.BlockerHost }},
	{columns: []string{"BLOCKING_DIGEST_TEXT"}, text: func(s *tables.ActiveSession) *string { return &s.BlockerDigestText }},
	{columns: []string{"BLOCKING_TIMER_HELD"}, number: func(s *tables.ActiveSession) *uint64 { return &s.BlockerHeld }},
}

// fieldsOf returns which fields the columns show, by place; nil means all columns.
func fieldsOf(columns []string) (wanted []int) {
	for i, f := range fields {
		if columns == nil || slices.ContainsFunc(f.columns, func(c string) bool { return slices.Contains(columns, c) }) {
			wanted = append(wanted, i)
		}
	}
	return wanted
}

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
	rows   []byte // the fields of this record
	column []byte // one field of it
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
	for i := range fields {
		f := &fields[i]
		e.column = e.column[:0]
		for j := range sessions {
			n := uint64(0)
			switch s := &sessions[j]; {
			case f.number != nil:
				n = *f.number(s)
			case f.text != nil:
				n = e.place(*f.text(s))
			case *f.is(s):
				n = 1
			}
			e.column = binary.AppendUvarint(e.column, n)
		}
		e.rows = binary.AppendUvarint(e.rows, uint64(len(e.column)))
		e.rows = append(e.rows, e.column...)
	}
	begin := len(dst)
	dst = append(dst, make([]byte, frameBytes)...)
	dst = binary.LittleEndian.AppendUint64(dst, sessions[0].Sample)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(sessions[0].Time.UnixNano()))
	dst = binary.AppendUvarint(dst, milliseconds(sessions[0].Weight))
	dst = binary.AppendUvarint(dst, sessions[0].Sample-sessions[0].UnbrokenFrom)
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
	rest   []byte   // what is left of the file
	texts  []string // by place
	wanted []int    // the fields that rows get, by their places in fields
	fields int      // how many of fields a record has
	old    bool     // the file has oldVersion

	// The present record.
	sample uint64
	from   uint64 // the sample from which on none is missing
	time   time.Time
	weight float64
	left   uint64   // rows that have not been read
	values []reader // what is left of the wanted fields
}

// readHeader returns the number of a file's first sample.
func readHeader(text []byte) (first uint64, err error) {
	if len(text) < headerBytes || [7]byte(text) != [7]byte(magic[:7]) || text[7] != version && text[7] != oldVersion {
		return 0, errForeign
	}
	return binary.LittleEndian.Uint64(text[8:]), nil
}

// newDecoder returns a decoder of a file's text, whose rows get the wanted fields.
func newDecoder(text []byte, wanted []int) (*decoder, error) {
	if _, err := readHeader(text); err != nil {
		return nil, err
	}
	d := &decoder{rest: text[headerBytes:], texts: []string{""}, wanted: wanted, fields: len(fields), old: text[7] == oldVersion}
	if d.old {
		d.fields = oldFields
		d.wanted = wanted[:sort.SearchInts(wanted, oldFields)]
	}
	d.values = make([]reader, len(d.wanted))
	return d, nil
}

// record goes to the next record, and skips the rows that are left of the present one. ok is false at the end, and err is nil if
// there the file ends.
func (d *decoder) record() (ok bool, err error) {
	d.left = 0
	if len(d.rest) == 0 {
		return false, nil
	}
	if len(d.rest) < frameBytes {
		return false, errDamaged
	}
	n, sum := uint64(binary.LittleEndian.Uint32(d.rest)), binary.LittleEndian.Uint32(d.rest[4:])
	if uint64(len(d.rest)-frameBytes) < n {
		return false, errDamaged
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
	d.from = d.sample
	if !d.old {
		d.from -= min(d.sample, r.number())
	}
	for news := r.number(); news > 0 && !r.bad; news-- {
		d.texts = append(d.texts, r.string())
	}
	d.left = r.number()
	next := 0
	for i := range d.fields {
		n := r.number()
		if n < d.left || n > uint64(len(r.text)) { // each row has a value, and each value a byte
			r.bad = true
			break
		}
		if next < len(d.wanted) && d.wanted[next] == i {
			d.values[next] = reader{text: r.text[:n]}
			next++
		}
		r.text = r.text[n:]
	}
	if r.bad {
		d.left = 0
		return false, errDamaged
	}
	return true, nil
}

// row sets the wanted fields of s to the next row of the record, and what is the same in all of its rows. ok is false behind the last.
func (d *decoder) row(s *tables.ActiveSession) (ok bool, err error) {
	if d.left == 0 {
		return false, nil
	}
	d.left--
	s.Sample, s.Time, s.Weight, s.UnbrokenFrom = d.sample, d.time, d.weight, d.from
	for i, at := range d.wanted {
		r := &d.values[i]
		n := r.number()
		if r.bad {
			d.left = 0
			return false, errDamaged
		}
		switch f := &fields[at]; {
		case f.text != nil:
			if n >= uint64(len(d.texts)) {
				d.left = 0
				return false, errDamaged
			}
			*f.text(s) = d.texts[n]
		case f.number != nil:
			*f.number(s) = n
		default:
			*f.is(s) = n != 0
		}
	}
	return true, nil
}

// reader reads numbers and texts. bad is set where there is none; then it reads 0 and "".
type reader struct {
	text []byte
	bad  bool
}

func (r *reader) number() uint64 {
	if len(r.text) > 0 && r.text[0] < 1<<7 { // most numbers are short
		n := r.text[0]
		r.text = r.text[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(r.text)
	if size <= 0 {
		r.bad, r.text = true, nil
		return 0
	}
	r.text = r.text[size:]
	return n
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
