package main

import "testing"

func TestEveryTextIsFoundOnce(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		if _, err := m.mutated("../.."); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}
