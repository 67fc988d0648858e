package instr

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestConnectAttrs(t *testing.T) {
	long := strings.Repeat("v", 300) // whose length takes 3 bytes
	for _, c := range []struct {
		name    string
		size    int
		attrs   []ConnectAttr
		want    []ConnectAttr
		returns int
		longest uint64
	}{
		{name: "none", size: 512},
		{name: "some", size: 512, attrs: []ConnectAttr{{"a", "1"}, {"b", ""}, {"a", "2"}}, want: []ConnectAttr{{"a", "1"}, {"b", ""}, {"a", "2"}}, longest: 11},
		{name: "no name", size: 512, attrs: []ConnectAttr{{"a", "1"}, {"", "2"}, {"c", "3"}}, want: []ConnectAttr{{"a", "1"}}, longest: 11},
		{name: "just fits", size: 305, attrs: []ConnectAttr{{"a", long}}, want: []ConnectAttr{{"a", long}}, longest: 305},
		// 1 byte does not fit, and MySQL adds 18 for the attribute _truncated, which takes 14.
		{name: "just does not", size: 304, attrs: []ConnectAttr{{"a", long}}, want: []ConnectAttr{{"_truncated", "19"}}, returns: 19, longest: 305},
		{name: "a part", size: 30, attrs: []ConnectAttr{{"one", "1111"}, {"two", "2222"}, {"three", "33333"}, {"x", ""}}, want: []ConnectAttr{{"_truncated", "21"}, {"one", "1111"}}, returns: 21, longest: 33},
		{name: "no room to say so", size: 13, attrs: []ConnectAttr{{"one", "1111"}, {"two", "2222"}}, returns: 23, longest: 18},
		{name: "five digits", size: 100, attrs: []ConnectAttr{{"a", strings.Repeat("v", 200_000)}}, want: []ConnectAttr{{"_truncated", "19992"}}, returns: 199_924, longest: 200_006},
		{name: "off", size: 0, attrs: []ConnectAttr{{"a", "1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewRegistry()
			r.Setup().SetConnectAttrsSize(c.size)
			th := r.Attach("test/one")
			defer th.Detach()
			if got := th.SetConnectAttrs(c.attrs); got != c.returns {
				t.Errorf("%d lost, want %d", got, c.returns)
			}
			if got := th.ConnectAttrs(nil); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			lost := uint64(min(c.returns, 1))
			if got := fmt.Sprint(r.Setup().ConnectAttrsSize(), r.Reader().ConnectAttrsLost(), r.Reader().ConnectAttrsLongestSeen()); got != fmt.Sprint(c.size, lost, c.longest) {
				t.Errorf("size, lost and longest are %s", got)
			}
		})
	}
}

// The longest size stays, attributes that cannot be read count as lost, and a lost thread has no
// attributes.
func TestConnectAttrsCounters(t *testing.T) {
	r := NewRegistry()
	if r.Setup().ConnectAttrsSize() != defaultConnectAttrsSize {
		t.Errorf("room for %d", r.Setup().ConnectAttrsSize())
	}
	th := r.Attach("test/one")
	th.SetConnectAttrs([]ConnectAttr{{"name", "value"}})
	th.SetConnectAttrs([]ConnectAttr{{"n", "v"}})
	th.LoseConnectAttrs()
	if got := fmt.Sprint(r.Reader().ConnectAttrsLost(), r.Reader().ConnectAttrsLongestSeen(), th.ConnectAttrs(nil)); got != "1 11 [{n v}]" {
		t.Errorf("got %s", got)
	}
	th.Detach()
	r.Setup().SetLimit(LimitThreadInstances, 0)
	lost := r.Attach("test/two")
	lost.SetConnectAttrs([]ConnectAttr{{"a much longer name", "value"}})
	lost.LoseConnectAttrs()
	if got := fmt.Sprint(r.Reader().ConnectAttrsLost(), r.Reader().ConnectAttrsLongestSeen(), len(lost.ConnectAttrs(nil))); got != "1 11 0" {
		t.Errorf("a lost thread makes it %s", got)
	}
}
