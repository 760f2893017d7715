package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
)

// TestConfigure: what is wrong is said at its place, and nothing is started.
func TestConfigure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	tool := filepath.Join(dir, "tool")
	for path, mode := range map[string]os.FileMode{plain: 0o600, tool: 0o700} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		config map[string]any
		want   []string // each problem's path and a part of its text
	}{
		"path":             {map[string]any{"command": tool}, nil},
		"name":             {map[string]any{"command": "tool", "env": map[string]string{"PATH": "/nonexistent:" + dir}}, nil},
		"all":              {map[string]any{"command": tool, "args": []string{"a"}, "env": map[string]string{"A": "a"}, "secrets": map[string]string{"B": "b"}, "dir": dir, "trusted": true, "parse_text": false, "idle_timeout": "30s", "answers": map[string]any{"sure": true}}, nil},
		"no idle time":     {map[string]any{"command": tool, "idle_timeout": "soon"}, []string{`idle_timeout: "soon" is no time, such as "30s" or "5m"`}},
		"idle below zero":  {map[string]any{"command": tool, "idle_timeout": "-1s"}, []string{`idle_timeout: "-1s" is no time, such as "30s" or "5m"`}},
		"no command":       {map[string]any{}, []string{"command: is missing"}},
		"empty command":    {map[string]any{"command": ""}, []string{"command: must have at least 1"}},
		"unknown":          {map[string]any{"command": tool, "urls": "x"}, []string{"urls: is not known"}},
		"url":              {map[string]any{"url": "https://example.com/mcp", "transport": "sse", "headers": map[string]string{"X-Team": "a"}, "secrets": map[string]string{"Authorization": "Bearer b"}}, nil},
		"url and command":  {map[string]any{"command": tool, "url": "https://example.com"}, []string{"url: command is set, too"}},
		"no address":       {map[string]any{"url": "example.com/mcp"}, []string{"url: this is no address"}},
		"user in address":  {map[string]any{"url": "https://u:p@example.com"}, []string{"url: it holds credentials"}},
		"headers":          {map[string]any{"url": "https://example.com", "headers": map[string]string{"A B": "x", "Mcp-Session-Id": "x", "X-A": "a\nb"}, "secrets": map[string]string{"x-a": mark}}, []string{"headers.A B: this is no name", "headers.Mcp-Session-Id: this header is the protocol's", "headers.X-A: the value holds", "secrets.x-a: it stands in headers, too"}},
		"not for url":      {map[string]any{"url": "https://example.com", "args": []string{"a"}, "env": map[string]string{"A": "a"}, "dir": dir}, []string{"args: this is for", "env: this is for", "dir: this is for"}},
		"oauth":            {map[string]any{"url": "https://example.com", "oauth": map[string]string{"client_id": "a", "client_secret": mark}}, nil},
		"oauth and header": {map[string]any{"url": "https://example.com", "oauth": map[string]string{"client_id": "a", "client_secret": mark}, "secrets": map[string]string{"authorization": mark}}, []string{"oauth: there is an Authorization header"}},
		"oauth over sse":   {map[string]any{"url": "https://example.com", "transport": "sse", "oauth": map[string]string{"client_id": "a", "client_secret": mark}}, []string{"oauth: the transport sse does not"}},
		"not for command":  {map[string]any{"command": tool, "transport": "sse", "headers": map[string]string{"A": "a"}}, []string{"transport: this is for", "headers: this is for"}},
		"unknown result":   {map[string]any{"command": tool, "result": "all"}, []string{"result: "}},
		"env not text":     {map[string]any{"command": tool, "env": map[string]any{"A": 1}}, []string{"env.A: got number"}},
		"secret not text":  {map[string]any{"command": tool, "secrets": map[string]any{"A": 1}}, []string{"secrets.A: got number"}},
		"no such file":     {map[string]any{"command": dir + "/none"}, []string{"command: there is no file"}},
		"folder":           {map[string]any{"command": dir}, []string{"command: " + dir + " is a folder"}},
		"not executable":   {map[string]any{"command": plain}, []string{"command: " + plain + " is not executable"}},
		"no PATH":          {map[string]any{"command": "tool"}, []string{`command: "tool" is named without a folder, and env has no PATH`}},
		"not in PATH":      {map[string]any{"command": "tool", "env": map[string]string{"PATH": "/nonexistent"}}, []string{`command: "tool" is in no folder of env's PATH`}},
		"only plain":       {map[string]any{"command": "plain", "env": map[string]string{"PATH": dir}}, []string{`command: "plain" is in no folder`}},
		"relative PATH":    {map[string]any{"command": "testdata", "env": map[string]string{"PATH": ".:"}}, []string{`command: "testdata" is in no folder`}},
		"no such folder":   {map[string]any{"command": tool, "dir": dir + "/none"}, []string{"dir: there is no folder"}},
		"folder is a file": {map[string]any{"command": tool, "dir": plain}, []string{"dir: there is no folder"}},
		"secrets": {
			map[string]any{"command": tool, "env": map[string]string{"A": mark}, "secrets": map[string]string{"": mark, "A": mark, "B=C": mark, "D": mark + "\x00"}},
			[]string{"secrets.: this is no name", "secrets.A: it stands in env, too", "secrets.B=C: this is no name", "secrets.D: the value holds a NUL"},
		},
		"PATH in secrets": {
			map[string]any{"command": "tool", "secrets": map[string]string{"PATH": dir}},
			[]string{`command: "tool" is named without a folder, and env has no PATH`},
		},
		"several": {
			map[string]any{"command": dir + "/none", "dir": dir + "/none", "env": map[string]string{"A=B": "x", "C": mark + "\x00"}},
			[]string{"env.A=B: this is no name", "env.C: the value holds a NUL", "command: there is no file", "dir: there is no folder"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := json.Marshal(test.config)
			if err != nil {
				t.Fatal(err)
			}
			mounted, err := New().InProcess()
			if err != nil {
				t.Fatal(err)
			}
			err = mounted.Configure(t.Context(), &wire.ConfigureRequest{Config: raw})
			if len(test.want) == 0 {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			e := told(t, err)
			if e.Code != sdk.InvalidArgument || len(e.Diagnostics) != len(test.want) {
				t.Fatalf("got %v with %+v", e, e.Diagnostics)
			}
			for i, want := range test.want {
				got := strings.Join(e.Diagnostics[i].Path, ".") + ": " + e.Diagnostics[i].Summary
				if !strings.HasPrefix(got, want) || strings.Contains(got, mark) {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
}

// TestDescribe: the schema tells an operator what each attribute is.
func TestDescribe(t *testing.T) {
	t.Parallel()
	mounted, err := New().InProcess()
	if err != nil {
		t.Fatal(err)
	}
	about, err := mounted.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct {
			Description string `json:"description"`
			Default     any    `json:"default"`
			WriteOnly   bool   `json:"writeOnly"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(about.ConfigSchema, &schema); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string(nil), schema.Required); diff != "" {
		t.Error(diff)
	}
	defaults := map[string]any{}
	for name, p := range schema.Properties {
		if p.WriteOnly != (name == "secrets") {
			t.Errorf("%s: writeOnly is %v", name, p.WriteOnly)
		}
		if p.Description == "" {
			t.Errorf("%s has no description", name)
		}
		if p.Default != nil {
			defaults[name] = p.Default
		}
	}
	if diff := cmp.Diff(map[string]any{"trusted": false, "parse_text": true, "result": "value", "transport": "streamable"}, defaults); diff != "" {
		t.Error(diff)
	}
}
