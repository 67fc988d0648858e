package instr

import (
	"context"
	"iter"
	"weak"
)

// Chan is a channel that can be watched. Safe for concurrent use, as a channel is. The zero Chan is a nil channel: sending
// and receiving wait for ever, and Close panics.
//
// Every attempt to send or receive counts once; what a select statement does with C is not
// recorded.
type Chan[T any] struct {
	c chan T
	synch
}

// NewChan returns a channel for size values, of the default registry's class wait/synch/chan/NAME.
func NewChan[T any](name string, size int) *Chan[T] { return NewChanIn[T](Default, name, size) }

// NewChanIn returns a channel for size values, of the class wait/synch/chan/NAME of a registry.
func NewChanIn[T any](r *Registry, name string, size int) *Chan[T] {
	c := &Chan[T]{c: make(chan T, size)}
	c.init(r, synchChan, name, weakRoom[Chan[T], *Chan[T]]{weak.Make(c)})
	return c
}

// watched returns the channel's instance if its class is switched on, else nil.
func (c *Chan[T]) watched() *SynchInstance {
	if in := c.instance.Load(); in != nil && in.class.switches.Load() != 0 {
		return in
	}
	return nil
}

// Send is c <- v, the operation send.
//
//go:noinline
func (c *Chan[T]) Send(v T) {
	if in := c.watched(); in != nil {
		c.send(in, in.begin(OpSendValue, callerPC()), v)
		return
	}
	c.c <- v
}

func (c *Chan[T]) send(in *SynchInstance, w wait, v T) {
	defer c.keepAlive()
	defer in.end(w) // also where the channel is closed
	c.c <- v
}

// TrySend sends v if that is possible at once, and reports whether it was: the operation try_send.
//
//go:noinline
func (c *Chan[T]) TrySend(v T) bool {
	if in := c.watched(); in != nil {
		defer c.keepAlive()
		defer in.end(in.begin(OpTrySend, callerPC()))
	}
	select {
	case c.c <- v:
		return true
	default:
		return false
	}
}

// SendContext is Send, but when ctx ends it gives up and returns the error of ctx. If both are possible at once either happens,
// as in a select statement.
//
//go:noinline
func (c *Chan[T]) SendContext(ctx context.Context, v T) error {
	if in := c.watched(); in != nil {
		defer c.keepAlive()
		defer in.end(in.begin(OpSendValue, callerPC()))
	}
	select {
	case c.c <- v:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Receive is v, ok := <-c, the operation receive.
//
//go:noinline
func (c *Chan[T]) Receive() (v T, ok bool) {
	if in := c.watched(); in != nil {
		return c.receive(in, callerPC())
	}
	v, ok = <-c.c
	return v, ok
}

func (c *Chan[T]) receive(in *SynchInstance, caller uintptr) (v T, ok bool) {
	w := in.begin(OpReceiveValue, caller)
	v, ok = <-c.c
	in.end(w)
	c.keepAlive()
	return v, ok
}

// TryReceive receives what can be received at once: the operation try_receive. ready reports whether there was a value or the
// channel is closed; if it is closed, ok is false.
//
//go:noinline
func (c *Chan[T]) TryReceive() (v T, ok, ready bool) {
	if in := c.watched(); in != nil {
		defer c.keepAlive()
		defer in.end(in.begin(OpTryReceive, callerPC()))
	}
	select {
	case v, ok = <-c.c:
		return v, ok, true
	default:
		return v, false, false
	}
}

// ReceiveContext is Receive, but when ctx ends it gives up and returns the error of ctx. If both are possible at once either
// happens, as in a select statement.
//
//go:noinline
func (c *Chan[T]) ReceiveContext(ctx context.Context) (v T, ok bool, err error) {
	if in := c.watched(); in != nil {
		defer c.keepAlive()
		defer in.end(in.begin(OpReceiveValue, callerPC()))
	}
	select {
	case v, ok = <-c.c:
		return v, ok, nil
	case <-ctx.Done():
		return v, false, ctx.Err()
	}
}

// All is for v := range c: it receives until the channel is closed.
//
//go:noinline
func (c *Chan[T]) All() iter.Seq[T] {
	caller := callerPC()
	return func(yield func(T) bool) {
		for {
			var v T
			var ok bool
			if in := c.watched(); in != nil {
				v, ok = c.receive(in, caller)
			} else {
				v, ok = <-c.c
			}
			if !ok || !yield(v) {
				return
			}
		}
	}
}

// Close closes the channel, as close does.
func (c *Chan[T]) Close() { close(c.c) }

// Len is how many values are in the buffer.
func (c *Chan[T]) Len() int { return len(c.c) }

// Cap is how many values the buffer has room for.
func (c *Chan[T]) Cap() int { return cap(c.c) }

// C is the channel itself, for select statements; nil of the zero Chan.
func (c *Chan[T]) C() chan T { return c.c }

// Instance is what is known of the channel, nil if nothing is.
func (c *Chan[T]) Instance() *SynchInstance { return c.instance.Load() }

// room implements roomReporter.
func (c *Chan[T]) room() (used, size int64) { return int64(len(c.c)), int64(cap(c.c)) }
