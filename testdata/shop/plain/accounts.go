package main

import (
	"context"
	"sync"
)

// accounts are the locks of users' accounts.
type accounts [64]sync.Mutex

func (a *accounts) of(user int) *sync.Mutex { return &a[uint(user)%uint(len(a))] }

// transfer moves an amount from one account to another. Nobody else changes them meanwhile.
func (s *shop) transfer(ctx context.Context, from, to, amount int) error {
	payer, payee := s.accounts.of(from), s.accounts.of(to)
	payer.Lock()
	defer payer.Unlock()
	if _, err := s.db.ExecContext(ctx, "UPDATE shop.users SET balance = balance - ? WHERE id = ?", amount, from); err != nil {
		return err
	}
	payee.Lock()
	defer payee.Unlock()
	_, err := s.db.ExecContext(ctx, "UPDATE shop.users SET balance = balance + ? WHERE id = ?", amount, to)
	return err
}
