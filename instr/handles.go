package instr

// Setup is the switches and sizes of a registry: what setup_instruments, setup_consumers and
// the other setup tables show, and the limits of what is kept. It is a handle: copies are the
// same. Safe for concurrent use.
type Setup struct{ r *Registry }

// Setup is the registry's switches and sizes.
func (r *Registry) Setup() Setup { return Setup{r} }

// Reader reads what a registry has recorded, and empties it as TRUNCATE does. It is a handle:
// copies are the same. Safe for concurrent use.
type Reader struct{ r *Registry }

// Reader reads what the registry has recorded.
func (r *Registry) Reader() Reader { return Reader{r} }

// Setup is the registry's switches and sizes.
func (h Reader) Setup() Setup { return h.r.Setup() }
