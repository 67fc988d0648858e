package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine"
)

// pingTimeout is how long a server may take to answer before it counts as dead.
const pingTimeout = 5 * time.Second

// ping logs in to the server that these options start on this machine and runs a
// statement. It uses the socket where there is one.
func ping(o engine.Options, stdout io.Writer) error {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Logger, cfg.Timeout = "root", &mysql.NopLogger{}, pingTimeout
	cfg.Net, cfg.Addr = "tcp", o.Addr
	if o.Socket != "" {
		cfg.Net, cfg.Addr = "unix", o.Socket
	} else if host, port, err := net.SplitHostPort(o.Addr); err == nil {
		// A server that listens on every address is asked on loopback.
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			cfg.Addr = net.JoinHostPort("localhost", port)
		}
	}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), pingTimeout)
	defer cancel()
	var one int
	err = db.QueryRowContext(ctx, "SELECT 1").Scan(&one)
	// A server that refuses the user answers: it is alive, as mysqladmin ping has it.
	const accessDenied = 1045
	var answer *mysql.MySQLError
	if err != nil && !(errors.As(err, &answer) && answer.Number == accessDenied) {
		return fmt.Errorf("no answer from %s: %w", cfg.Addr, err)
	}
	_, err = fmt.Fprintln(stdout, "pfsd is alive")
	return err
}
