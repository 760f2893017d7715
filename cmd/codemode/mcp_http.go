package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/codemode-go/codemode/control"
	"github.com/codemode-go/codemode/mcpserver"
)

// mcpPath is where MCP is spoken over HTTP.
const mcpPath = "/mcp"

// partingTime is how long answers that are written already may take to reach their clients.
const partingTime = time.Second

// checkAddress refuses to offer a host to other machines without a token.
func (f mcpFlags) checkAddress() error {
	if f.address == "" {
		if f.tokenFile != "" {
			return errors.New("--token-file is for --http")
		}
		return nil
	}
	host, _, err := net.SplitHostPort(f.address)
	if err != nil {
		return fmt.Errorf("--http %q: it takes HOST:PORT", f.address)
	}
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) && f.tokenFile == "" {
		return fmt.Errorf("--http %s: other machines could connect, and whoever can connect can run programs; use 127.0.0.1, or give a --token-file", f.address)
	}
	return nil
}

// serveHTTP serves clients over HTTP until ctx ends.
func (a *app) serveHTTP(ctx context.Context, f mcpFlags, st *station, server *mcpserver.Server) (err error) {
	defer func() {
		st.close(ctx)
		err = errors.Join(err, server.Close())
	}()
	handler := server.Handler()
	if f.tokenFile != "" {
		token, err := control.ReadSecret(f.tokenFile)
		if err != nil {
			return fmt.Errorf("--token-file: %w", err)
		}
		handler = auth.RequireBearerToken(holdsToken(token), nil)(handler)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", f.address)
	if err != nil {
		return fmt.Errorf("serve MCP: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle(mcpPath, handler)
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	a.say(fmt.Sprintf("Serving MCP at http://%s%s", l.Addr(), mcpPath))
	select {
	case err := <-ended:
		return fmt.Errorf("serve MCP: %w", err)
	case <-ctx.Done():
	}
	timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), partingTime)
	defer cancel()
	if web.Shutdown(timed) != nil {
		err = web.Close() // streams stay open as long as their clients want
	}
	<-ended
	return err
}

// holdsToken admits whoever has the token. Comparing takes a time that does not tell where two tokens differ.
func holdsToken(want string) auth.TokenVerifier {
	sum := sha256.Sum256([]byte(want))
	return func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		given := sha256.Sum256([]byte(token))
		if subtle.ConstantTimeCompare(given[:], sum[:]) != 1 {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{Expiration: time.Now().Add(time.Hour)}, nil
	}
}
