// Command shop is a small shop: its users and orders are in a MySQL database, users are cached, each order goes into a journal, and workers write
// invoices. It has faults, which docs/find-your-slow-lock.md finds.
package main

import (
	"context"
	"database/sql"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"

	_ "github.com/go-sql-driver/mysql"
)

// shop is what its handlers share. Safe for concurrent use.
type shop struct {
	db       *sql.DB
	users    *cache
	accounts accounts
	journal  *journal
	invoices chan invoice
}

func main() {
	address := flag.String("listen", "127.0.0.1:8080", "the `address` of the HTTP server")
	source := flag.String("db", "root@tcp(127.0.0.1:3308)/", "the data `source` of the database")
	connections := flag.Int("connections", 4, "how `many` connections to the database there can be")
	dir := flag.String("dir", os.TempDir(), "the `directory` of the journal and the invoices")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	db, err := sql.Open("mysql", *source)
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(*connections)
	if err := createTables(ctx, db); err != nil {
		log.Fatal(err)
	}
	journal, err := openJournal(filepath.Join(*dir, "orders.journal"))
	if err != nil {
		log.Fatal(err)
	}
	s := &shop{db: db, users: newCache(db), journal: journal, invoices: make(chan invoice, 100)}
	for range 3 {
		go s.writeInvoices(*dir)
	}
	if err := serve(ctx, *address, s.handler()); err != nil {
		log.Fatal(err)
	}
}

// serve serves until the context ends.
func serve(ctx context.Context, address string, handler http.Handler) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	log.Printf("shop listens on %s", listener.Addr())
	server := &http.Server{Handler: handler}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func createTables(ctx context.Context, db *sql.DB) error {
	for _, statement := range []string{
		"CREATE DATABASE IF NOT EXISTS shop",
		"CREATE TABLE IF NOT EXISTS shop.users (id INT PRIMARY KEY, name VARCHAR(20), balance INT, seen DATETIME)",
		"INSERT IGNORE INTO shop.users VALUES (1, 'Ann', 100, NULL), (2, 'Bob', 100, NULL), (3, 'Cem', 100, NULL), (4, 'Dua', 100, NULL)",
		"CREATE TABLE IF NOT EXISTS shop.orders (id INT PRIMARY KEY AUTO_INCREMENT, user INT, item VARCHAR(20))",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
