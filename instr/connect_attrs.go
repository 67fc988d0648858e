package instr

import (
	"strconv"
	"sync/atomic"
)

// ConnectAttr is an attribute that a client sent when it connected, a row of session_connect_attrs.
type ConnectAttr struct{ Name, Value string }

// defaultConnectAttrsSize is how many bytes a thread has for such attributes by default.
const defaultConnectAttrsSize = 512

// connectAttrs is what a registry keeps of the attributes of all connections.
type connectAttrs struct {
	size, longest, lost atomic.Uint64
}

const (
	truncatedAttr = "_truncated"
	// truncatedCost is how many bytes MySQL adds to the lost ones for the attribute _truncated
	// itself, and truncatedDigits how many digits its value has at most.
	truncatedCost   = len(truncatedAttr) + 1 + 7
	truncatedDigits = 5
)

// SetConnectAttrs sets the attributes that the client sent, in the client's order. There is room
// for ConnectAttrsSize bytes of the protocol's encoding, which contains lengths. If the attributes
// take more, the connection is counted in ConnectAttrsLost, and as in MySQL the attribute
// _truncated comes before those that fit; its value is the number of bytes that do not fit.
// SetConnectAttrs returns this number, 0 if all fit. An attribute without a name, and what comes
// after it, is not shown. Owned by the thread's goroutine.
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

// LoseConnectAttrs says that the attributes that the client sent cannot be read: the connection is
// counted in ConnectAttrsLost.
func (t *Thread) LoseConnectAttrs() {
	if t != nil && t.ID() != 0 {
		t.registry.connectAttrs.lost.Add(1)
	}
}

// ConnectAttrs appends the attributes that the client sent. Safe for concurrent use.
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
