// Package program is the client's side of the oju program: what its accounts, instructions, events and errors look like in
// bytes (protocol sections 4, 5, 7 and 8), and nothing that talks to a chain.
//
// Every layout is written down once, as a walk over the fields of a Go struct with the offsets of the protocol; the same walk
// decodes, encodes and lists. The golden vectors under programs/oju/vectors and the IDL under programs/oju/idl are made from
// it, and the Rust program is tested against the same vectors.
//
// What the caller must do:
//
//  1. Check the owner of an account before decoding it: everybody can make an account that looks like a Task, but only the
//     program can make one that it owns.
//  2. Check that an account is at the address that it should have (Program.Task, Program.Case …).
//  3. Take events only from transactions that succeeded, and read the accounts where Log.Complete is false.
//  4. Ask whether the instruction that failed is one of the program before reading a custom error as a Code.
//
// Decoders take bytes of any length and content and never keep a reference to them.
package program
