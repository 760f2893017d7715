package policy

// Match reports whether a name fits a glob pattern: * stands for any run of
// characters (dots and slashes too, for raw names have them), ? for one
// character, everything else for itself. Every pattern is valid.
func Match(pattern, name string) bool {
	p, n := []rune(pattern), []rune(name)
	// star is where the last * stands and mark how far its run reaches so far:
	// on a mismatch the run grows by one. Only the last * need ever be tried again.
	i, j, star, mark := 0, 0, -1, 0
	for j < len(n) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == n[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
