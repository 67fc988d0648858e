package instr

import (
	"bytes"
	"crypto/sha256"
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
	"unsafe"

	"pfsd/instr/digest"
)

// Digest is what statements are grouped by: their normalised text. Safe for concurrent use.
type Digest struct {
	hash   [32]byte
	tokens []byte                    // the first of the hashed tokens: as many as are kept
	row    atomic.Pointer[digestRow] // one of its rows, dead or alive
	texts  int                       // how many texts of the cache have it; guarded by the cache's mu
	name   string                    // in the place of tokens: see NewDigest
}

// NewDigest returns a digest for statements that are not SQL. They are grouped by name, such as the route of a request; the name
// is the digest's text, of at most MaxDigestLength bytes. Two digests of the same name are one row in the tables, but each call
// makes a new Digest: keep it. NewDigest returns nil if the name is empty or digests are switched off. Safe for concurrent use.
func (r *Registry) NewDigest(name string) *Digest {
	n := min(len(name), r.Setup().MaxDigestLength(), r.Setup().KeptDigestLength())
	if n == 0 {
		return nil
	}
	for n < len(name) && n > 0 && !utf8.RuneStart(name[n]) {
		n--
	}
	// No SQL text has these tokens: 0 is none.
	return &Digest{hash: sha256.Sum256([]byte("\x00\x00" + name)), name: strings.Clone(name[:n])}
}

// NewDigest is Registry.NewDigest of the default registry.
func NewDigest(name string) *Digest { return Default.NewDigest(name) }

// Hex is the hash, 64 hexadecimal digits, and as in MySQL "" if none of the tokens is kept.
func (d *Digest) Hex() string {
	if len(d.tokens) == 0 && d.name == "" {
		return ""
	}
	return digest.Hex(d.hash)
}

// Text is the normalised text, as far as its tokens are kept.
func (d *Digest) Text() string {
	if d.name != "" {
		return d.name
	}
	return digest.Text(d.tokens)
}

// DigestOf returns the digest of a statement's text, nil if it is empty or the consumer
// statements_digest is off. Safe for concurrent use; for text seen before it costs a look-up.
func (r *Registry) DigestOf(sql string) *Digest { return r.DigestOfMode(sql, 0) }

// DigestOf is Registry.DigestOf of the default registry.
func DigestOf(sql string) *Digest { return Default.DigestOf(sql) }

// DigestOfMode is DigestOf where SQL modes are set. Safe for concurrent use.
func (r *Registry) DigestOfMode(sql string, mode digest.Mode) *Digest {
	s := &r.digests
	if !s.wanted.Load() {
		return nil
	}
	for {
		c, maxLength, keptLength := s.cache.Load(), int(s.maxLength.Load()), int(s.keptLength.Load())
		if c != nil && c.maxLength == maxLength && c.keptLength == keptLength {
			return c.digest(sql, mode)
		}
		if maxLength <= 0 {
			return nil
		}
		s.cache.CompareAndSwap(c, newDigestCache(maxLength, keptLength))
	}
}

// DigestOfMode is Registry.DigestOfMode of the default registry.
func DigestOfMode(sql string, mode digest.Mode) *Digest { return Default.DigestOfMode(sql, mode) }

// SetMaxDigestLength sets how many bytes of a statement's tokens count for its digest; with 0 there
// are no digests. MySQL: max_digest_length. Safe for concurrent use.
func (h Setup) SetMaxDigestLength(n int) { h.r.digests.maxLength.Store(int64(n)) }

// MaxDigestLength is how many bytes of a statement's tokens count for its digest. Safe for
// concurrent use.
func (h Setup) MaxDigestLength() int { return int(h.r.digests.maxLength.Load()) }

// SetKeptDigestLength sets how many bytes of the tokens that count are kept, for the text of the
// digest; with 0 a digest shows neither text nor hash. MySQL: performance_schema_max_digest_length.
// Safe for concurrent use.
func (h Setup) SetKeptDigestLength(n int) { h.r.digests.keptLength.Store(int64(max(0, n))) }

// KeptDigestLength is how many bytes of the tokens that count are kept. Safe for concurrent use.
func (h Setup) KeptDigestLength() int { return int(h.r.digests.keptLength.Load()) }

// The bounds of the cache of digests: of the texts, and of the bytes of these and of the
// digests' tokens. Of a text longer than digestWholeText bytes it keeps a hash.
const (
	digestTexts     = 8192
	digestBytes     = 8 << 20
	digestWholeText = 2 << 10
	digestWays      = 4 // a text can be in so many places
	digestSets      = digestTexts / digestWays
	digestOverhead  = 256 // bytes of a text and its digest besides their own
)

// digestCache is the digests of texts seen before: a hash table of sets of digestWays places. It is
// read without a lock; the digest of a text that is not in it is computed, and put in under the
// lock.
type digestCache struct {
	maxLength, keptLength int

	seed   maphash.Seed
	places [digestTexts]atomic.Pointer[digestText] // changed under mu

	mu      sync.Mutex
	bytes   int
	hand    int                  // the place from which on texts are thrown out
	hands   [digestSets]uint8    // the same of each set, when it is full
	digests map[[32]byte]*Digest // of the texts that are in
}

// digestText is a text in the cache, and its digest.
type digestText struct {
	hash   uint64
	size   int // of the text
	mode   digest.Mode
	text   string // or its SHA-256, if it is longer than digestWholeText
	digest *Digest
	used   atomic.Bool // since the hand passed it
}

func newDigestCache(maxLength, keptLength int) *digestCache {
	return &digestCache{maxLength: maxLength, keptLength: keptLength, seed: maphash.MakeSeed(), digests: map[[32]byte]*Digest{}}
}

// digest returns the digest of a text, nil if there is none.
func (c *digestCache) digest(sql string, mode digest.Mode) *Digest {
	key := sql
	if len(sql) > digestWholeText {
		// The hash only reads the text: a copy would cost as much as the hash.
		sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(sql), len(sql)))
		key = string(sum[:])
	}
	hash := maphash.String(c.seed, key)
	if t := c.find(hash, key, len(sql), mode); t != nil {
		if !t.used.Load() {
			t.used.Store(true)
		}
		return t.digest
	}
	sum, tokens := digest.Compute(sql, c.maxLength, mode)
	if len(tokens) == 0 {
		return nil
	}
	return c.add(&digestText{hash: hash, size: len(sql), mode: mode, text: strings.Clone(key)}, sum, tokens)
}

func (c *digestCache) set(hash uint64) []atomic.Pointer[digestText] {
	first := hash % digestSets * digestWays
	return c.places[first : first+digestWays]
}

func (c *digestCache) find(hash uint64, key string, size int, mode digest.Mode) *digestText {
	set := c.set(hash)
	for i := range set {
		if t := set[i].Load(); t != nil && t.hash == hash && t.size == size && t.mode == mode && t.text == key {
			return t
		}
	}
	return nil
}

// add puts in a text, and returns its digest.
func (c *digestCache) add(t *digestText, hash [32]byte, tokens []byte) *Digest {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.find(t.hash, t.text, t.size, t.mode); known != nil {
		return known.digest
	}
	t.digest = c.digests[hash]
	if t.digest == nil {
		if len(tokens) > c.keptLength {
			tokens = bytes.Clone(tokens[:c.keptLength])
		}
		t.digest = &Digest{hash: hash, tokens: tokens}
		c.digests[hash] = t.digest
		c.bytes += len(tokens)
	}
	t.digest.texts++
	c.bytes += len(t.text) + digestOverhead

	place := c.room(t.hash)
	c.throwOut(place)
	place.Store(t)
	for c.bytes > digestBytes {
		if other := &c.places[c.hand]; other != place && unused(other) {
			c.throwOut(other)
		}
		c.hand = (c.hand + 1) % digestTexts
	}
	return t.digest
}

// room returns a place in the hash's set: a free one, or one that has not been used since the set's hand passed it. The hand continues
// from there, so that each place has its turn. The caller holds mu.
func (c *digestCache) room(hash uint64) *atomic.Pointer[digestText] {
	set, hand := c.set(hash), &c.hands[hash%digestSets]
	place := &set[*hand]
	for range 2 * digestWays { // readers may use all of them meanwhile
		place = &set[*hand]
		*hand = (*hand + 1) % digestWays
		if unused(place) {
			break
		}
	}
	return place
}

// unused reports whether the text of a place has not been used since the last call of unused.
func unused(place *atomic.Pointer[digestText]) bool {
	t := place.Load()
	return t == nil || !t.used.Swap(false)
}

// throwOut empties a place. The caller holds mu.
func (c *digestCache) throwOut(place *atomic.Pointer[digestText]) {
	t := place.Load()
	if t == nil {
		return
	}
	place.Store(nil)
	c.bytes -= len(t.text) + digestOverhead
	if t.digest.texts--; t.digest.texts == 0 {
		delete(c.digests, t.digest.hash)
		c.bytes -= len(t.digest.tokens)
	}
}
