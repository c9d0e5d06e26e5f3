// Package rpc speaks JSON-RPC to one Solana node: over HTTP with bounds, retries and a rate, and
// over a websocket with subscriptions. It knows methods by name alone; package ledger knows what
// they mean.
package rpc
