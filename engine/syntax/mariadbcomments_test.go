package syntax

import "testing"

func TestMariaDBComments(t *testing.T) {
	for text, want := range map[string]string{
		"/*M!100100 SET @a = 1 */":                "/*  100100 SET @a = 1 */",
		"/*M! x */ SELECT 1 /*M!999999\\- y */":   "/*   x */ SELECT 1 /*  999999\\- y */",
		"SELECT '/*M! x */', \"/*M!\", `/*M!`":    "",
		"SELECT 1 -- /*M! x */":                   "",
		"SELECT 1 # /*M! x */\n + /*M!1 2 */ 3":   "SELECT 1 # /*M! x */\n + /*  1 2 */ 3",
		"/* /*M! */ SELECT 1":                     "",
		"/*!50000 SELECT 1 */ /*m! 2 */ /* M! */": "",
		"/*M!": "/*  ",
		"SELECT 1 /*!99999 + 1 */ /*!80400 + 2 */ /*!090000 + 3 */ '/*!99999'": "SELECT 1 /* 99999 + 1 */ /*!80400 + 2 */ /* 090000 + 3 */ '/*!99999'",
		"SELECT 'it''s' /*M! x */": "SELECT 'it''s' /*   x */",
	} {
		if want == "" {
			want = text
		}
		if got := MariaDBComments(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// FuzzMariaDBComments checks that nothing but the beginning /*M! or /*! of a comment changes.
func FuzzMariaDBComments(f *testing.F) {
	f.Add("SELECT '/*M!' /*M! x */")
	f.Add("SELECT '/*!99999' /*!99999 x */")
	f.Fuzz(func(t *testing.T, text string) {
		got := MariaDBComments(text)
		if len(got) != len(text) {
			t.Fatalf("%q became %q", text, got)
		}
		for i := range text {
			if got[i] != text[i] && (got[i] != ' ' || i < 2 || text[i-2:i] != "/*" && text[i-3:i] != "/*M") {
				t.Fatalf("%q became %q", text, got)
			}
		}
	})
}
