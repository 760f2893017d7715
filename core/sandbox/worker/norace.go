//go:build !race

package worker

// shadow is how many bytes a process takes for one of its own.
const shadow = 1
