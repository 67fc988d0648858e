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

// pingTimeout is how long ping waits for an answer.
const pingTimeout = 5 * time.Second

// ping logs in to the server that these options start on this machine, and runs a statement. It
// uses the socket if there is one.
func ping(o engine.Options, stdout io.Writer) error {
	cfg := mysql.NewConfig()
	cfg.User, cfg.Logger, cfg.Timeout = "root", &mysql.NopLogger{}, pingTimeout
	cfg.Net, cfg.Addr = "tcp", o.Addr
	if o.Socket != "" {
		cfg.Net, cfg.Addr = "unix", o.Socket
	} else if host, port, err := net.SplitHostPort(o.Addr); err == nil {
		// If the server listens on every address, use the loopback address.
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
	// A server that refuses the user is alive, too, as for mysqladmin ping.
	const accessDenied = 1045
	var answer *mysql.MySQLError
	if err != nil && !(errors.As(err, &answer) && answer.Number == accessDenied) {
		return fmt.Errorf("no answer from %s: %w", cfg.Addr, err)
	}
	_, err = fmt.Fprintln(stdout, "pfsd is alive")
	return err
}
