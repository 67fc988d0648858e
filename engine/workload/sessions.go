package workload

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

const (
	// ordersKept is how many orders a session keeps, and receiptsKept how many receipts.
	ordersKept   = 100
	receiptsKept = 100
	// receiptSize is the size of a receipt, bytes: large enough that the storage has to flush and compact in the first minute.
	receiptSize = 32 << 10
	// coins is in how many payments one is made with coins, which keeps the others waiting at the till.
	coins = 8
)

// users are who the sessions log in as, in turn.
var users = []string{"shop", "billing"}

// Accounts are the names of the accounts that the sessions use, with the password of the Config,
// and the statements that let them do what they do.
func Accounts() (names, grants []string) {
	for _, user := range users {
		grants = append(grants, "GRANT ALL ON workload.* TO "+user, "GRANT SELECT ON performance_schema.events_waits_current TO "+user)
	}
	return users, grants
}

// setUp is what a session runs first; {n} stands for its worker.
var setUp = []string{
	"CREATE DATABASE IF NOT EXISTS workload",
	"CREATE TABLE IF NOT EXISTS workload.orders_{n} (id INT PRIMARY KEY, customer INT, amount INT)",
	"DELETE FROM workload.orders_{n}",
	"CREATE TABLE IF NOT EXISTS workload.tills (id INT PRIMARY KEY, taken BIGINT NOT NULL)",
	"INSERT IGNORE INTO workload.tills VALUES (0, 0), (1, 0)",
	"CREATE TABLE IF NOT EXISTS workload.receipts_{n} (id INT PRIMARY KEY, text MEDIUMTEXT)",
	"SET @worker = {n}",
	"DROP TRIGGER IF EXISTS workload.ordered_{n}",
	"CREATE TRIGGER workload.ordered_{n} BEFORE INSERT ON workload.orders_{n} FOR EACH ROW SET @ordered = NEW.id",
	"DROP PROCEDURE IF EXISTS workload.pay_{n}",
	`CREATE PROCEDURE workload.pay_{n}(payer INT, paid INT)
BEGIN
  DECLARE owed INT;
  SELECT SUM(amount) INTO owed FROM workload.orders_{n} WHERE customer = payer;
  IF owed <= paid THEN
    UPDATE workload.orders_{n} SET amount = 0 WHERE customer = payer;
  END IF;
END`,
}

// sessions is clients of the server: each keeps a connection, a variable and a prepared
// statement, inserts, reads, changes and deletes orders, has them paid by a stored procedure in a
// transaction, in which it waits for one of the tills that all share, writes receipts, and looks at its own waits now and then.
func sessions(r *run) ([]job, error) {
	connectors := make([]driver.Connector, len(users))
	for i, user := range users {
		config := mysql.NewConfig()
		config.User, config.Passwd, config.Net, config.Addr = user, r.Password, "tcp", r.Addr
		config.DialFunc = func(_ context.Context, network, addr string) (net.Conn, error) {
			return r.Registry.Dial(network, addr, "workload/sql_client")
		}
		var err error
		if connectors[i], err = mysql.NewConnector(config); err != nil {
			return nil, err
		}
	}
	return r.perWorker("sql_session", func(worker int) func(context.Context) error {
		table := ordersTable(worker)
		var db *sql.DB
		var insert *sql.Stmt
		n := 0
		return func(ctx context.Context) error {
			if db == nil {
				db = sql.OpenDB(connectors[worker%len(users)])
				db.SetMaxOpenConns(1)
				context.AfterFunc(ctx, func() { db.Close() })
			}
			if insert == nil {
				for _, q := range setUp {
					if err := untilNoVictim(ctx, func() error {
						_, err := db.ExecContext(ctx, strings.ReplaceAll(q, "{n}", strconv.Itoa(worker)))
						return err
					}); err != nil {
						return err
					}
				}
				var err error
				if insert, err = db.PrepareContext(ctx, "INSERT INTO "+table+" VALUES (?, ?, ?)"); err != nil {
					return err
				}
			}
			n++
			return untilNoVictim(ctx, func() error { return work(ctx, db, insert, worker, n) })
		}
	}), nil
}

func ordersTable(worker int) string { return fmt.Sprintf("workload.orders_%d", worker) }

// untilNoVictim does something again for as long as it loses its locks to others: to a deadlock, or to those that waited longer.
func untilNoVictim(ctx context.Context, do func() error) error {
	const lockWaitTimeout, deadlock = 1205, 1213
	for {
		err := do()
		var refused *mysql.MySQLError
		if ctx.Err() != nil || !errors.As(err, &refused) || refused.Number != deadlock && refused.Number != lockWaitTimeout {
			return err
		}
	}
}

// work is the nth thing that a session does.
func work(ctx context.Context, db *sql.DB, insert *sql.Stmt, worker, n int) error {
	table := ordersTable(worker)
	switch n % 7 {
	case 0:
		_, err := db.ExecContext(ctx, "UPDATE "+table+" SET amount = amount + 1 WHERE id = ?", rand.IntN(n))
		return err
	case 1:
		var total sql.NullInt64
		return db.QueryRowContext(ctx, "SELECT SUM(amount) FROM "+table+" WHERE customer = ?", rand.IntN(10)).Scan(&total)
	case 2:
		_, err := db.ExecContext(ctx, "DELETE FROM "+table+" WHERE id < ?", n-ordersKept)
		return err
	case 3:
		var waits int
		return db.QueryRowContext(ctx, "SELECT COUNT(*) FROM performance_schema.events_waits_current WHERE END_EVENT_ID IS NULL").Scan(&waits)
	case 4:
		return pay(ctx, db, worker)
	case 5:
		_, err := db.ExecContext(ctx, fmt.Sprintf("REPLACE INTO workload.receipts_%d VALUES (?, REPEAT(?, ?))", worker), n%receiptsKept, string(rune('a'+n%26)), receiptSize)
		return err
	default:
		_, err := insert.ExecContext(ctx, n, rand.IntN(10), rand.IntN(1000))
		return err
	}
}

// pay has a customer pay, and thinks better of the last step.
func pay(ctx context.Context, db *sql.DB, worker int) (err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
		}
	}()
	counting := "DO 0"
	if rand.IntN(coins) == 0 {
		counting = "DO SLEEP(0.2)"
	}
	for _, q := range []string{
		fmt.Sprintf("UPDATE workload.tills SET taken = taken + 1 WHERE id = %d", rand.IntN(2)),
		counting,
		fmt.Sprintf("CALL workload.pay_%d(%d, %d)", worker, rand.IntN(10), rand.IntN(10_000)),
		"SAVEPOINT paid",
		fmt.Sprintf("DELETE FROM workload.orders_%d WHERE amount = 0", worker),
		"ROLLBACK TO SAVEPOINT paid",
	} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return tx.Commit()
}
