package plugin

import (
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	goplugin "github.com/hashicorp/go-plugin"
)

// terms are what a handshake line has to agree with.
type terms struct {
	versions []int  // protocol versions that the host speaks
	dir      string // the private folder that the socket must lie in
	mtls     bool
	hider    hider
}

// accept checks the line by which a connector says that it is ready,
// CORE|VERSION|NETWORK|ADDRESS|PROTOCOL|CERTIFICATE, and returns the same in a
// form that go-plugin cannot stumble over: it dereferences a nil pointer when
// it gets a certificate that it did not ask for. Errors are sentences for an operator.
func (t terms) accept(line string) (string, error) {
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 4 {
		return "", fmt.Errorf("it wrote %s on stdout where the handshake belongs: it is no connector, or it prints before it serves", t.excerpt(line))
	}
	if parts[0] != strconv.Itoa(goplugin.CoreProtocolVersion) {
		return "", fmt.Errorf("it speaks version %s of the plugin handshake, and this host version %d", t.excerpt(parts[0]), goplugin.CoreProtocolVersion)
	}
	if err := t.checkVersion(parts[1]); err != nil {
		return "", err
	}
	if err := t.checkAddress(parts[2], parts[3]); err != nil {
		return "", err
	}
	if len(parts) < 5 || parts[4] != string(goplugin.ProtocolGRPC) {
		return "", fmt.Errorf("it does not serve gRPC, which is the only protocol of connectors")
	}
	certificate := ""
	if t.mtls {
		if len(parts) < 6 || checkCertificate(parts[5]) != nil {
			return "", fmt.Errorf("it offers no certificate for mutual TLS; if it cannot speak it, set mtls = false for this connector")
		}
		certificate = parts[5]
	}
	return strings.Join([]string{parts[0], parts[1], parts[2], parts[3], parts[4], certificate}, "|"), nil
}

func (t terms) checkVersion(text string) error {
	version, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("it names %s as its protocol version, which is no number", t.excerpt(text))
	}
	if !slices.Contains(t.versions, version) {
		return fmt.Errorf("it speaks version %d of the connector protocol, and this host %v: one of the two is too old", version, t.versions)
	}
	return nil
}

// checkAddress holds a connector to the folder that only the host's user can
// enter; without mutual TLS anyone could speak to a connector on a TCP port.
func (t terms) checkAddress(network, address string) error {
	if network != "unix" || filepath.Dir(filepath.Clean(address)) != t.dir {
		return fmt.Errorf("it listens on %s, not on a Unix socket in the folder that PLUGIN_UNIX_SOCKET_DIR names", t.excerpt(network+" "+address))
	}
	return nil
}

func checkCertificate(text string) error {
	der, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	_, err = x509.ParseCertificate(der)
	return err
}

// excerpt quotes the beginning of a text of the connector's. Secrets go first:
// the beginning of one is not found any more.
func (t terms) excerpt(text string) string {
	const most = 120
	text = t.hider.text(text)
	if len(text) > most {
		return strconv.Quote(text[:most]) + "..."
	}
	return strconv.Quote(text)
}
