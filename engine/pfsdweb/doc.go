// Package pfsdweb is a page for the browser about a server: load over time, waits, statements, blockers,
// locks, flame graphs of wait time, two periods compared, and settings.
//
// Three steps. Make an engine.Server; [Register] the page on a mux; close the [Page] when the server ends.
// A program that does not import this package does not contain the page.
//
// The contract. People sign in with accounts of the server. Each signed-in browser has one connection of
// that account to the server's TCP address, so that privileges, limits and accounting are those of SQL. The
// browser chooses a query by name and a period of time, and never sends SQL. The page answers only requests from
// this machine that name this machine: over loopback the server takes every browser for localhost.
// It changes nothing unless [Options] says so. Everything that the page needs is in the binary.
//
// Files: page.go requests and their checks; session.go who has signed in; queries.go what can be asked;
// flame.go trees of wait time; compare.go two periods; page/ our HTML, CSS and JavaScript (graph.js: who waits for whom); assets/ uPlot, d3-flame-graph and d3, written by
// make web-assets.
//
// Called by cmd/pfsd and by programs that show the page. Calls engine and engine/throttle. Begin reading with page.go.
package pfsdweb
