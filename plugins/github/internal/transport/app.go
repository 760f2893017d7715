package transport

import (
	"context"
	"crypto/rsa"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-github/v93/github"
)

// renewal is how long before its end an installation token is replaced, so that
// none ends on the way.
const renewal = 5 * time.Minute

// App gets the tokens of one installation of a GitHub App. It is safe for
// concurrent use.
type App struct {
	id, installation int64
	key              *rsa.PrivateKey
	client           *github.Client

	turn    chan struct{} // held by whoever looks at the token or gets one
	token   string
	expires time.Time
}

// NewApp returns the tokens of an App's installation; key is the App's private
// key in PEM form, baseURL that of the API.
func NewApp(id, installation int64, key []byte, baseURL string, base http.RoundTripper) (*App, error) {
	parsed, err := jwt.ParseRSAPrivateKeyFromPEM(key)
	if err != nil {
		return nil, fmt.Errorf("read the App's private key: %w", err)
	}
	a := &App{id: id, installation: installation, key: parsed, turn: make(chan struct{}, 1)}
	a.client, err = github.NewClient(
		github.WithURLs(&baseURL, nil),
		github.WithTransport(signed{app: a, next: base}),
	)
	return a, err
}

// Token returns the installation's token, a new one when the last is about to end.
func (a *App) Token(r *http.Request) (string, error) {
	ctx := r.Context()
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-a.turn }()
	if time.Until(a.expires) > renewal {
		return a.token, nil
	}
	return a.renew(ctx)
}

func (a *App) renew(ctx context.Context) (string, error) {
	made, _, err := a.client.Apps.CreateInstallationToken(ctx, a.installation, &github.InstallationTokenOptions{})
	if err != nil {
		return "", fmt.Errorf("get a token for installation %d of App %d: %w", a.installation, a.id, err)
	}
	a.token, a.expires = made.GetToken(), made.GetExpiresAt().Time
	return a.token, nil
}

// assertion is the JWT by which the App says who it is. GitHub accepts ten
// minutes at most; a clock that is a minute ahead of GitHub's does no harm.
func (a *App) assertion(now time.Time) (string, error) {
	return jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.RegisteredClaims{
		Issuer:    strconv.FormatInt(a.id, 10),
		IssuedAt:  jwt.NewNumericDate(now.Add(-time.Minute)),
		ExpiresAt: jwt.NewNumericDate(now.Add(8 * time.Minute)),
	}).SignedString(a.key)
}

// signed adds the App's assertion to requests.
type signed struct {
	app  *App
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (s signed) RoundTrip(r *http.Request) (*http.Response, error) {
	assertion, err := s.app.assertion(time.Now())
	if err != nil {
		return nil, fmt.Errorf("sign the App's assertion: %w", err)
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+assertion)
	return s.next.RoundTrip(r)
}
