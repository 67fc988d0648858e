package config

import (
	"cmp"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"pfsd/engine/budget"
	"pfsd/engine/errorlog"
	"pfsd/engine/sysvar"
	"pfsd/instr"
)

// NewVariables makes the variables of a server from its options. addr is the server's first
// address, p has the persisted values, and more are values from other packages, which count as
// defaults.
func NewVariables(o Options, p *sysvar.Persisted, addr net.Addr, more ...map[string]any) *sysvar.Server {
	sizes, values := sizeVariables(o.Registry)
	maps.Copy(values, optionValues(o, addr))
	for _, m := range more {
		maps.Copy(values, m)
	}
	s := sysvar.New(sysvar.Config{
		Registry: o.Registry, Extra: sizes, Values: values, Texts: o.Variables, Maxima: o.Maxima, Origins: o.Origins, Persisted: p,
	})
	s.OnChange(sysvar.Prefix+sampleAge, func(value any) { workSizeOf(sampleAge).set(o.Registry.Setup(), int(value.(uint64))) })
	setGoroutineThreads := func(value any) { o.Registry.Setup().SetGoroutineThreads(int(value.(uint64))) }
	setGoroutineThreads(s.Global(goroutineThreads))
	s.OnChange(goroutineThreads, setGoroutineThreads)
	return s
}

// goroutineThreads is the variable that limits the number of goroutines that become threads by
// themselves.
const goroutineThreads = "goroutine_threads"

// optionValues returns the values that come from the server's options, the machine and the program.
// addr is the server's first address.
func optionValues(o Options, addr net.Addr) map[string]any {
	scheduler := "ON"
	if !o.EventScheduler.Enabled() {
		scheduler = "OFF"
	}
	host, _ := os.Hostname()
	zone, _ := time.Now().Zone()
	values := map[string]any{
		"character_set_system":    "utf8mb3",
		"datadir":                 directory(o.DataDir),
		"event_scheduler":         scheduler,
		"general_log_file":        directory(o.DataDir) + host + ".log",
		"hostname":                host,
		"log_error":               "stderr",
		"log_error_verbosity":     int64(errorlog.DefaultVerbosity),
		"log_timestamps":          "UTC",
		"max_allowed_packet":      uint64(o.MaxAllowedPacket),
		"max_connections":         uint64(o.MaxConnections),
		goroutineThreads:          uint64(o.Registry.Setup().GoroutineThreads()),
		budget.QueryLimit:         uint64(o.QueryMemoryLimit),
		budget.ConnectionLimit:    uint64(o.ConnectionMemoryLimit),
		budget.ServerLimit:        uint64(o.GlobalConnectionMemoryLimit),
		"max_digest_length":       int64(o.Registry.Setup().MaxDigestLength()),
		"performance_schema":      sysvar.BoolValue(o.PerformanceSchema.Enabled()),
		"secure_file_priv":        cmp.Or(directory(o.SecureFilePriv), sysvar.NoDirectory),
		"pid_file":                o.PidFile,
		"slow_query_log_file":     directory(o.DataDir) + host + "-slow.log",
		"skip_networking":         sysvar.BoolValue(o.Addr == "-"),
		"socket":                  o.Socket,
		"system_time_zone":        zone,
		"tmpdir":                  os.TempDir(),
		"version":                 VersionOf(o),
		"version_comment":         cmp.Or(o.VersionComment, "pfsd"),
		"version_compile_machine": cmp.Or(machines[runtime.GOARCH], runtime.GOARCH),
		"version_compile_os":      cmp.Or(systems[runtime.GOOS], runtime.GOOS),
	}
	values["innodb_version"], _, _ = strings.Cut(VersionOf(o), "-")
	if o.LogError != "" {
		values["log_error"] = o.LogError
	}
	if o.LogErrorVerbosity != 0 {
		values["log_error_verbosity"] = int64(o.LogErrorVerbosity)
	}
	if o.LogSystemTime {
		values["log_timestamps"] = "SYSTEM"
	}
	if host, _, err := net.SplitHostPort(o.Addr); err == nil {
		if host == "" {
			host = "*"
		}
		values["bind_address"] = host
	}
	if a, ok := addr.(*net.TCPAddr); ok {
		values["port"] = uint64(a.Port)
	}
	return values
}

// directory returns a directory as MySQL shows it; "" if there is none.
func directory(path string) string {
	if path == "" {
		return ""
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return strings.TrimSuffix(path, "/") + "/"
}

// MySQL's names of machines and systems for which Go has other names.
var (
	machines = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}
	systems  = map[string]string{"linux": "Linux", "darwin": "macos", "windows": "Win64"}
)

// sizeVariables returns a variable for each size, with the value in force, and the other variables
// named performance_schema_*.
func sizeVariables(reg *instr.Registry) (vars []sysvar.Variable, values map[string]any) {
	values = map[string]any{}
	add := func(name string, signed bool, n int) {
		v := sizeVariable(name, signed)
		vars = append(vars, v)
		if signed {
			values[v.Name] = int64(n)
		} else {
			values[v.Name] = uint64(n)
		}
	}
	add("events_waits_history_size", true, reg.Setup().HistorySize(instr.FamilyWaits))
	add("events_waits_history_long_size", true, reg.Setup().HistoryLongSize(instr.FamilyWaits))
	for l := range instr.LimitCount {
		add(l.String(), l.Default() < 0, reg.Setup().Limit(l))
	}
	for i := range workSizes {
		w := &workSizes[i]
		add(w.name, !w.unsigned, w.get(reg.Setup()))
	}
	return vars, values
}

// sizeVariable returns the variable performance_schema_NAME, declared like its option.
func sizeVariable(name string, signed bool) sysvar.Variable {
	o, _, _ := find(optionOf(name))
	v := sysvar.Variable{
		Name: sysvar.Prefix + name, Scope: sysvar.GlobalOnly, Kind: sysvar.Unsigned, Fixed: name != sampleAge, Early: true,
		Default: o.def, Min: o.min, Max: uint64(o.max), Doc: o.doc,
	}
	if v.Default == "" {
		v.Default = "-1"
	}
	if signed {
		v.Kind = sysvar.Signed
	}
	return v
}
