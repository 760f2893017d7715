//go:build race

package worker

// shadow is how many bytes a process that is watched for races may need for one of its own.
const shadow = 12
