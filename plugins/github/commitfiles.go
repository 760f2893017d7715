package main

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// CommitFiles are the arguments of commit_files.
type CommitFiles struct {
	Repo
	Branch  string       `json:"branch" jsonschema:"minLength=1" jsonschema_description:"It must exist."`
	Message string       `json:"message" jsonschema:"minLength=1"`
	Files   []FileChange `json:"files" jsonschema:"minItems=1,maxItems=300"`
	Head    string       `json:"head,omitempty" jsonschema_description:"Commit only if this is still the branch's newest commit."`
}

// FileChange is what becomes of one file.
type FileChange struct {
	Path     string  `json:"path" jsonschema:"minLength=1"`
	Content  *string `json:"content,omitempty" jsonschema_description:"All of the new content."`
	Encoding string  `json:"encoding,omitempty" jsonschema:"enum=utf-8,enum=base64,default=utf-8" jsonschema_description:"base64 for what is no text."`
	Delete   bool    `json:"delete,omitempty" jsonschema_description:"Delete the file; without content."`
}

// Committed is the commit that commit_files has made.
type Committed struct {
	SHA    string `json:"sha"`
	Parent string `json:"parent"`
	Branch string `json:"branch"`
	URL    string `json:"url"`
}

func (c *connector) commitFilesMethod(tags []string) sdk.Method {
	return write(c, sdk.Func[CommitFiles, Committed]{
		Name: "commit_files", Description: "Write and delete several files of a branch in one commit. A rollback commits the former content.", Tags: tags,
		Prepare: c.prepareCommit, Call: c.commitFiles, Reconcile: c.findCommit, Preview: c.previewCommit,
		Revert: c.revertCommit,
	})
}

// check refuses what cannot be meant.
func (in CommitFiles) check() error {
	seen := map[string]bool{}
	for _, f := range in.Files {
		if f.Delete == (f.Content != nil) {
			return sdk.Errorf(sdk.InvalidArgument, "%s: give it content or delete it, one of both", f.Path)
		}
		if seen[f.Path] {
			return sdk.Errorf(sdk.InvalidArgument, "%s is named twice", f.Path)
		}
		seen[f.Path] = true
		if _, err := f.bytes(); err != nil {
			return sdk.Errorf(sdk.InvalidArgument, "the content of %s is not base64", f.Path)
		}
	}
	return nil
}

// bytes returns the new content.
func (f FileChange) bytes() ([]byte, error) {
	switch {
	case f.Content == nil:
		return nil, nil
	case f.Encoding == "base64":
		return base64.StdEncoding.DecodeString(*f.Content)
	}
	return []byte(*f.Content), nil
}

// prepareCommit settles on the parent.
func (c *connector) prepareCommit(ctx context.Context, in CommitFiles) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	head, err := c.head(ctx, in.Repo, in.Branch)
	if err != nil {
		return nil, err
	}
	if in.Head != "" && in.Head != head {
		return nil, sdk.Errorf(sdk.Conflict, "the branch %q of %s has moved on to %s; read it again", in.Branch, in.Repo, head)
	}
	return start{head}, nil
}

// commitFiles makes the commit and then moves the branch to it. The branch moves
// forward only from the parent, so that nobody's commit is lost, and a repeated
// call cannot commit twice.
func (c *connector) commitFiles(ctx context.Context, in CommitFiles) (Committed, error) {
	parent, err := sdk.Before[start](ctx)
	if err != nil {
		return Committed{}, err
	}
	former, err := c.blobs(ctx, in.Repo, parent.SHA)
	if err != nil {
		return Committed{}, err
	}
	entries := make([]*github.TreeEntry, len(in.Files))
	for i, f := range in.Files {
		if entries[i], err = c.entry(ctx, in.Repo, former[f.Path].mode, f); err != nil {
			return Committed{}, err
		}
	}
	made, err := c.commitTree(ctx, in.Repo, in.Branch, parent.SHA, in.Message, entries)
	return Committed{SHA: made.GetSHA(), Parent: parent.SHA, Branch: in.Branch, URL: made.GetHTMLURL()}, err
}

// regular is the mode of a file that is no program.
const regular = "100644"

// entry returns a change as part of a tree, with the mode that the file has, if
// it is there. What is no text goes ahead as a blob.
func (c *connector) entry(ctx context.Context, r Repo, mode string, f FileChange) (*github.TreeEntry, error) {
	e := &github.TreeEntry{Path: &f.Path, Mode: new(cmp.Or(mode, regular)), Type: new("blob")}
	switch {
	case f.Delete:
	case f.Encoding == "base64":
		blob, _, err := c.client.Git.CreateBlob(ctx, r.Owner, r.Repo, github.Blob{Content: *f.Content, Encoding: &f.Encoding})
		if err != nil {
			return nil, err
		}
		e.SHA = new(blob.GetSHA())
	default:
		e.Content = f.Content
	}
	return e, nil
}

// commitTree commits entries on top of a parent and moves the branch to it.
func (c *connector) commitTree(ctx context.Context, r Repo, branch, parent, message string, entries []*github.TreeEntry) (*github.Commit, error) {
	base, _, err := c.client.Git.GetCommit(ctx, r.Owner, r.Repo, parent)
	if err != nil {
		return nil, err
	}
	tree, _, err := c.client.Git.CreateTree(ctx, r.Owner, r.Repo, base.GetTree().GetSHA(), entries)
	if err != nil {
		return nil, err
	}
	made, _, err := c.client.Git.CreateCommit(ctx, r.Owner, r.Repo, github.Commit{
		Message: &message, Tree: tree, Parents: []*github.Commit{{SHA: &parent}},
	}, nil)
	if err != nil {
		return nil, err
	}
	_, _, err = c.client.Git.UpdateRef(ctx, r.Owner, r.Repo, "heads/"+branch, github.UpdateRef{SHA: made.GetSHA(), Force: new(false)})
	return made, err
}

// findCommit looks among the newest commits of the branch for the one on top of
// the parent: if it has the message, it is the call's.
func (c *connector) findCommit(ctx context.Context, in CommitFiles) (sdk.Happened[Committed], error) {
	var none sdk.Happened[Committed]
	parent, err := sdk.Before[start](ctx)
	if err != nil {
		return none, err
	}
	page, err := c.listCommits(ctx, ListCommits{Repo: in.Repo, Ref: in.Branch, Paging: Paging{Limit: 300}})
	if err != nil {
		return none, err
	}
	for _, found := range page.Items {
		if found.SHA == parent.SHA {
			return sdk.Happened[Committed]{Answer: sdk.No}, nil
		}
		if slices.Equal(found.Parents, []string{parent.SHA}) && found.Message == in.Message {
			return sdk.Happened[Committed]{Answer: sdk.Yes, Result: Committed{
				SHA: found.SHA, Parent: parent.SHA, Branch: in.Branch, URL: found.URL,
			}}, nil
		}
	}
	return none, nil
}

// revertCommit commits the former content of the files. What others have done to
// them since makes it refuse; what they have done to other files stays.
func (c *connector) revertCommit(ctx context.Context, in CommitFiles, made Committed) error {
	head, err := c.head(ctx, in.Repo, in.Branch)
	if err != nil {
		return err
	}
	former, err := c.blobs(ctx, in.Repo, made.Parent)
	if err != nil {
		return err
	}
	ours, err := c.blobs(ctx, in.Repo, made.SHA)
	if err != nil {
		return err
	}
	now, err := c.blobs(ctx, in.Repo, head)
	if err != nil {
		return err
	}
	var entries []*github.TreeEntry
	for _, f := range in.Files {
		if now[f.Path] == former[f.Path] {
			continue
		}
		if now[f.Path] != ours[f.Path] {
			return sdk.Errorf(sdk.Conflict, "somebody has changed %s on %q since; it is not taken back", f.Path, in.Branch)
		}
		entries = append(entries, former[f.Path].entry(f.Path))
	}
	if len(entries) == 0 {
		return nil
	}
	_, err = c.commitTree(ctx, in.Repo, in.Branch, head, "Revert \""+firstLine(in.Message)+"\"\n\nThis reverts commit "+made.SHA+".", entries)
	return err
}

// blob is a file's content and mode; the zero value is a file that is not there.
type blob struct{ sha, mode string }

// entry is the part of a tree that makes path the blob, or deletes it.
func (b blob) entry(path string) *github.TreeEntry {
	if b.sha == "" {
		return &github.TreeEntry{Path: &path, Mode: new(regular), Type: new("blob")}
	}
	return &github.TreeEntry{Path: &path, Mode: &b.mode, Type: new("blob"), SHA: &b.sha}
}

// blobs returns all files of a commit by path.
func (c *connector) blobs(ctx context.Context, r Repo, commit string) (map[string]blob, error) {
	tree, _, err := c.client.Git.GetTree(ctx, r.Owner, r.Repo, commit, true)
	if err != nil {
		return nil, err
	}
	files := make(map[string]blob, len(tree.Entries))
	for _, e := range tree.Entries {
		if e.GetType() == "blob" {
			files[e.GetPath()] = blob{e.GetSHA(), e.GetMode()}
		}
	}
	return files, nil
}
