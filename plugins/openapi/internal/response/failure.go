package response

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugins/openapi/internal/raw"
)

// Failed reports whether the answer is an error: what was not redirected, too.
func (a *Answer) Failed() bool { return a.Status < 200 || a.Status > 299 }

// Failure returns the error that an answer is, with the body in its details.
func (a *Answer) Failure(readOnly bool, now time.Time) *sdk.Error {
	code, retryable := a.classify()
	e := sdk.Errorf(code, "HTTP %d %s", a.Status, http.StatusText(a.Status))
	if said := a.message(); said != "" {
		e.Message += ": " + said
	}
	if scopes := a.missingScopes(); scopes != "" {
		e.Message += " (" + scopes + ")"
	}
	e.Retryable = retryable
	e.RetryAfter = a.retryAfter(now)
	if a.Status == http.StatusRequestTimeout || a.Status == http.StatusTooEarly {
		e.Effect = sdk.EffectNone // the server has not seen the whole request, or refuses to act on it
	}
	if !readOnly && (a.Status >= 500 && code != sdk.Unsupported || a.Status < 400) {
		e.Effect = sdk.EffectUnknown
	}
	e.Details = a.details()
	return e
}

// classify returns the code of a status, and whether the same call may succeed later.
func (a *Answer) classify() (code sdk.Code, retryable bool) {
	switch a.Status {
	case 401:
		return sdk.Unauthenticated, false
	case 403:
		if a.Header.Get("X-Ratelimit-Remaining") == "0" || a.Header.Get("Retry-After") != "" {
			return sdk.RateLimited, true
		}
		return sdk.PermissionDenied, false
	case 404, 410:
		return sdk.NotFound, false
	case 409, 412, 423:
		return sdk.Conflict, false
	case 408, 425:
		return sdk.Unavailable, true
	case 429:
		return sdk.RateLimited, true
	case 501, 505:
		return sdk.Unsupported, false
	case 502, 503, 504:
		return sdk.Unavailable, true
	}
	if a.Status >= 400 && a.Status < 500 {
		return sdk.InvalidArgument, false
	}
	return sdk.Internal, false
}

// retryAfter reads when a retry can help: Retry-After, or the reset of a limit that is used up.
func (a *Answer) retryAfter(now time.Time) time.Duration {
	text := a.Header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	if a.Header.Get("X-Ratelimit-Remaining") == "0" {
		if reset, err := strconv.ParseInt(a.Header.Get("X-Ratelimit-Reset"), 10, 64); err == nil {
			return max(time.Unix(reset, 0).Sub(now), 0)
		}
	}
	return 0
}

// missingScopes says what a token lacks, as RFC 6750 and GitHub tell it.
func (a *Answer) missingScopes() string {
	if a.Status != http.StatusForbidden && a.Status != http.StatusUnauthorized {
		return ""
	}
	challenge := a.Header.Get("WWW-Authenticate")
	if strings.Contains(challenge, "insufficient_scope") {
		if _, rest, found := strings.Cut(challenge, `scope="`); found {
			scope, _, _ := strings.Cut(rest, `"`)
			return "the configured credentials lack the scope " + scope
		}
		return "the configured credentials lack a scope"
	}
	if needed := a.Header.Get("X-Accepted-Oauth-Scopes"); needed != "" {
		return "one of these scopes is needed: " + needed
	}
	return ""
}

// longest bounds what an error repeats of a body.
const (
	longestMessage = 500
	longestDetails = 16 << 10
)

// message returns what the body says went wrong: problem details, and the shapes that other APIs use.
func (a *Answer) message() string {
	body := raw.Value(bytes.TrimSpace(a.Body))
	if !json.Valid(body) {
		if media := a.Header.Get("Content-Type"); strings.HasPrefix(media, "text/plain") {
			return bounded(string(body))
		}
		return ""
	}
	return bounded(said(body, 0))
}

// said looks for the words in an error body.
func said(v raw.Value, depth int) string {
	const deepest = 3
	if depth > deepest {
		return ""
	}
	var parts []string
	for _, name := range []string{"title", "detail", "message", "error_description", "error_message", "error", "description", "errors"} {
		member := v.Get(name)
		text := member.Text()
		if text == "" && member.Kind() == '[' {
			for item := range member.Items() {
				text = item.Text() + said(item, depth+1)
				break // the details have them all
			}
		} else if text == "" {
			text = said(member, depth+1)
		}
		if text != "" && !strings.Contains(strings.Join(parts, ": "), text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ": ")
}

func bounded(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > longestMessage {
		return strings.ToValidUTF8(text[:longestMessage], "") + "..."
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// details are the status and, unless it is too large, the body.
func (a *Answer) details() json.RawMessage {
	body := a.Value()
	if len(body) > longestDetails {
		body = quote(fmt.Sprintf("left out: %d bytes", len(a.Body)))
	}
	return fmt.Appendf(nil, `{"status":%d,"body":%s}`, a.Status, body)
}
