// Package transact has what there is to a transaction without a node: the keys that sign it, its
// bytes and fee, the entry of it that an outbox keeps, and how it ended.
package transact
