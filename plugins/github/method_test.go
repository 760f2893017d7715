package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/codemode-go/codemode/plugin/sdk"
)

// TestLookTwice: that something has not happened is believed only a while later.
func TestLookTwice(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tests := map[string]struct {
		answers []sdk.Answer
		want    sdk.Answer
		waited  time.Duration
	}{
		"it has":         {[]sdk.Answer{sdk.Yes}, sdk.Yes, 0},
		"nobody knows":   {[]sdk.Answer{sdk.Unknown}, sdk.Unknown, 0},
		"it shows later": {[]sdk.Answer{sdk.No, sdk.Yes}, sdk.Yes, time.Second},
		"it has not":     {[]sdk.Answer{sdk.No, sdk.No}, sdk.No, time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				began := time.Now()
				got, err := lookTwice(time.Second, func(context.Context, int) (sdk.Happened[int], error) {
					asked++
					return sdk.Happened[int]{Answer: test.answers[asked-1]}, nil
				})(t.Context(), 0)
				if err != nil || got.Answer != test.want || asked != len(test.answers) || time.Since(began) != test.waited {
					t.Errorf("%v, %v, asked %d times in %v", got.Answer, err, asked, time.Since(began))
				}
			})
		})
	}
	look := func(context.Context, int) (sdk.Happened[int], error) { return sdk.Happened[int]{}, broken }
	if _, err := lookTwice(time.Hour, look)(t.Context(), 0); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	no := func(context.Context, int) (sdk.Happened[int], error) { return sdk.Happened[int]{Answer: sdk.No}, nil }
	if got, err := lookTwice(time.Hour, no)(ended, 0); !errors.Is(err, context.Canceled) || got.Answer == sdk.No {
		t.Errorf("got %v, %v", got.Answer, err)
	}
}
