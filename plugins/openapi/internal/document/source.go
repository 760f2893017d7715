package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// maxFile bounds one file of a document.
const maxFile = 64 << 20

// Source is where the files of one document come from.
type Source interface {
	// Entry is the name of the first file.
	Entry() string
	// Base is what a URL of a file begins with, before its name; "" if files have none.
	Base() string
	// Read returns a file, or an error if there is none or it lies elsewhere.
	Read(ctx context.Context, name string) ([]byte, error)
}

// Folder returns the source of a document in the file system. References
// reach what lies in its first file's folder and below, and nothing else.
func Folder(entry string) Source {
	return folder{dir: filepath.Dir(entry), entry: filepath.Base(entry)}
}

type folder struct{ dir, entry string }

func (f folder) Entry() string { return f.entry }
func (f folder) Base() string  { return "" }

// Read reads through os.Root: neither ".." nor a symbolic link leads out.
func (f folder) Read(_ context.Context, name string) (text []byte, err error) {
	if strings.Contains(name, "://") {
		return nil, errors.New("references to other servers are not followed")
	}
	root, err := os.OpenRoot(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s", f.dir)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	file, err := root.Open(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s", filepath.Join(f.dir, filepath.FromSlash(name)))
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return readAll(file, info.Size())
}

// Origin returns the source of a document on the web. References reach what
// has the same origin, and nothing else. The client decides on redirects and time.
func Origin(entry *url.URL, client *http.Client) Source {
	base := entry.Scheme + "://" + entry.Host + "/"
	return origin{base: base, entry: strings.TrimPrefix(entry.RequestURI(), "/"), client: client}
}

type origin struct {
	base, entry string
	client      *http.Client
}

func (o origin) Entry() string { return o.entry }
func (o origin) Base() string  { return o.base }

func (o origin) Read(ctx context.Context, name string) (text []byte, err error) {
	if strings.Contains(name, "://") {
		return nil, errors.New("references to other servers are not followed")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.base+name, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json, application/yaml, text/yaml, */*;q=0.1")
	response, err := o.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", response.Status)
	}
	return readAll(response.Body, response.ContentLength)
}

// readAll reads a file whose size is known, or -1. A buffer that has to grow
// would take several times the file.
func readAll(r io.Reader, size int64) ([]byte, error) {
	var text bytes.Buffer
	text.Grow(int(min(max(size, 0), maxFile)) + bytes.MinRead)
	n, err := text.ReadFrom(io.LimitReader(r, maxFile+1))
	if err == nil && n > maxFile {
		err = fmt.Errorf("the file has more than %d bytes", maxFile)
	}
	return text.Bytes(), err
}
