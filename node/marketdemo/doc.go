// Package marketdemo runs a market in a devnet: three creators and five workers trade without a
// person, and two of the workers and one of the creators cheat. It shows who gains by what, and
// checks that cheating did not pay and that no lamport was lost.
package marketdemo
