package picture

// imageIn finds no pictures in a browser: the page of a case file has no server that would give
// them, and their readers would make it 0.12 MB larger.
func imageIn([]byte) (Image, bool) { return Image{}, false }
