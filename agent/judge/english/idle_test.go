package english

import "testing"

// TestDemandless: these instructions demand nothing, and those something.
func TestDemandless(t *testing.T) {
	for _, in := range []string{
		"Hello.", "Hello with this.", "A small job. Take your time.", "note is optional.", "The field note is for remarks; it is not judged.", "comment may say anything and is not judged.",
		"Put anything else into comments, if you have any; it does not count.", "Write remarks into hint. It is not part of the work.", "message is for questions; it is not judged.", "message is for questions, and may be empty.", "Put remarks into note, if you have any.", "Put remarks into note and it does not count. Thanks.",
		"THE NOTE may be empty",
	} {
		if !Demandless(in) {
			t.Errorf("%q demands something", in)
		}
	}
	for _, in := range []string{
		"", ".", "Write a poem.", "Hello. Write a poem.", "note is optional, but the title is not.", "note is optional if the total is right.", "The note is for the total.", "Put the total into note.",
		"Put anything else into comments, and nothing about prices.", "note may say anything about owls.", "comment may not be empty.", "No comments besides, please.", "Thanks to owls the night is short.",
		"It does not count.x", "note is optional and must rhyme.", "Put remarks into the second line.",
		"No field may be empty.", "Nothing may be empty!", "None may be empty.", "Neither field may be empty.", "Nothing is optional.", "No field may be empty. Thanks.", "The field nothing may be empty.",
		"message is for questions.", "Write notes into summary.", "Write comments into code. Thanks.", "Put questions into quiz. note is optional.", "Write notes into summary. Put remarks into note; it is not judged.",
		"Write anything else into text. Hello. It is not judged.",
	} {
		if Demandless(in) {
			t.Errorf("%q demands nothing", in)
		}
	}
}
