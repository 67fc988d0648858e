package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"pfsd/engine/bench/ratios"
)

// loading fills a table in pfsd and in MariaDB, with LOAD DATA and with INSERT of many rows. It
// does so with the given number of rows and with a hundredth of it, and prints the cost of a row.
func loading(args []string) error {
	flags := flag.NewFlagSet("bench loading", flag.ExitOnError)
	pfsd := flags.String("pfsd", "bin/pfsd", "pfsd's `binary`")
	mariadbd := flags.String("mariadbd", "mariadbd", "MariaDB's `binary`")
	install := flags.String("mariadb-install-db", "mariadb-install-db", "the `program` that makes MariaDB's system tables")
	rows := flags.Int("rows", 1_000_000, "rows of the large table")
	batch := flags.Int("batch", 1000, "rows of an INSERT")
	_ = flags.Parse(args)

	fmt.Printf("%-12s %9s %12s %12s %6s\n", "", "rows", "pfsd/s", "MariaDB/s", "ratio")
	return measureLoading(*pfsd, *mariadbd, *install, []int{*rows / 100, *rows}, *batch, func(way string, rows int, took [2]time.Duration) {
		a, b := float64(rows)/took[0].Seconds(), float64(rows)/took[1].Seconds()
		fmt.Printf("%-12s %9d %12.0f %12.0f %6.2f\n", way, rows, a, b, a/b)
	})
}

// measureLoading fills a table with each number of rows in each way. It calls each with the times
// that the two servers took.
func measureLoading(pfsd, mariadbd, install string, rows []int, batch int, each func(way string, rows int, took [2]time.Duration)) error {
	dir, err := os.MkdirTemp("", "loading")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	options := []string{"--secure-file-priv=" + dir, "--innodb-flush-log-at-trx-commit=0"}
	return withOptions(pfsd, mariadbd, install, options, nil, func(ours, theirs *server) error {
		for _, way := range []struct {
			name string
			fill func(s *server, rows int) (time.Duration, error)
		}{
			{"LOAD DATA", func(s *server, rows int) (time.Duration, error) { return loadFile(s, dir, rows) }},
			{"INSERT", func(s *server, rows int) (time.Duration, error) { return insertRows(s, rows, batch) }},
		} {
			for _, n := range rows {
				var took [2]time.Duration
				for i, s := range []*server{ours, theirs} {
					if took[i], err = fillTable(s, n, way.fill); err != nil {
						return s.failed(fmt.Errorf("%s: %w", way.name, err))
					}
				}
				each(way.name, n, took)
			}
		}
		return nil
	})
}

// loadingRows returns two ratios for filling tables: the time for a row compared with MariaDB, and
// the time for a row of a large table compared with a row of a small table.
func loadingRows(pfsd string, file []ratios.Row) (rows []ratios.Row, err error) {
	if missing := missingPeer(file, "loading, "); missing != nil {
		return missing, nil
	}
	const small, large, batch = 10_000, 1_000_000, 1000
	before := 0.0 // time for a row of the small table
	err = measureLoading(pfsd, "mariadbd", "mariadb-install-db", []int{small, large}, batch, func(way string, n int, took [2]time.Duration) {
		name := fmt.Sprintf("loading, %s, %d rows", way, n)
		rows = append(rows, ratios.Row{Name: name, Value: took[0].Seconds() / took[1].Seconds(), Unit: timesMariaDB, Margin: 0.5, Slack: 0.3, Budget: 3})
		row := took[0].Seconds() / float64(n)
		if n == large {
			rows = append(rows, ratios.Row{Name: name + ", a row", Value: row / before, Unit: "times small", Margin: 0.5, Slack: 0.3, Budget: 1.5})
		}
		before = row
	})
	return rows, err
}

// fillTable creates a table, fills it with fill, and returns how long that took. It is an error if rows are missing.
func fillTable(s *server, rows int, fill func(s *server, rows int) (time.Duration, error)) (time.Duration, error) {
	for _, q := range []string{
		"CREATE DATABASE IF NOT EXISTS loading", "DROP TABLE IF EXISTS loading.t",
		"CREATE TABLE loading.t (id INT NOT NULL PRIMARY KEY, k INT NOT NULL, c CHAR(120) NOT NULL, pad CHAR(60) NOT NULL, KEY k (k))",
	} {
		if _, err := s.db.Exec(q); err != nil {
			return 0, err
		}
	}
	took, err := fill(s, rows)
	if err != nil {
		return 0, err
	}
	n := 0
	if err := s.db.QueryRow("SELECT COUNT(*) FROM loading.t").Scan(&n); err != nil || n != rows {
		return 0, fmt.Errorf("%d of %d rows are there: %w", n, rows, err)
	}
	return took, nil
}

// fillRow returns row i: a key that is not in the order of the rows, and two texts, as in sysbench.
func fillRow(i int) (k uint32, c, pad string) {
	k = uint32(i) * 2654435761 >> 8
	digits := fmt.Sprintf("%011d-", k)
	return k, strings.Repeat(digits, 10), strings.Repeat(digits, 5)
}

// loadFile fills a table with LOAD DATA from a file in dir.
func loadFile(s *server, dir string, rows int) (took time.Duration, err error) {
	f, err := os.CreateTemp(dir, "rows")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if err := f.Chmod(0o644); err != nil {
		return 0, err
	}
	w := bufio.NewWriter(f)
	for i := range rows {
		k, c, pad := fillRow(i)
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\n", i, k, c, pad)
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	begin := time.Now()
	_, err = s.db.Exec("LOAD DATA INFILE '" + f.Name() + "' INTO TABLE loading.t")
	return time.Since(begin), err
}

// insertRows fills a table with INSERT of batches of rows. Each batch is a transaction.
func insertRows(s *server, rows, batch int) (time.Duration, error) {
	ctx, begin := context.Background(), time.Now()
	c, err := s.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	for i := 0; i < rows; i += batch {
		var q strings.Builder
		q.WriteString("INSERT INTO loading.t VALUES ")
		for j := i; j < min(i+batch, rows); j++ {
			k, text, pad := fillRow(j)
			if j > i {
				q.WriteByte(',')
			}
			fmt.Fprintf(&q, "(%d,%d,'%s','%s')", j, k, text, pad)
		}
		if _, err := c.ExecContext(ctx, q.String()); err != nil {
			return 0, err
		}
	}
	return time.Since(begin), nil
}
