package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// GetContent are the arguments of get_content.
type GetContent struct {
	Repo
	Path string `json:"path,omitempty" jsonschema_description:"A file or a folder; without it the root."`
	Ref  string `json:"ref,omitempty" jsonschema_description:"A branch, tag or commit; without it the default branch."`
	Raw
}

// Content is a file, or a folder with its entries.
type Content struct {
	Type     string  `json:"type" jsonschema:"enum=file,enum=dir,enum=symlink,enum=submodule"`
	Path     string  `json:"path"`
	SHA      string  `json:"sha,omitempty" jsonschema_description:"Of the file's blob."`
	Size     int     `json:"size,omitempty" jsonschema_description:"In bytes."`
	Encoding string  `json:"encoding,omitempty" jsonschema:"enum=utf-8,enum=base64" jsonschema_description:"base64 where the file is no text."`
	Content  string  `json:"content,omitempty" jsonschema_description:"The file's content."`
	Entries  []Entry `json:"entries,omitempty" jsonschema_description:"What a folder holds."`
	Own
}

// Entry is one thing in a folder.
type Entry struct {
	Path string `json:"path"`
	Type string `json:"type" jsonschema_description:"file, dir, symlink or submodule."`
	Size int    `json:"size"`
	SHA  string `json:"sha"`
	Own
}

// GetTree are the arguments of get_tree.
type GetTree struct {
	Repo
	Ref  string `json:"ref,omitempty" jsonschema_description:"A branch, tag or commit; without it the default branch."`
	Path string `json:"path,omitempty" jsonschema_description:"Only what lies below this folder."`
	Paging
}

func (c *connector) contentMethods() []sdk.Method {
	tags := []string{"contents"}
	return []sdk.Method{
		read(sdk.Func[GetContent, Content]{
			Name: "get_content", Description: "Read a file's content, or list a folder, at a branch, tag or commit. Files up to 1 MB.", Tags: tags,
			Call: c.getContent,
		}),
		read(sdk.Func[GetTree, Page[Entry]]{
			Name: "get_tree", Description: "List all files of a repository, folders included, at a branch, tag or commit.", Tags: tags,
			Call: c.getTree,
		}),
		c.commitFilesMethod(tags),
	}
}

// content is what GitHub says of a path: a file or a folder.
type content struct {
	path    string
	file    *github.RepositoryContent
	entries []*github.RepositoryContent
}

func (c *connector) getContent(ctx context.Context, in GetContent) (Content, error) {
	found, err := one(ctx, in.Raw, func(ctx context.Context) (content, *github.Response, error) {
		file, entries, resp, err := c.client.Repositories.GetContents(ctx, in.Owner, in.Repo.Repo, strings.Trim(in.Path, "/"),
			&github.RepositoryContentGetOptions{Ref: in.Ref})
		return content{strings.Trim(in.Path, "/"), file, entries}, resp, err
	}, shapeContent)
	if err == nil && found.Type == "file" && found.Encoding == "" {
		return found, sdk.Errorf(sdk.Unsupported, "%s has %d bytes; GitHub gives no more than 1 MB of a file", found.Path, found.Size)
	}
	return found, err
}

func shapeContent(c content) Content {
	if c.file == nil {
		return Content{Type: "dir", Path: c.path, Entries: entries(c.entries)}
	}
	shaped := Content{Type: c.file.GetType(), Path: c.file.GetPath(), SHA: c.file.GetSHA(), Size: c.file.GetSize()}
	if shaped.Type != "file" {
		shaped.Content = c.file.GetTarget()
		return shaped
	}
	if bytes, ok := decoded(c.file); ok {
		shaped.Encoding, shaped.Content = encodeContent(bytes)
	}
	return shaped
}

// decoded returns a file's bytes; GitHub leaves out those of large files.
func decoded(file *github.RepositoryContent) ([]byte, bool) {
	text, err := file.GetContent()
	return []byte(text), err == nil
}

// encodeContent is a text as it is, and anything else in base64.
func encodeContent(bytes []byte) (encoding, content string) {
	if utf8.Valid(bytes) && !strings.ContainsRune(string(bytes), 0) {
		return "utf-8", string(bytes)
	}
	return "base64", base64.StdEncoding.EncodeToString(bytes)
}

func entries(list []*github.RepositoryContent) []Entry {
	shaped := make([]Entry, len(list))
	for i, e := range list {
		shaped[i] = Entry{Path: e.GetPath(), Type: e.GetType(), Size: e.GetSize(), SHA: e.GetSHA()}
	}
	return shaped
}

func (c *connector) getTree(ctx context.Context, in GetTree) (Page[Entry], error) {
	ref := url.PathEscape(cmp.Or(in.Ref, "HEAD"))
	below := strings.Trim(in.Path, "/")
	truncated := false
	page, err := list(ctx, in.Paging, listing[*github.TreeEntry, Entry]{
		fetch: func(ctx context.Context, _ github.ListOptions) ([]*github.TreeEntry, *github.Response, error) {
			tree, resp, err := c.client.Git.GetTree(ctx, in.Owner, in.Repo.Repo, ref, true)
			if err != nil {
				return nil, resp, err
			}
			truncated = tree.GetTruncated()
			return tree.Entries, resp, nil
		},
		keep: func(e *github.TreeEntry) bool {
			return e.GetType() != "tree" && (below == "" || strings.HasPrefix(e.GetPath(), below+"/"))
		},
		shape: treeEntry,
	})
	if truncated {
		page.stop("the repository is too large for one listing; list its folders with get_content")
	}
	return page, err
}

func treeEntry(e *github.TreeEntry) Entry {
	kind := "file"
	switch {
	case e.GetType() == "commit":
		kind = "submodule"
	case e.GetMode() == "120000":
		kind = "symlink"
	}
	return Entry{Path: e.GetPath(), Type: kind, Size: e.GetSize(), SHA: e.GetSHA()}
}
