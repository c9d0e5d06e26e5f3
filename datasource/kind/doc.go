// Package kind is what stands behind a data source: an MCP server, an HTTP API, files, a SQLite
// database, an account of Solana. One file is one kind; a new kind is a new file and a line in
// table.go.
//
// A kind's settings are read by [Decode] from the "upstream" object of a source file and opened by
// [Open]. What Open returns may be called by many goroutines; whoever opens it closes it, and after
// Close nothing that it started is left: no process, no goroutine, no connection.
//
// Neither the request nor the answer is trusted. The request comes from a stranger: it can choose
// values, never a host, a path outside of the allowed ones, or a statement. The answer comes from
// outside: it is bounded while it is read, and is one JSON value when it is given out. The caller
// bounds the time (by the context) and judges the content.
//
// Secrets stand in settings as ${env:NAME} or ${file:PATH}. They are read when they are needed,
// handed to the upstream and nobody else, and every answer and error is searched for them before it
// leaves the package.
package kind
