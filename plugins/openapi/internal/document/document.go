// Package document reads API descriptions: OpenAPI 3.0, 3.1 and 3.2 and
// Swagger 2.0, as JSON or YAML, in one file or several. It is lean: it decodes
// what an operation is and leaves schemas and everything else as they stand in
// the text, so that GitHub's 13 MB take a fifth of a second. What is wrong with
// one operation is said of that operation and hurts no other.
package document

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
)

// maxFiles bounds the files of one document.
const maxFiles = 10_000

// Document is one API description, with all files that it refers to. It never
// changes, but reading it is not safe for concurrent use.
type Document struct {
	// Title, Version and Description are those of its info object.
	Title, Version, Description string
	// Dialect says how its schemas are to be read.
	Dialect Dialect
	// Sum is the SHA-256 of its file, in hexadecimal digits. Where there are
	// several, it is that of a list of them, as sha256sum prints it, by name.
	Sum string
	// Security are the security schemes by name.
	Security map[string]Scheme
	// Operations are in the order of the document, Skipped those that cannot be offered.
	Operations []*Operation
	Skipped    []Skipped

	base  string
	files map[string]*file
	lost  map[string]error // files that cannot be read
	entry *file
}

// Dialect is a generation of OpenAPI's schemas.
type Dialect int

// The dialects.
const (
	Swagger2 Dialect = iota // "swagger": "2.0"
	OpenAPI30
	OpenAPI31 // and later: JSON Schema 2020-12
)

// Skipped is an operation that cannot be offered.
type Skipped struct {
	Method, Path, ID string
	Reason           string
}

// Load reads a document.
func Load(ctx context.Context, source Source) (*Document, error) {
	d := &Document{base: source.Base(), files: map[string]*file{}, lost: map[string]error{}}
	sums, err := d.readFiles(ctx, source)
	if err != nil {
		return nil, err
	}
	d.Sum = sum(sums)
	d.entry = d.files[source.Entry()]
	if d.Dialect, err = d.dialect(); err != nil {
		return nil, err
	}
	info, _ := d.field("info").Resolve() // one that leads nowhere is an empty one
	d.Title, d.Version, d.Description = info.Get("title").text(), literal(info.Get("version")), info.Get("description").text()
	d.Security = d.schemes()
	d.readOperations()
	return d, nil
}

// readFiles reads the first file and all that is referred to, and returns their hashes by name.
func (d *Document) readFiles(ctx context.Context, source Source) (map[string]string, error) {
	sums := map[string]string{}
	queue := []string{source.Entry()}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if d.files[name] != nil || d.lost[name] != nil {
			continue
		}
		if len(sums) == maxFiles {
			return nil, fmt.Errorf("the document has more than %d files", maxFiles)
		}
		f, text, err := d.readFile(ctx, source, name)
		if err != nil && (name == source.Entry() || ctx.Err() != nil) {
			return nil, err
		}
		if err != nil {
			d.lost[name] = err
			continue
		}
		d.files[name] = f
		hash := sha256.Sum256(text)
		sums[name] = hex.EncodeToString(hash[:])
		f.references(func(other string) bool {
			queue = append(queue, other)
			return true
		})
	}
	return sums, nil
}

func (d *Document) readFile(ctx context.Context, source Source, name string) (*file, []byte, error) {
	text, err := source.Read(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	root, err := parse(name, text)
	if err != nil {
		return nil, nil, err
	}
	return &file{document: d, name: name, root: root, objects: map[string]map[string]raw.Value{}}, text, nil
}

// sum is the hash of a document by those of its files.
func sum(files map[string]string) string {
	var list bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if len(files) == 1 {
			return files[name]
		}
		fmt.Fprintf(&list, "%s  %s\n", files[name], name)
	}
	hash := sha256.Sum256(list.Bytes())
	return hex.EncodeToString(hash[:])
}

// field returns a field of the document's root, whose members are found once:
// it is a look through the whole text.
func (d *Document) field(name string) Value {
	return Value{d.entry, d.entry.members("", d.entry.root)[name]}
}

// dialect reads the version.
func (d *Document) dialect() (Dialect, error) {
	version := d.field("openapi").Text()
	switch {
	case d.field("swagger").Text() == "2.0":
		return Swagger2, nil
	case version == "3.0" || strings.HasPrefix(version, "3.0."):
		return OpenAPI30, nil
	case strings.HasPrefix(version, "3.1"), strings.HasPrefix(version, "3.2"):
		return OpenAPI31, nil
	case version != "":
		return 0, fmt.Errorf("version %s of OpenAPI is not known here; 2.0, 3.0, 3.1 and 3.2 are", version)
	case d.field("swagger").Exists():
		return 0, fmt.Errorf("version %s of Swagger is not known here; 2.0 is", d.field("swagger").Raw())
	}
	return 0, errors.New(`it is no OpenAPI document: it has neither "openapi" nor "swagger"`)
}

// at returns what a reference leads to.
func (d *Document) at(ref Ref) (Value, error) {
	name, pointer, _ := strings.Cut(string(ref), "#")
	f := d.files[name]
	if f == nil {
		if err := d.lost[name]; err != nil {
			return Value{}, fmt.Errorf("the file %s cannot be read: %w", name, err)
		}
		return Value{}, fmt.Errorf("the file %s is not part of the document", name)
	}
	n := f.at(pointer)
	if n == nil {
		return Value{}, fmt.Errorf("the reference %s leads nowhere", strings.TrimPrefix(string(ref), d.entry.name))
	}
	return Value{f, n}, nil
}
