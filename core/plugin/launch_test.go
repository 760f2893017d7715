package plugin

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLaunchErrors: each names the connector, the path and what is wrong.
func TestLaunchErrors(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "binary")
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := map[string]struct {
		mode string
		args []string
		edit func(*testing.T, *Spec)
		want []string
	}{
		"checksum":      {mode: "connector", edit: func(_ *testing.T, s *Spec) { s.Checksum = "sha256:" + strings.Repeat("0", 64) }, want: []string{"is not the binary that the configuration pins", "expected sha256:000"}},
		"no right":      {edit: func(t *testing.T, s *Spec) { s.Plugin = write(t, "", 0o600) }, want: []string{"may not execute it"}},
		"no program":    {edit: func(t *testing.T, s *Spec) { s.Plugin = write(t, "hello", 0o700) }, want: []string{"no program for this machine"}},
		"interpreter":   {edit: func(t *testing.T, s *Spec) { s.Plugin = write(t, "#!/no/such/thing\n", 0o700) }, want: []string{"interpreter or loader"}},
		"a folder":      {edit: func(t *testing.T, s *Spec) { s.Plugin = t.TempDir() }, want: []string{"is not a file that can be run"}},
		"early end":     {mode: "failing", want: []string{"ended before it was ready: exit status 7", "  | cannot open \uFFFD[31mthe door, key is [hidden]"}},
		"early output":  {mode: "chatty", want: []string{`wrote "hello, world" on stdout`}},
		"wrong cookie":  {mode: "foreign", want: []string{"a plugin of another program"}},
		"version":       {mode: "future", want: []string{"speaks version 9 of the connector protocol, and this host [1]"}},
		"core version":  {mode: "saying", args: []string{"2|1|unix|DIR/s|grpc|"}, want: []string{`version "2" of the plugin handshake`}},
		"TCP":           {mode: "saying", args: []string{"1|1|tcp|127.0.0.1:1234|grpc|"}, want: []string{"not on a Unix socket"}},
		"folder":        {mode: "saying", args: []string{"1|1|unix|/tmp/s|grpc|"}, want: []string{"not on a Unix socket"}},
		"no listener":   {mode: "saying", args: []string{"1|1|unix|DIR/s|grpc|"}, want: []string{"cannot start"}},
		"net/rpc":       {mode: "saying", args: []string{"1|1|unix|DIR/s|netrpc|"}, want: []string{"does not serve gRPC"}},
		"no mutual TLS": {mode: "saying", args: []string{"1|1|unix|DIR/s|grpc|"}, edit: func(_ *testing.T, s *Spec) { s.NoMTLS = false }, want: []string{"mtls = false"}},
		"time-out":      {mode: "mute", edit: func(_ *testing.T, s *Spec) { s.StartTimeout = 100 * time.Millisecond }, want: []string{"not ready within 100ms"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := specOf(t, test.mode, test.args...)
			spec.Secrets = []string{"s3cret-key"}
			if test.edit != nil {
				test.edit(t, &spec)
			}
			s := supervise(t, spec)
			_, err := s.Methods(t.Context())
			if lost := lostBy(t, err); !lost.NotSent {
				t.Errorf("%v: want one that was never sent", err)
			}
			for _, part := range append(test.want, `connector "double" is not available`, spec.Plugin) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			if st := s.Status(); st.State != StateDown || st.Incarnation != 1 || st.Reason == "" {
				t.Errorf("status: %+v", st)
			}
		})
	}
}

// TestUnaskedCertificate: go-plugin 1.8.0 panics on one that it did not ask for.
func TestUnaskedCertificate(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(nil, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	s := supervise(t, specOf(t, "saying", "1|1|unix|DIR/s|grpc|"+base64.RawStdEncoding.EncodeToString(der)))
	if _, err := s.Methods(t.Context()); err == nil {
		t.Error("nothing listens, and yet it is ready")
	}
}

func TestChecksum(t *testing.T) {
	t.Parallel()
	spec := specOf(t, "connector")
	binary, err := os.ReadFile(spec.Plugin)
	if err != nil {
		t.Fatal(err)
	}
	spec.Checksum = fmt.Sprintf("sha256:%X", sha256.Sum256(binary))
	mustInvoke(t, supervise(t, spec), "echo", "")
}

func TestFind(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	want := filepath.Join(second, "codemode-connector-tracker")
	if err := os.WriteFile(want, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	host, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, plugin := range []string{"tracker", want} {
		if got, err := Find(plugin, []string{first, second}); got != want || err != nil {
			t.Errorf("Find(%q) = %q, %v", plugin, got, err)
		}
	}
	_, err = Find("other", []string{first, second})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	for _, dir := range []string{filepath.Dir(host), first, second} {
		if place := filepath.Join(dir, "codemode-connector-other"); !strings.Contains(err.Error(), place) {
			t.Errorf("%q does not name %s", err, place)
		}
	}
	if _, err := Find("./no/such", nil); err == nil || !strings.Contains(err.Error(), "/no/such") || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestBadSpec(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spec Spec
		want string
	}{
		"label":     {Spec{Plugin: "p"}, "no label"},
		"plugin":    {Spec{Label: "l"}, `connector "l": no plugin`},
		"checksum":  {Spec{Label: "l", Plugin: "p", Checksum: "md5:00"}, `checksum "md5:00" is not`},
		"short sum": {Spec{Label: "l", Plugin: "p", Checksum: "sha256:00"}, "64 hexadecimal digits"},
		"timeout":   {Spec{Label: "l", Plugin: "p", Grace: -1}, "negative"},
		"name":      {Spec{Label: "l", Plugin: "p", Env: map[string]string{"A=B": ""}}, `"A=B" is no name`},
		"value":     {Spec{Label: "l", Plugin: "p", Env: map[string]string{"A": "\x00"}}, "A holds a NUL byte"},
		"handshake": {Spec{Label: "l", Plugin: "p", Env: map[string]string{"PLUGIN_CLIENT_CERT": ""}}, "PLUGIN_CLIENT_CERT belongs to the handshake"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := New(test.spec); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
