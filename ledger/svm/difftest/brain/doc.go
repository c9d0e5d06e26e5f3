// Package brain compares the program of MegaBrain on two runtimes, and its settlements with package
// megabrain/pay. It has tests only.
package brain
