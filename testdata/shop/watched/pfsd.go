package main

import (
	"context"
	"flag"
	"log"
	"net"
	"os"

	"github.com/go-sql-driver/mysql"

	"pfsd/engine"
	"pfsd/instr"
)

var (
	pfsdAddress = flag.String("pfsd", "127.0.0.1:3307", "the `address` for clients of MySQL that look inside")
	files       = instr.NewFileClass("shop/files") // the journal and the invoices
)

// watch lets clients of MySQL look inside until the context ends, and has connections to the database watched.
func watch(ctx context.Context) {
	mysql.RegisterDialContext("tcp", func(ctx context.Context, address string) (net.Conn, error) {
		return instr.DialContext(ctx, "tcp", address, "shop/db")
	})
	go func() {
		log.Print(engine.ListenAndServe(ctx, engine.Options{
			Addr: *pfsdAddress, Log: os.Stderr,
			Init: []string{"CREATE USER dba@localhost IDENTIFIED BY '" + os.Getenv("DBA_PASSWORD") + "'", "GRANT ALL ON *.* TO dba@localhost"},
			// What the program waits for, and not the server in it.
			Instruments: []string{"wait/%=ON", "wait/%/sql/%=OFF"},
		}))
	}()
}
