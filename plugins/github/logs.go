package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/codemode-go/codemode/plugin/sdk"
)

const (
	usualLines = 200
	// lineSize bounds a line that is given; more of it is left out.
	lineSize = 2000
)

// GetJobLogs are the arguments of get_job_logs.
type GetJobLogs struct {
	Repo
	JobID int64 `json:"job_id" jsonschema:"minimum=1"`
	Lines int   `json:"lines,omitempty" jsonschema:"minimum=1,maximum=2000,default=200" jsonschema_description:"How many of the last lines."`
}

// Logs are the last lines of a job's log.
type Logs struct {
	Text  string `json:"text"`
	Lines int    `json:"lines" jsonschema_description:"How many the whole log has."`
}

// getJobLogs follows GitHub to where it keeps the log, which is not for the
// token to see: the address says it all.
func (c *connector) getJobLogs(ctx context.Context, in GetJobLogs) (Logs, error) {
	address, _, err := c.client.Actions.GetWorkflowJobLogs(ctx, in.Owner, in.Repo.Repo, in.JobID, 1)
	if err != nil {
		return Logs{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return Logs{}, err
	}
	resp, err := (&http.Client{Transport: c.base}).Do(r)
	if err != nil {
		return Logs{}, failedLog(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Logs{}, sdk.Errorf(sdk.Unavailable, "the storage of logs answered %d", resp.StatusCode)
	}
	return tail(resp.Body, in.lines())
}

func (in GetJobLogs) lines() int {
	if in.Lines == 0 {
		return usualLines
	}
	return in.Lines
}

// failedLog leaves the address out, which opens the log to everybody.
func failedLog(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := sdk.Errorf(sdk.Unavailable, "the storage of logs cannot be reached: %v", errors.Unwrap(err))
	e.Retryable = true
	return e
}

// tail reads a log to its end and keeps the last lines.
func tail(log io.Reader, most int) (Logs, error) {
	last := make([]string, 0, most)
	total := 0
	reader := bufio.NewReaderSize(log, 64<<10)
	for {
		line, err := readLine(reader)
		if line != "" || err == nil {
			if len(last) == most {
				last = append(last[:0], last[1:]...)
			}
			last = append(last, line)
			total++
		}
		switch {
		case errors.Is(err, io.EOF):
			return Logs{Text: strings.Join(last, "\n"), Lines: total}, nil
		case err != nil:
			return Logs{}, sdk.Errorf(sdk.Unavailable, "read the log: %v", err)
		}
	}
}

// readLine reads a line and returns its beginning, without what ends it.
func readLine(r *bufio.Reader) (string, error) {
	var line strings.Builder
	for {
		part, more, err := r.ReadLine()
		line.Write(part[:min(len(part), max(0, lineSize-line.Len()))])
		if err != nil || !more {
			return strings.ToValidUTF8(line.String(), "\uFFFD"), err
		}
		if line.Len() == lineSize {
			fmt.Fprint(&line, " [...]")
		}
	}
}
