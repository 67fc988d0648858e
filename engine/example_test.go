package engine_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine"
	"pfsd/instr"
)

// A program that is to be looked at serves its own performance_schema; any MySQL client, or as
// here a driver, asks.
func ExampleListenAndServe() {
	reg := instr.NewRegistry() // most programs leave Options.Registry out, and use the default one
	reg.Setup().AddPattern("wait/synch/mutex/cache/%", instr.PatternOn)
	lock := reg.NewMutex("cache/lock")
	lock.Lock()
	lock.Unlock()

	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		served <- engine.ListenAndServe(ctx, engine.Options{
			Addr:     "-", // not over TCP
			Socket:   filepath.Join(dir, "pfsd.sock"),
			Registry: reg,
			Init:     []string{"CREATE USER dba@localhost IDENTIFIED BY 'secret'", "GRANT SELECT ON performance_schema.* TO dba@localhost"},
		})
	}()

	config := mysql.NewConfig()
	config.User, config.Passwd, config.DBName = "dba", "secret", "performance_schema"
	config.Net, config.Addr = "unix", filepath.Join(dir, "pfsd.sock")
	config.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		panic(err)
	}
	db := sql.OpenDB(connector)
	for db.Ping() != nil { // the server is starting
		select {
		case err := <-served:
			panic(err)
		case <-time.After(time.Millisecond):
		}
	}
	var name string
	var count int
	err = db.QueryRow("SELECT EVENT_NAME, COUNT_STAR FROM events_waits_summary_global_by_event_name WHERE EVENT_NAME LIKE '%cache/lock'").Scan(&name, &count)
	fmt.Println(name, count, err)

	fmt.Println(db.Close())
	stop()
	fmt.Println(<-served)
	// Output:
	// wait/synch/mutex/cache/lock 1 <nil>
	// <nil>
	// <nil>
}
