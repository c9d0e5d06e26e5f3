// Package persona has the ways of judging that are shipped with ojud: 28 of them, one small file each in the folder shipped, and those
// that an owner writes.
//
// A persona is tied to a dimension of judgement: what to look at first, in which steps, and what to leave undecided. It is no
// biography, it never names a verdict, and it gives nobody the benefit of a doubt: the verdict follows from the checklist by rule
// (package judge), and different models make a panel more independent than different personas do (ADR 0017).
// The files are TOML:
//
//	title = "Does the sum again from the beginning"     one line
//	dimension = "calculation"                           one of Dimensions
//	look = '''…'''                                      what to look at first
//	method = ["…", "…"]                                 steps, in order
//	doubt = '''…'''                                     when to leave something undecided
//	[weights]                                           task class to how much this persona counts there; 1 where none is given
//	arithmetic = 3.0
//
// # The caller's duties
//
//  1. Put Text into the system prompt, and nothing that a party or a holder wrote beside it: a persona is a constant of the node.
//  2. Read an owner's file with Read, a shipped one with Load; both validate.
//  3. Treat a persona's text as a secret of no worth: peers may learn which one a judge has (its registration names the dimension).
package persona
