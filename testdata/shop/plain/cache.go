package main

import (
	"context"
	"database/sql"
	"sync"
)

// cache has the names of users. Safe for concurrent use.
type cache struct {
	db    *sql.DB
	mu    sync.Mutex
	names map[int]string // guarded by mu
}

func newCache(db *sql.DB) *cache { return &cache{db: db, names: map[int]string{}} }

// name is the user's name.
func (c *cache) name(ctx context.Context, id int) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name, ok := c.names[id]; ok {
		return name, nil
	}
	if _, err := c.db.ExecContext(ctx, "UPDATE shop.users SET seen = NOW() WHERE id = ?", id); err != nil {
		return "", err
	}
	var name string
	if err := c.db.QueryRowContext(ctx, "SELECT name FROM shop.users WHERE id = ?", id).Scan(&name); err != nil {
		return "", err
	}
	c.names[id] = name
	return name, nil
}
