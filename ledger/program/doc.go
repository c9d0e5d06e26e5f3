// Package program is the client's side of the oju program: what its accounts, instructions, events
// and errors look like in bytes (protocol sections 4, 5, 7 and 8), and nothing that talks to a
// chain.
//
// The IDL programs/oju/idl/oju.json is the source of all layouts. The command in the folder
// generate turns it into the files *_generated.go: structs, and for each one a walk over its fields
// that decodes, encodes and lists; and the builders of instructions whose accounts it names. The
// golden vectors under programs/oju/vectors are made from these, and the Rust program is tested
// against the same vectors.
//
// What the caller must do:
//
//  1. Check the owner of an account before decoding it: everybody can make an account that looks
//     like a Task, but only the program can make one that it owns.
//  2. Check that an account is at the address that it should have (Program.Task, Program.Case …).
//  3. Take events only from transactions that succeeded, and read the accounts where Log.Complete
//     is false.
//  4. Ask whether the instruction that failed is one of the program before reading a custom error
//     as a Code.
//
// Decoders take bytes of any length and content and never keep a reference to them.
package program

//go:generate go run ./generate
