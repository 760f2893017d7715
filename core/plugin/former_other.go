//go:build !linux

package plugin

// marked finds nothing: the environments of processes are not to be seen here.
func marked(string) ([]int, error) { return nil, nil }

func killProcess(int) {}
