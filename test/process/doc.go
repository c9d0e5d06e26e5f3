// Package process holds the tests that run ojud as real processes and disturb them: they kill
// judges and the chain, cut the power of disks, fill disks, and cut networks. docs/testing.md lists
// the trials, and the scenarios are in testdata.
//
// The tests build cmd/ojud for the chain and for what people type. Each judge is the test binary
// itself in another process. It runs a node as "ojud run" does, with a scripted judge, a log of its
// statements, and points at which the test can stop it.
package process
