// Package kind has the kinds of upstreams behind data sources: MCP servers, HTTP APIs, files,
// SQLite databases and Solana. Each kind brings its settings, flags, schemas, sample request and
// upstream in its own files. To add a kind, write its files and add a row to the table in table.go.
//
// A kind's settings are read by [Decode] from the "upstream" object of a source file and opened by
// [Open]. Many goroutines may use an upstream at once. The caller closes it. After Close, no
// process, goroutine or connection of it is left.
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
