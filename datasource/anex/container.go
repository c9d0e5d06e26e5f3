package anex

import "fmt"

// object copies the members that are wanted.
func (s *speller) object(level int, want *mask) error {
	s.at++
	keys, kept := make(map[string]struct{}), 0
	for first := true; ; first = false {
		if more, err := s.more('}', first); err != nil || !more {
			s.put(closing(kept))
			return err
		}
		mark := len(s.out)
		s.put(opening(kept))
		keep, err := s.member(level, want, keys)
		if err != nil {
			return err
		}
		if !keep {
			s.out, s.lost = s.out[:mark], true
			continue
		}
		kept++
	}
}

func opening(kept int) string {
	if kept == 0 {
		return "{ "
	}
	return ", "
}

func closing(kept int) string {
	if kept == 0 {
		return "{}"
	}
	return " }"
}

// member copies a name and its value, and reports whether it is wanted.
func (s *speller) member(level int, want *mask, keys map[string]struct{}) (keep bool, err error) {
	if s.peek() != '"' {
		return false, s.fail("a member's name is needed")
	}
	token, err := s.text()
	if err != nil {
		return false, err
	}
	name, err := unquote(token)
	if err != nil {
		return false, err
	}
	if _, twice := keys[name]; twice {
		return false, s.fail(fmt.Sprintf("member %.40q is there twice", name))
	}
	keys[name] = struct{}{}
	if s.peek() != ':' {
		return false, s.fail("a colon is needed")
	}
	s.at++
	s.put(": ")
	kid := want.member(name)
	keep = kid.keeps(s.container())
	return keep, s.value(level+1, kid)
}

// array copies the wanted elements. A step of a name applies to every element.
func (s *speller) array(level int, want *mask) error {
	s.at++
	s.put("[")
	kept := 0
	for first := true; ; first = false {
		if more, err := s.more(']', first); err != nil || !more {
			s.put("]")
			return err
		}
		mark := len(s.out)
		if kept > 0 {
			s.put(", ")
		}
		keep := want.keeps(s.container())
		if err := s.value(level+1, want); err != nil {
			return err
		}
		if !keep {
			s.out, s.lost = s.out[:mark], true
			continue
		}
		kept++
	}
}

// more reads the separator between the items of a container, or its end.
func (s *speller) more(end byte, first bool) (bool, error) {
	c := s.peek()
	if c == end {
		s.at++
		return false, nil
	}
	if first {
		return true, nil
	}
	if c != ',' {
		return false, s.fail("a comma or the end is needed")
	}
	s.at++
	return true, nil
}
