package traceparent

import "testing"

func TestComment(t *testing.T) {
	const valid = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
	for s, want := range map[string]bool{
		valid: true, "": false, valid + "0": false, valid + "-x": false, "01" + valid[2:] + "-ab": true, "ff" + valid[2:]: false,
		"00-00000000000000000000000000000000-0123456789abcdef-01": false, "00-0123456789abcdef0123456789abcdef-0000000000000000-01": false,
		"00-0123456789ABCDEF0123456789abcdef-0123456789abcdef-01": false, valid[:54] + "'": false,
	} {
		if Valid(s) != want || (Comment(s) != "") != want {
			t.Errorf("%q: valid %v, comment %q", s, Valid(s), Comment(s))
		}
	}
	if got, want := Comment(valid), " /*traceparent='"+valid+"'*/"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
