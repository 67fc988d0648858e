// Package instrgrpc records calls of gRPC as statements, both those that a program serves and those that it
// makes.
//
//	server := grpc.NewServer(grpc.StatsHandler(instrgrpc.NewServerHandler()))
//	conn, err := grpc.NewClient(target, grpc.WithStatsHandler(instrgrpc.NewClientHandler()), ...)
//
// Each call is a statement of the goroutine that serves or makes it. What happens meanwhile is part of it: waits for locks, files
// and sockets, queries, and calls that are made while one is served. A goroutine that is no thread becomes one; where goroutines
// do not become threads by themselves, it is thread/grpc/server or thread/grpc/client for as long as the call takes.
//
// What the columns of events_statements_current, its histories and its summaries mean:
//
//   - EVENT_NAME is statement/grpc/SERVICE/METHOD of a call served, and statement/grpc.client/SERVICE/METHOD of one made. A call
//     served is statement/grpc/call until it ends, and keeps this name if the server has no such method. So do calls of methods
//     beyond the first hundred.
//   - DIGEST_TEXT and SQL_TEXT are SERVICE/METHOD. A valid traceparent of the call's metadata follows in SQL_TEXT as a comment.
//   - MYSQL_ERRNO is the status code if that counts as an error, and then ERRORS is 1. For a call served, UNKNOWN,
//     DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE and DATA_LOSS are errors; other codes are warnings. MESSAGE_TEXT
//     has the code and, for an error, the message.
//   - ROWS_EXAMINED is how many bytes of messages have been received, ROWS_SENT how many have been sent, as they are on the wire.
//
// A stream that the program opens is a statement until its header is sent, because any goroutine may use the stream afterwards.
// What the stream counts later is added when it ends.
//
// Called by programs that use gRPC. Calls instr. Begin reading with instrgrpc.go.
package instrgrpc
