package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/codemode-go/codemode/core"
)

// Options make a [Server].
type Options struct {
	// Dir is the run folder, which belongs to one journal: run/ in the data folder.
	Dir string
	// Host is what is served; [Guard] it where decisions need a secret. The server does not close it.
	Host Host
	// Identity is the configuration that the host works under.
	Identity Identity
	// Logger receives what operators should know; nil: nobody does.
	Logger hclog.Logger
}

// Server serves a host to other processes of the same user.
type Server struct {
	host   Host
	dir    string
	holder Holder
	logger hclog.Logger
	http   *http.Server
	serve  sync.WaitGroup
	gate   gate
	runs   runs

	// ctx is of all requests but runs: for a run the end of its context means that its program is cancelled.
	ctx  context.Context
	stop context.CancelFunc
}

// Serve offers a host on a private socket, and tells of it in the run folder, until [Server.Shutdown]. Only the process
// that has the journal open may serve: what a dead one left in the folder is removed. ctx bounds the start alone.
func Serve(ctx context.Context, o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = hclog.NewNullLogger()
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("serve the journal's host: %w", err)
	}
	if err := clear(ctx, dir); err != nil {
		return nil, fmt.Errorf("serve the journal's host: %w", err)
	}
	l, path, err := listen(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("serve the journal's host: %w", err)
	}
	s := &Server{
		host: o.Host, dir: dir, logger: o.Logger,
		holder: Holder{PID: os.Getpid(), Version: Version, Socket: path, Identity: o.Identity},
	}
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.answer),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          o.Logger.StandardLogger(&hclog.StandardLoggerOptions{ForceLevel: hclog.Error}),
	}
	s.serve.Go(func() { s.listen(l) })
	if err := writeHolder(dir, s.holder); err != nil {
		return nil, errors.Join(fmt.Errorf("serve the journal's host: %w", err), s.end())
	}
	return s, nil
}

// clear makes the run folder ready: private, and without what a dead process left.
func clear(ctx context.Context, dir string) error {
	if err := privateFolder(dir); err != nil {
		return err
	}
	h, err := readHolder(dir)
	var left string
	switch {
	case errors.Is(err, ErrNoHolder):
		left = filepath.Join(dir, socketName) // one that has never been told of
	case err != nil: // unreadable: whoever wrote it serves nobody
		left = filepath.Join(dir, socketName)
	default:
		left = h.Socket
		conn, err := (&net.Dialer{Timeout: answerTime}).DialContext(ctx, "unix", h.Socket)
		if err == nil {
			return errors.Join(fmt.Errorf("process %d serves in %s already", h.PID, dir), conn.Close())
		}
	}
	return errors.Join(removeSocket(left), removeHolder(dir))
}

func (s *Server) listen(l net.Listener) {
	if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		s.logger.Error("the control socket has failed", "error", err)
	}
}

// Guests is the number of requests that are being answered.
func (s *Server) Guests() int { return s.gate.count() }

// Shutdown waits until no request is being answered, then stops serving. New requests are served while it waits. When
// ctx ends first it does not wait: programs that guests run are left to the host, whose Close ends their passes, and
// all other requests are broken off.
func (s *Server) Shutdown(ctx context.Context) error {
	drained := s.gate.close(ctx)
	return errors.Join(drained, s.end())
}

// Wait waits, after Shutdown and after the host's Close, until the last request has been given up.
func (s *Server) Wait() { s.gate.wait() }

// replyTime is how long answers that are written already may take to reach their guests.
const replyTime = time.Second

// end stops serving.
func (s *Server) end() error {
	s.stop()
	err := removeHolder(s.dir)
	ctx, cancel := context.WithTimeout(context.Background(), replyTime)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		err = errors.Join(err, s.http.Close())
	}
	s.serve.Wait()
	return errors.Join(err, removeSocket(s.holder.Socket))
}

// answer serves one request. A guest that goes away ends nothing: the context is the server's.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/"+gonePath {
		s.attend(w, r)
		return
	}
	if !s.gate.enter() {
		s.reply(w, nil, ErrNoHolder)
		return
	}
	defer s.gate.leave()
	result, err := s.handle(r)
	s.reply(w, result, err)
}

// gonePath is the request that is answered when the server stops serving. It is no work that a guest waits for, and so
// nothing waits for it.
const gonePath = "gone"

func (s *Server) attend(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, io.LimitReader(r.Body, maxBody)); err != nil { // else nobody notices that the guest goes
		return
	}
	select {
	case <-s.ctx.Done():
		s.reply(w, struct{}{}, nil)
	case <-r.Context().Done():
	}
}

func (s *Server) handle(r *http.Request) (any, error) {
	route, ok := routes[strings.TrimPrefix(r.URL.Path, "/")]
	if !ok || r.Method != http.MethodPost {
		return nil, fmt.Errorf("there is no request %s %s", r.Method, r.URL.Path)
	}
	if err := s.admit(r.Header); err != nil && !route.always {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if len(body) > maxBody {
		return nil, fmt.Errorf("the request is larger than %d bytes", maxBody)
	}
	secret, err := url.PathUnescape(r.Header.Get(headerSecret))
	if err != nil {
		return nil, errors.New("the secret's header is not well formed")
	}
	ctx := WithSecret(context.WithValue(s.ctx, requestName{}, r.Header.Get(headerRequest)), secret)
	return route.answer(ctx, s, body)
}

// admit says why a guest is not served everything.
func (s *Server) admit(header http.Header) error {
	version, _ := strconv.Atoi(header.Get(headerVersion)) // none is no version of ours
	config, err := url.PathUnescape(header.Get(headerConfig))
	if err != nil {
		config = header.Get(headerConfig)
	}
	guest := Holder{Version: version, Identity: Identity{Config: config, Fingerprint: header.Get(headerFingerprint)}}
	if guest.Version != s.holder.Version || guest.Fingerprint != s.holder.Fingerprint {
		return &MismatchError{Holder: s.holder, Guest: guest}
	}
	return nil
}

// requestName is the key of a request's name in its context.
type requestName struct{}

// run runs a guest's program. Only the guest's word cancels it: not that it went away, and not that serving ends.
func (s *Server) run(ctx context.Context, req core.RunRequest) (*core.Outcome, error) {
	name, _ := ctx.Value(requestName{}).(string)
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	if name != "" {
		s.runs.add(name, cancel)
		defer s.runs.remove(name)
	}
	return s.host.Run(ctx, req)
}

// reply writes a result, or an error.
func (s *Server) reply(w http.ResponseWriter, result any, err error) {
	status := http.StatusOK
	if err != nil {
		status, result = http.StatusInternalServerError, faultOf(err)
	}
	text, err := encode(result)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"code":"other","message":"the answer cannot be written"}`)
		s.logger.Error("an answer cannot be written", "error", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if _, err := w.Write(text); err != nil {
		s.logger.Debug("a guest went away before its answer", "error", err)
	}
}

// encode writes JSON without the escapes that are for HTML pages: arguments cross the socket as the bytes they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
