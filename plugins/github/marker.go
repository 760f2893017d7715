package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// What a call creates carries a marker made of its idempotency key, as a comment
// that GitHub does not render. By it, a call whose outcome was lost is found.

// markers matches what marked adds.
var markers = regexp.MustCompile(`\s*<!-- codemode [0-9a-f]{32} -->\s*$`)

// marker is the marker of the call that ctx belongs to.
func marker(ctx context.Context) string {
	sum := sha256.Sum256([]byte(sdk.IdempotencyKey(ctx)))
	return "<!-- codemode " + hex.EncodeToString(sum[:16]) + " -->"
}

// marked returns a body with the call's marker at its end.
func marked(ctx context.Context, body string) string {
	if body == "" {
		return marker(ctx)
	}
	return body + "\n\n" + marker(ctx)
}

// unmarked returns a body as its author wrote it.
func unmarked(body string) string { return markers.ReplaceAllString(body, "") }

// isMarked reports whether a body is that of this call.
func isMarked(ctx context.Context, body string) bool { return strings.Contains(body, marker(ctx)) }

// creation is what is noted before something is created: how far back a look for it has to go.
type creation struct {
	Since time.Time `json:"since"`
}

// skew is how much the clocks of this machine and of GitHub may differ.
const skew = time.Hour

func noteCreation() creation { return creation{Since: time.Now().Add(-skew).UTC()} }

// find tells from what was listed whether the call of ctx has created its thing.
func find[T any](ctx context.Context, items []T, more bool, body func(T) string) sdk.Happened[T] {
	for _, item := range items {
		if isMarked(ctx, body(item)) {
			return sdk.Happened[T]{Answer: sdk.Yes, Result: item}
		}
	}
	if more {
		return sdk.Happened[T]{}
	}
	return sdk.Happened[T]{Answer: sdk.No}
}
