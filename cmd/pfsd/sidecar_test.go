package main

import (
	"database/sql"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v2"
)

// TestSidecar does what docs/examples/sidecar.yaml says, with two processes in the place of two containers: the user, the directory, the
// command and the environment are the file's.
func TestSidecar(t *testing.T) {
	text, err := os.ReadFile("../../docs/examples/sidecar.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			Image, User, Restart    string
			Command, Volumes, Ports []string
			Environment             map[string]string
		}
		Volumes map[string]struct {
			Options map[string]string `yaml:"driver_opts"`
		}
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	app, pfsd := compose.Services["app"], compose.Services["pfsd"]
	volume, inside, _ := strings.Cut(app.Volumes[0], ":")
	if app.User != pfsd.User || !slices.Equal(app.Volumes, pfsd.Volumes) || app.Environment["PFSD_RECORD"] != inside {
		t.Errorf("the containers do not share the recordings: %+v %+v", app, pfsd)
	}
	if uid, _, _ := strings.Cut(app.User, ":"); !strings.Contains(compose.Volumes[volume].Options["o"], "uid="+uid+",") {
		t.Errorf("user %s does not own the volume %+v", uid, compose.Volumes[volume])
	}
	dockerfile, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(dockerfile), "USER "+pfsd.User) {
		t.Errorf("the image has another user than %s", pfsd.User)
	}

	program, dir := woven(t), t.TempDir()
	startProgram(t, program, dir)
	tested, args := self(t), []string{}
	for _, arg := range pfsd.Command {
		args = append(args, strings.ReplaceAll(arg, inside, dir))
	}
	cmd := exec.Command(tested, append(args, "--port=0")...)
	cmd.Env = os.Environ()
	for name, value := range pfsd.Environment {
		if strings.HasPrefix(value, "${PFSD_PASSWORD:?") {
			value = "secret"
		}
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	port := start(t, cmd).says(t, readyForConnections)
	db, err := sql.Open("mysql", "root:secret@tcp(127.0.0.1:"+port+")/performance_schema")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	answers(t, db, "SELECT COUNT(*) FROM sys.deadlocks", "2")
	answers(t, db, "SELECT COUNT(DISTINCT THREAD_ID) FROM active_session_history WHERE BLOCKING_THREAD_ID IS NOT NULL AND NAME IN ('thread/go/main.pay', 'thread/go/main.ship')", "2")
	answers(t, db, "SELECT @@version_comment LIKE 'pfsd, recording of %, built with overlay go1.%-%'", "1")
}
