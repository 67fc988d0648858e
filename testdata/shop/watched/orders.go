package main

import (
	"context"
	"fmt"
	"path/filepath"
)

// prices are those of the items that there are.
var prices = map[string]int{"tea": 5, "cup": 12}

// order orders an item, and returns the order's number.
func (s *shop) order(ctx context.Context, user int, item string) (int64, error) {
	tx, err := s.db.Begin()
	if err != nil {
		return 0, err
	}
	price, ok := prices[item]
	if !ok {
		return 0, fmt.Errorf("there is no %q", item)
	}
	result, err := tx.ExecContext(ctx, "INSERT INTO shop.orders (user, item) VALUES (?, ?)", user, item)
	if err != nil {
		_ = tx.Rollback()
		return 0, err
	}
	id, err := result.LastInsertId()
	if err != nil {
		_ = tx.Rollback()
		return 0, err
	}
	if err := tx.Commit(); err != nil {
		return 0, err
	}
	if err := s.journal.append(fmt.Sprintf("order %d of user %d: %s", id, user, item)); err != nil {
		return 0, err
	}
	s.invoices <- invoice{id, price}
	return id, nil
}

// invoice is one that is to be written.
type invoice struct {
	order int64
	price int
}

// writeInvoices is what a worker does.
func (s *shop) writeInvoices(dir string) {
	for i := range s.invoices {
		name := filepath.Join(dir, fmt.Sprintf("invoice-%d.txt", i.order))
		_ = files.WriteFile(name, fmt.Appendf(nil, "order %d: %d\n", i.order, i.price), 0o600)
	}
}
