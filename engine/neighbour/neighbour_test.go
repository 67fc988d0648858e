package neighbour

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/answers.txt")

// TestAnswers: the file has what an engine answers that is alone.
func TestAnswers(t *testing.T) {
	got := Answers()
	if *update {
		if err := os.WriteFile("testdata/answers.txt", []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != AnswersAlone {
		t.Errorf("testdata/answers.txt is not what go-mysql-server answers: run the test with -update\n%s", got)
	}
	if Answers() != got {
		t.Error("a second engine answers in another way")
	}
}
