package plancache

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The weight of a cache is the weight of its entries, and stays within the limit, whatever happens
// to its plans.
func TestWeight(t *testing.T) {
	c := New()
	rng := rand.New(rand.NewPCG(1, 2))
	var used []*Plan
	for range 20_000 {
		key := Key{Text: fmt.Sprint(rng.IntN(500)), Kind: Kind(rng.IntN(3))}
		switch n := rng.IntN(10); {
		case n < 3:
			c.Put(&Plan{Key: key, Weight: 1 + rng.IntN(200)}, true)
		case n < 4:
			p := &Plan{Key: key, Weight: 1 + rng.IntN(200)}
			c.Lend(p)
			used = append(used, p)
		case n < 5:
			c.Refuse(key, "it is so")
		case n < 8:
			if p, _ := c.Take(key); p != nil {
				used = append(used, p)
			}
		case len(used) > 0:
			i := rng.IntN(len(used))
			if n == 8 {
				c.Put(used[i], false)
			} else {
				c.Drop(used[i])
			}
			used = append(used[:i], used[i+1:]...)
		}
		sum := 0
		for _, e := range c.plans {
			sum += e.weight
		}
		if n := c.Counts().Weight; n != sum || n > TotalMax {
			t.Fatalf("%d entries weigh %d, the cache says %d, the limit is %d", len(c.plans), sum, n, TotalMax)
		}
	}
	for _, p := range c.Idle(func(Key) bool { return true }) {
		for _, q := range used {
			if p == q {
				t.Fatal("a plan that is in use is idle")
			}
		}
	}
	if c.Forget(); c.Counts().Weight != 0 || c.Counts().Plans != 0 {
		t.Error("the cache still has plans")
	}
}

// A plan is kept when its text comes for the second time.
func TestAgain(t *testing.T) {
	c := New()
	key := Key{Text: "SELECT 1"}
	if _, again := c.Take(key); again {
		t.Error("a new text is said to have come before")
	}
	if _, again := c.Take(key); !again {
		t.Error("a text that has come before is said to be new")
	}
	c.Refuse(key, "it is so")
	if _, again := c.Take(key); again {
		t.Error("a text for which no plan can be kept is said to need one")
	}
}
