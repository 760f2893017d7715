package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v93/github"

	"github.com/codemode-go/codemode/plugin/sdk"
	"github.com/codemode-go/codemode/plugin/wire"
	"github.com/codemode-go/codemode/plugins/github/internal/transport"
)

// failure makes an error one of the SDK's, with what is known of the effect.
// What is no error of GitHub or of the way there passes unchanged.
func failure(err error) error {
	if err == nil {
		return nil
	}
	if _, ours := errors.AsType[*sdk.Error](err); ours {
		return err
	}
	// A request that could not even get its token is not one that GitHub refused.
	if unsent, ok := errors.AsType[*transport.NotSentError](err); ok {
		return notSent(unsent)
	}
	if limit, ok := errors.AsType[*github.RateLimitError](err); ok {
		return limited(limit.Message, time.Until(limit.Rate.Reset.Time))
	}
	if limit, ok := errors.AsType[*github.AbuseRateLimitError](err); ok {
		return limited(limit.Message, cmp.Or(limit.GetRetryAfter(), usualWait))
	}
	if refusal, ok := errors.AsType[*github.ErrorResponse](err); ok {
		return answered(refusal)
	}
	if errors.Is(err, github.ErrPathForbidden) {
		return sdk.Errorf(sdk.InvalidArgument, "a path or a name must not have .. as a part")
	}
	if broken, ok := errors.AsType[*url.Error](err); ok {
		return lost(broken)
	}
	return err
}

// notSent is the error of a request that never left.
func notSent(unsent *transport.NotSentError) error {
	e := sdk.Errorf(sdk.Unavailable, "nothing was sent to GitHub: %v", unsent.Err)
	if refusal, ok := errors.AsType[*github.ErrorResponse](unsent.Err); ok {
		e = sdk.Errorf(sdk.Unauthenticated, "GitHub gives the App no token: %s", said(refusal))
	}
	e.Effect = sdk.EffectNone
	return e
}

// usualWait is how long GitHub asks to wait when it does not say how long.
const usualWait = time.Minute

// limited is the error of a rate limit. A refused request has done nothing.
func limited(message string, wait time.Duration) error {
	wait = max(wait, time.Second).Round(time.Second)
	e := sdk.Errorf(sdk.RateLimited, "GitHub limits the rate of requests: %s Try again in %v.", message, wait)
	e.Retryable, e.RetryAfter = true, wait
	return e
}

// lost is the error of a request without an answer.
func lost(broken *url.Error) error {
	if dial, ok := errors.AsType[*net.OpError](broken.Err); ok && dial.Op == "dial" {
		e := sdk.Errorf(sdk.Unavailable, "GitHub cannot be reached: %v", broken.Err)
		e.Retryable, e.Effect = true, sdk.EffectNone
		return e
	}
	return inDoubt(isRead(broken.Op), "GitHub did not answer: %v", broken.Err)
}

// inDoubt is the error of a request of which nobody knows what became. For a
// write the code is timeout: of all codes this one has the host find out before
// the program goes on.
func inDoubt(read bool, format string, args ...any) error {
	if read {
		e := sdk.Errorf(sdk.Unavailable, format, args...)
		e.Retryable, e.Effect = true, sdk.EffectNone
		return e
	}
	e := sdk.Errorf(sdk.Timeout, format, args...)
	e.Effect = sdk.EffectUnknown
	return e
}

func isRead(method string) bool { return strings.EqualFold(method, http.MethodGet) }

// answered is the error that GitHub answered with.
func answered(refusal *github.ErrorResponse) error {
	status := refusal.Response.StatusCode
	if status >= 500 {
		read := refusal.Response.Request != nil && isRead(refusal.Response.Request.Method)
		return inDoubt(read, "GitHub is in trouble: %s", said(refusal))
	}
	e := sdk.Errorf(codeOf(refusal), "%s", said(refusal)+advice(refusal))
	e.Details = details(refusal)
	return e
}

// codes are those of the statuses that mean one thing only.
var codes = map[int]sdk.Code{
	http.StatusUnauthorized:               sdk.Unauthenticated,
	http.StatusForbidden:                  sdk.PermissionDenied,
	http.StatusNotFound:                   sdk.NotFound,
	http.StatusGone:                       sdk.NotFound,
	http.StatusMethodNotAllowed:           sdk.Conflict, // of a merge that is not possible
	http.StatusConflict:                   sdk.Conflict,
	http.StatusPreconditionFailed:         sdk.Conflict,
	http.StatusLocked:                     sdk.PermissionDenied,
	http.StatusTooManyRequests:            sdk.RateLimited,
	http.StatusUnavailableForLegalReasons: sdk.PermissionDenied,
}

func codeOf(refusal *github.ErrorResponse) sdk.Code {
	for _, e := range refusal.Errors {
		if e.Code == "already_exists" || strings.Contains(e.Message, "already exists") {
			return sdk.Conflict
		}
	}
	if strings.Contains(refusal.Message, "already exists") || strings.Contains(refusal.Message, "not a fast forward") {
		return sdk.Conflict
	}
	if strings.Contains(refusal.Message, "Reference does not exist") {
		return sdk.NotFound
	}
	if code, ok := codes[refusal.Response.StatusCode]; ok {
		return code
	}
	return sdk.InvalidArgument
}

// said is GitHub's own message, with every single fault and where to read on.
func said(refusal *github.ErrorResponse) string {
	var b strings.Builder
	fmt.Fprintf(&b, "GitHub answered %d: %s", refusal.Response.StatusCode, refusal.Message)
	for i, e := range refusal.Errors {
		b.WriteString([]string{": ", "; "}[min(i, 1)])
		b.WriteString(fault(e))
	}
	if refusal.DocumentationURL != "" {
		fmt.Fprintf(&b, " (%s)", refusal.DocumentationURL)
	}
	return b.String()
}

func fault(e github.Error) string {
	if e.Message != "" {
		return e.Message
	}
	where := strings.Trim(e.Resource+"."+e.Field, ".")
	return strings.TrimSpace(where + " " + strings.ReplaceAll(e.Code, "_", " "))
}

// advice says what the credentials lack, as far as GitHub tells.
func advice(refusal *github.ErrorResponse) string {
	if sso := refusal.Response.Header.Get("X-GitHub-SSO"); strings.HasPrefix(sso, "required") {
		return ". The token is not authorized for the organization's single sign-on; its owner can do that in the token's settings"
	}
	if missing := missingScopes(refusal.Response); len(missing) > 0 {
		return fmt.Sprintf(". The token lacks the scope %s", strings.Join(missing, " or "))
	}
	if permissions := refusal.Response.Header.Get("X-Accepted-GitHub-Permissions"); permissions != "" && isForbidden(refusal.Response) {
		return fmt.Sprintf(". The token needs the permission %s on this repository", permissions)
	}
	if refusal.Response.StatusCode == http.StatusNotFound {
		return ". GitHub says the same of what the token may not see"
	}
	return ""
}

func isForbidden(r *http.Response) bool {
	return r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusNotFound
}

// missingScopes lists the scopes of which a classic token would need one and has none.
func missingScopes(r *http.Response) []string {
	granted, classic := r.Header[http.CanonicalHeaderKey("X-OAuth-Scopes")]
	accepted := scopes(r.Header.Get("X-Accepted-OAuth-Scopes"))
	if !classic || !isForbidden(r) {
		return nil
	}
	has := scopes(strings.Join(granted, ","))
	for _, scope := range accepted {
		for _, own := range has {
			if own == scope {
				return nil
			}
		}
	}
	return accepted
}

func scopes(header string) []string {
	var list []string
	for scope := range strings.SplitSeq(header, ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			list = append(list, scope)
		}
	}
	return list
}

// details are what a program can test.
func details(refusal *github.ErrorResponse) json.RawMessage {
	d := struct {
		Status           int            `json:"status"`
		Message          string         `json:"message"`
		Errors           []github.Error `json:"errors,omitempty"`
		DocumentationURL string         `json:"documentation_url,omitempty"`
		MissingScopes    []string       `json:"missing_scopes,omitempty"`
	}{refusal.Response.StatusCode, refusal.Message, refusal.Errors, refusal.DocumentationURL, missingScopes(refusal.Response)}
	raw, err := json.Marshal(d)
	if err != nil {
		return nil
	}
	escaped, err := wire.Escape(raw)
	if err != nil {
		return nil
	}
	return escaped
}
