// Package instrhttp records HTTP requests as statements, both those that a program serves and those
// that it sends.
//
//	http.ListenAndServe(":8080", instrhttp.NewHandler(mux))
//	client := &http.Client{Transport: instrhttp.NewTransport(http.DefaultTransport)}
//
// Each request is a statement of the goroutine that serves or sends it, and what happens meanwhile is part of it: waits for locks, files and
// sockets, outgoing queries, and requests that are sent while one is served. A goroutine that is no thread becomes one; where
// goroutines do not become threads by themselves it is thread/http/server or thread/http/client for as long as the request takes.
//
// What the columns of events_statements_current, its histories and its summaries mean:
//
//   - EVENT_NAME is statement/http/METHOD ROUTE for a request served, such as statement/http/GET /users/{id}, and
//     statement/http.client/METHOD for one sent. The route is the pattern by which [http.ServeMux] has found the handler, or what
//     the function of [WithRoute] returns. While the handler runs, the route is not known yet, and the name is
//     statement/http/request.
//   - DIGEST_TEXT is METHOD ROUTE, also if there are more routes than statement instruments, and while the handler runs if that is the
//     [http.ServeMux] itself; for a request sent it is METHOD and host.
//   - SQL_TEXT is the method and the path, without the query, which may contain secrets; for a request sent it has the URL
//     without query, user and password. A valid traceparent header follows as a comment: /*traceparent='00-...'*/.
//   - MYSQL_ERRNO is the status if that counts as an error, and then ERRORS is 1: from 500 on for a request served, from 400 on
//     for one sent. A status from 400 to 499 of a request served is a warning. MESSAGE_TEXT has the status. If a handler panics,
//     the error is 500. If a request gets no response, the error is 2013, and MESSAGE_TEXT has the reason.
//   - ROWS_EXAMINED is how many bytes of the request's body have been read, ROWS_SENT how many of the response's body have been
//     written. For a request sent, ROWS_SENT is the bytes of the request's body, and ROWS_EXAMINED the length of the body that
//     the response announces.
//
// Phases are stages: stage/http/reading headers, where [Serve] serves, stage/http/running handler, stage/http/reading body and stage/http/writing response of a request served; of one sent
// stage/http.client/waiting for a connection, /looking up the host, /connecting, /TLS handshake, /sending the request and /waiting for the
// response, which are recorded when the response's header is there, and /reading body afterwards. PROCESSLIST_STATE shows them
// at once.
//
// Where to begin: handler.go and transport.go; server.go knows when headers come; writer.go keeps the optional interfaces of response writers.
//
// Called by programs that use net/http. Calls instr and instr/traceparent. Begin reading with handler.go and transport.go.
package instrhttp
