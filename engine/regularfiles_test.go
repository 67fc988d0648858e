package engine

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pfsd/engine/config"
	"pfsd/instr"
)

// notRegular puts something that is not a file to read in the place of each name.
var notRegular = map[string]func(t *testing.T, path string) error{
	"a pipe":      func(_ *testing.T, path string) error { return syscall.Mkfifo(path, 0o600) },
	"a device":    func(_ *testing.T, path string) error { return os.Symlink("/dev/zero", path) },
	"a directory": func(_ *testing.T, path string) error { return os.Mkdir(path, 0o700) },
	"a huge file": func(_ *testing.T, path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
	},
	"a socket": func(t *testing.T, path string) error {
		t.Chdir(filepath.Dir(path)) // the path may be too long for a socket
		l, err := net.Listen("unix", filepath.Base(path))
		if err == nil {
			t.Cleanup(func() { _ = l.Close() })
		}
		return err
	},
}

// What is no regular file of a sane size, in the place of any file that a start reads whole, is refused by name, without waiting and
// without reading it.
func TestStartReadsOnlyRegularFiles(t *testing.T) {
	whole := t.TempDir()
	r := serve(t, Options{DataDir: whole})
	r.exec(t, "CREATE USER u")
	r.exec(t, "SET PERSIST max_connections = 99")
	_ = r.db.Close()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	cert := filepath.Join(whole, "server-cert.pem")
	key := filepath.Join(whole, "server-key.pem")
	start := func(o Options) error {
		o.Addr, o.Registry, o.InitializeInsecure = "127.0.0.1:0", instr.NewRegistry(), true
		s, err := New(o)
		if err == nil {
			_ = s.Close()
		}
		return err
	}
	inDataDir := func(name string) func(dir, path string) error {
		return func(dir, path string) error {
			data := filepath.Join(dir, "data")
			if err := errors.Join(os.CopyFS(data, os.DirFS(whole)), os.RemoveAll(filepath.Join(data, name))); err != nil {
				return nil
			}
			if err := os.Rename(path, filepath.Join(data, name)); err != nil {
				return nil
			}
			return start(Options{DataDir: data})
		}
	}
	for name, start := range map[string]func(dir, path string) error{
		"cert.pem":      func(_, path string) error { return start(Options{SSLCert: path, SSLKey: key}) },
		"key.pem":       func(_, path string) error { return start(Options{SSLCert: cert, SSLKey: path}) },
		"authority.pem": func(_, path string) error { return start(Options{SSLCert: cert, SSLKey: key, SSLCA: path}) },
		"init.sql":      func(_, path string) error { return start(Options{InitFile: path}) },
		"my.cnf": func(_, path string) error {
			_, err := config.ParseCommandLine([]string{"--defaults-file=" + path}, nil)
			return err
		},
		"included.cnf": func(dir, path string) error {
			from := filepath.Join(dir, "from")
			if err := os.WriteFile(from, []byte("[mysqld]\n!include "+path+"\n"), 0o600); err != nil {
				return nil
			}
			_, err := config.ParseCommandLine([]string{"--defaults-file=" + from}, nil)
			return err
		},
		"password": func(_, path string) error {
			_, err := config.ParseCommandLine(nil, []string{"MYSQL_ROOT_PASSWORD_FILE=" + path})
			return err
		},
		accountsFile:      inDataDir(accountsFile),
		persistedFile:     inDataDir(persistedFile),
		uuidFile:          inDataDir(uuidFile),
		".pfsd-writing":   inDataDir(".pfsd-writing"),
		"server-cert.pem": inDataDir("server-cert.pem"),
		"ca.pem":          inDataDir("ca.pem"),
		"FORMAT":          inDataDir("tables/FORMAT"),
	} {
		for what, put := range notRegular {
			t.Run(name+"/"+what, func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, name)
				if err := put(t, path); err != nil {
					t.Fatal(err)
				}
				if err := start(dir, path); err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("the start says %v", err)
				}
			})
		}
	}
}

// No package of the server reads a whole file but through what looks at the file first: FileClass.ReadRegular and OpenRegular. Files of the
// kernel and what is part of the program are read as they are.
func TestFilesAreReadInOneWay(t *testing.T) {
	seen := map[string]bool{}
	count := 0
	var look func(pkg string)
	look = func(pkg string) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		dir := filepath.Join("..", strings.TrimPrefix(pkg, "pfsd/"))
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		set := token.NewFileSet()
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		embedded := embeddedFiles(files)
		for _, f := range files {
			count++
			for _, found := range directReads(f, embedded) {
				t.Errorf("%s: %s reads a file of any kind and size", set.Position(found.Pos()), printed(found))
			}
			for _, i := range f.Imports {
				if path, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(path, "pfsd/") {
					look(path)
				}
			}
		}
	}
	look("pfsd/engine")
	look("pfsd/instr/record")
	if count < 300 {
		t.Errorf("only %d files of %d packages were looked at", count, len(seen))
	}
	planted, err := parser.ParseFile(token.NewFileSet(), "planted.go", `package p
func f(c *instr.FileClass, n string) {
	os.ReadFile(n); os.Open(n); c.ReadFile(n); io.ReadAll(n); ioutil.ReadFile(n); os.ReadFile("/tmp/x")
	io.ReadAll(io.LimitReader(n, 1)); os.ReadFile("/proc/" + n); views.ReadFile(n)
}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(directReads(planted, []string{"views"})); got != 6 {
		t.Errorf("%d of 6 planted reads are found", got)
	}
}

// embeddedFiles returns the variables of type embed.FS of a package.
func embeddedFiles(files []*ast.File) (names []string) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if kind, ok := v.Type.(*ast.SelectorExpr); ok && printed(kind) == "embed.FS" {
				for _, name := range v.Names {
					names = append(names, name.Name)
				}
			}
			return true
		})
	}
	return names
}

// directReads returns the calls of a file that read a file by its name, or anything to its end.
func directReads(f *ast.File, embedded []string) (found []*ast.CallExpr) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		name := printed(call.Fun)
		of, method, _ := strings.Cut(name, ".")
		switch {
		case name == "io.ReadAll" || of == "ioutil":
			if limited, ok := call.Args[0].(*ast.CallExpr); !ok || printed(limited.Fun) != "io.LimitReader" {
				found = append(found, call)
			}
		case name == "os.Open", strings.HasSuffix(method, "ReadFile"):
			if !slices.Contains(embedded, of) && !ofKernel(call.Args[0]) {
				found = append(found, call)
			}
		}
		return true
	})
	return found
}

// ofKernel reports whether a name begins with a directory of the kernel.
func ofKernel(name ast.Expr) bool {
	for {
		sum, ok := name.(*ast.BinaryExpr)
		if !ok {
			break
		}
		name = sum.X
	}
	literal, ok := name.(*ast.BasicLit)
	return ok && (strings.HasPrefix(literal.Value, `"/proc/`) || strings.HasPrefix(literal.Value, `"/sys/`))
}

// printed is the name that an expression is.
func printed(e ast.Node) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return printed(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return printed(e.Fun) + "()"
	case *ast.ParenExpr:
		return printed(e.X)
	}
	return fmt.Sprintf("%T", e)
}
