// Words counts how plain the English of this repository is: in comments of Go, Rust and JavaScript
// sources, and in Markdown documents.
//
//	go run ./docs/words [-show PHRASE] [FOLDER or FILE ...]
//
// It prints how often some phrases occur in 10,000 words, comment and prose lines of over 100
// columns, and table cells of over 200 characters. -show prints each place of a phrase instead;
// "long" stands for the long lines, and "cell" for the long cells.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	show := flag.String("show", "", `print the places of this phrase, or of "long" lines or "cell"s`)
	flag.Parse()
	if err := run(os.Stdout, *show, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}
