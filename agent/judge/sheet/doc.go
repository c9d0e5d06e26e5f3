// Package sheet writes what a judge's model reads: documents as text, and the facts that code
// found. The model is told that the facts are true, so no word of a party stands among them.
package sheet
