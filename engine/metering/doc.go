// Package metering charges what statements keep of rows to the memory of their connections, and holds them back at their rows.
//
// What a statement keeps of rows is charged to its account where the rows come from. The builder looks at each node of a plan
// once it is to be built: where the executor, or a sort of ours, is going to keep the rows of one of its children, these are
// metered; where the node's own rows are kept elsewhere, they are. Whatever of ours keeps rows by itself charges them itself:
// groups, sets of rows, window functions, aggregates. A test knows what each kind of node keeps.
//
// Package connection has a Meter for each connection: it tells it when a statement begins and has it build each node of a plan, through the
// interface Builder. Pace holds a statement back where there is a limit of processor time. The package calls charge, which has the
// iterators, and budget, which has the accounts.
//
// Begin reading at Meter.Build in metering.go. A Meter is owned by the connection's goroutine.
//
// Called by connection.
package metering
