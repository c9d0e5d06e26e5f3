// Package kind has the kinds of upstreams behind data sources: MCP servers, HTTP APIs, files,
// SQLite databases and Solana. Each kind brings its settings, flags, schemas, sample request and
// upstream in its own files. To add a kind, write its files and add a row to the table in table.go.
//
// [Decode] reads a kind's settings from the "upstream" object of a source file, and [Open] opens
// them. Many goroutines may use an upstream at once. The caller closes it. After Close, no process,
// goroutine or connection of it is left.
//
// Neither the request nor the answer is trusted. The request comes from a stranger. It can choose
// values, but never a host, a path outside of the allowed ones, or a statement. The answer comes
// from outside. It is bounded while it is read, and returned as one JSON value. The caller bounds
// the time (by the context) and judges the content.
//
// Settings refer to secrets as ${env:NAME} or ${file:PATH}. Secrets are read when they are needed
// and given only to the upstream. They are masked in every answer and error before it leaves the
// package.
package kind
