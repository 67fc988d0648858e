package instr

import (
	"strconv"
	"sync/atomic"
)

// ConnectAttr is what a client has said of itself when it connected, a row of
// session_connect_attrs.
type ConnectAttr struct{ Name, Value string }

// DefaultConnectAttrsSize is how many bytes a thread has for such attributes by default.
const defaultConnectAttrsSize = 512

// connectAttrs is what a registry knows of the attributes of connections.
type connectAttrs struct {
	size, longest, lost atomic.Uint64
}

const (
	truncatedAttr = "_truncated"
	// truncatedCost is what MySQL adds to the bytes that are lost for the attribute that says
	// so, and truncatedDigits how many digits that has at most.
	truncatedCost   = len(truncatedAttr) + 1 + 7
	truncatedDigits = 5
)

// SetConnectAttrs says what the client has said of itself, in its order. A connection has
// room for as many bytes as the registry's ConnectAttrsSize, and the protocol's encoding takes
// some for lengths. If they are more, it is counted as lost, and as in MySQL the attribute
// _truncated, whose value is how many bytes have no room, stands before those that have. It
// returns that number, 0 if none is lost. An attribute without a name, and what comes after
// it, is not shown. Owned by the thread's goroutine.
func (t *Thread) SetConnectAttrs(attrs []ConnectAttr) (lost int) {
	s := t.ensureSession()
	if s == nil {
		return 0
	}
	c := &t.registry.connectAttrs
	room := int(c.size.Load())
	if room == 0 {
		return 0
	}
	total := 0
	for _, a := range attrs {
		total += a.encoded()
	}
	for longest := c.longest.Load(); uint64(total) > longest && !c.longest.CompareAndSwap(longest, uint64(total)); {
		longest = c.longest.Load()
	}
	var kept []ConnectAttr
	if total > room {
		c.lost.Add(1)
		lost = total - room + truncatedCost
		digits := strconv.Itoa(lost)
		kept = append(kept, ConnectAttr{truncatedAttr, digits[:min(len(digits), truncatedDigits)]})
		if room -= kept[0].encoded(); room < 0 {
			kept, room = nil, 0
		}
	}
	for _, a := range attrs {
		if room -= a.encoded(); room < 0 || a.Name == "" {
			break
		}
		kept = append(kept, a)
	}
	s.mu.Lock()
	s.attrs = kept
	s.mu.Unlock()
	return lost
}

// encoded is how many bytes the attribute has in the protocol's encoding.
func (a ConnectAttr) encoded() int { return encodedText(a.Name) + encodedText(a.Value) }

// encodedText is how many bytes a text has with its length in front.
func encodedText(s string) int {
	switch n := len(s); {
	case n < 251:
		return 1 + n
	case n < 1<<16:
		return 3 + n
	case n < 1<<24:
		return 4 + n
	default:
		return 9 + n
	}
}

// LoseConnectAttrs says that what the client has said of itself cannot be read: it is counted
// as lost.
func (t *Thread) LoseConnectAttrs() {
	if t != nil && t.ID() != 0 {
		t.registry.connectAttrs.lost.Add(1)
	}
}

// ConnectAttrs appends what the client has said of itself. Safe for concurrent use.
func (t *Thread) ConnectAttrs(to []ConnectAttr) []ConnectAttr {
	return readSession(t, to, func(s *session, to []ConnectAttr) []ConnectAttr { return append(to, s.attrs...) })
}

// SetConnectAttrsSize sets how many bytes a connection that begins from now on has for its
// attributes. Safe for concurrent use.
func (h Setup) SetConnectAttrsSize(n int) { h.r.connectAttrs.size.Store(uint64(n)) }

// ConnectAttrsSize is how many bytes a connection has for its attributes. Safe for concurrent use.
func (h Setup) ConnectAttrsSize() int { return int(h.r.connectAttrs.size.Load()) }

// ConnectAttrsLost is of how many connections attributes have been lost, the status variable
// Performance_schema_session_connect_attrs_lost. Safe for concurrent use.
func (h Reader) ConnectAttrsLost() uint64 { return h.r.connectAttrs.lost.Load() }

// ConnectAttrsLongestSeen is the most bytes that the attributes of a connection have had, the
// status variable Performance_schema_session_connect_attrs_longest_seen. Safe for concurrent use.
func (h Reader) ConnectAttrsLongestSeen() uint64 { return h.r.connectAttrs.longest.Load() }
