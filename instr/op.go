package instr

// direction is which of the three columns of a file or a socket an operation counts in.
type direction uint8

const (
	neither direction = iota
	reading
	writing
)

const directionCount = writing + 1

// operation is the direction's name in the tables.
func (d direction) operation() string {
	return [directionCount]string{neither: "MISC", reading: "READ", writing: "WRITE"}[d]
}

// String is the operation's name in SQL.
func (o Op) String() string { return ops[o].name }

func (o Op) direction() direction { return ops[o].direction }
