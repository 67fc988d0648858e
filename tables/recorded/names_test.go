package recorded

import "testing"

func TestNamesOfFunctions(t *testing.T) {
	for function, want := range map[string][2]string{
		"main.main":                            {"main", "main"},
		"go.etcd.io/bbolt.(*DB).grow":          {"bbolt", "DB.grow"},
		"example.com/a.Get[example.com/b.Key]": {"a", "Get"},
		"example.com/a.(*Set[go.shape.struct { example.com/b.Key }]).Add": {"a", "Set.Add"},
		"example.com/a.(*Set[...]).Add.func1":                             {"a", "Set.Add.func1"},
		"example.com/a.Close.deferwrap1":                                  {"a", "Close"},
		"example.com/a.deferwrapped":                                      {"a", "deferwrapped"},
		"example.com/v2.F":                                                {"v2", "F"},
		"":                                                                {"unknown", "unknown"},
		"x[":                                                              {"x", "unknown"},
	} {
		if pkg, name := cut(function); pkg != want[0] || name != want[1] {
			t.Errorf("%q is %s and %s, not %v", function, pkg, name, want)
		}
	}
}
