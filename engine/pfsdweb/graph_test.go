package pfsdweb

import (
	"encoding/json"
	"os/exec"
	"testing"
)

// layersOf has node place the threads of waits, which an expression in JavaScript makes.
func layersOf(t *testing.T, waits string) (got struct{ Nodes, Edges, NodesLeftOut, EdgesLeftOut, Steps, Columns int }) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	source, err := files.ReadFile("page/graph.js")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", `exec "$0" "$@"`, node, "--input-type=module", "-e", string(source)+`
const wait = (a, b) => ({ thread_id: String(a), thread: 't' + a, blocking_thread_id: String(b), blocking_thread: 't' + b })
const got = layers(`+waits+`)
console.log(JSON.stringify({ nodes: got.nodes.size, edges: got.edges.length, nodesLeftOut: got.nodesLeftOut, edgesLeftOut: got.edgesLeftOut, steps: got.steps,
  columns: 1 + Math.max(-1, ...[...got.nodes.values()].map(n => n.column)) }))`)
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}

// TestLockGraphSteps: the time to place the threads of a lock graph grows with its threads and waits, not with its ways; what is not drawn is counted.
func TestLockGraphSteps(t *testing.T) {
	layered := func(layers, each string) string {
		return `Array.from({ length: (` + layers + ` - 1) * ` + each + ` * ` + each + ` }, (_, i) => { const e = ` + each + `, l = Math.floor(i / e / e); return wait(100 + (l + 1) * e + Math.floor(i / e) % e, 100 + l * e + i % e) })`
	}
	for _, c := range []struct {
		name, waits                           string
		nodes, edges, nodes0, edges0, columns int
	}{
		{"nothing", "[]", 0, 0, 0, 0, 0},
		{"a chain", "[wait(2, 1), wait(3, 2)]", 3, 2, 0, 0, 3},
		{"a circle", "[wait(1, 2), wait(2, 3), wait(3, 1), wait(4, 1)]", 4, 4, 0, 0, 4},
		{"oneself", "[wait(1, 1)]", 1, 1, 0, 0, 1},
		{"20 layers of 4", layered("20", "4"), 80, 304, 0, 0, 9},
		{"2 layers of 40", layered("2", "40"), 80, 400, 0, 1200, 2},
		{"a chain of 200", "Array.from({ length: 200 }, (_, i) => wait(i + 2, i + 1))", 100, 99, 101, 101, 9},
	} {
		got := layersOf(t, c.waits)
		if got.Nodes != c.nodes || got.Edges != c.edges || got.NodesLeftOut != c.nodes0 || got.EdgesLeftOut != c.edges0 || got.Columns != c.columns {
			t.Errorf("%s: %+v", c.name, got)
		}
		if most := got.Nodes + 2*got.Edges; got.Steps > most {
			t.Errorf("%s: %d steps, want %d at the most", c.name, got.Steps, most)
		}
	}
}
