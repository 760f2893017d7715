package worker

import (
	"testing"

	"github.com/codemode-go/codemode/core/sandbox"
)

// everything uses what is loaded when it is first used: the prelude's parts, time zones, locales, Go's own tables.
const everything = `
	console.log("%s", [1], new Map([[1, new Set([2])]]), new Error("x").message); console.table([{ a: 1 }]); console.dir({ a: { b: 1 } });
	const at = new Date(Date.UTC(2024, 6, 1, 12));
	const zones = ["UTC", "Asia/Tokyo", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Cairo"]
		.map((timeZone) => at.toLocaleString("en-US", { timeZone, timeZoneName: "short" }));
	const locales = ["en-US", "de-DE", "fr-FR", "en-GB", "ja-JP"].map((l) => { try { return (1234567.891).toLocaleString(l) } catch (e) { return e.name } });
	const stepped = await codemode.step("s", () => Math.random());
	const read = await files.read({ bytes: new Uint8Array([1, 2]), big: 12n });
	return [
		zones, locales, new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(5),
		["b", "a", "C"].sort((a, b) => a.localeCompare(b)), new Intl.PluralRules("en-US").select(2),
		at.toString(), new Date("2024-02-30T00:00:00Z").getTime(), Date.parse("Tue, 02 Jan 2024 03:04:05 GMT"),
		new URL("../c?d=1#e", "https://bücher.example/a/b").href, [...new URLSearchParams("a=1&b=2")],
		new TextDecoder().decode(new TextEncoder().encode("é€😀")), atob(btoa("abc")), structuredClone({ a: new Map([[1, 2]]) }).a.get(1),
		"aÄß日".replace(/\p{L}/gu, "-"), /(?<=a)b(?=c)/.test("abc"), "e\u0301".normalize("NFC").length, "ǆ".toUpperCase(),
		[1, 2, 3].values().map((x) => x * 2).toArray(), Object.groupBy([1, 2, 3], (x) => x % 2 ? "odd" : "even"), await Array.fromAsync([1, 2]),
		new AbortController().signal.aborted, crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(2))], performance.now(), Math.random(),
		String(2n ** 200n), parseFloat("1e-7"), (0.1).toFixed(20), JSON.parse('{"a":[1,{"__proto__":2}]}'), encodeURIComponent("ü/"), escape("ü"),
		await new Promise((r) => queueMicrotask(() => r("micro"))), (() => { try { null.x } catch (e) { return e.message } })(), stepped, read,
	]`

// TestEverythingWorksBehindTheWalls: a child has no files to load anything from, and says the same as this process.
func TestEverythingWorksBehindTheWalls(t *testing.T) {
	p := open(t, Options{RequireWalls: fullWalls(t)})
	want := completeSteps(t, begin(t, sandbox.New(), everything))
	for range 2 {
		got := completeSteps(t, begin(t, p, everything))
		if value(t, got) != value(t, want) {
			t.Errorf("in a child:\n%s\nin this process:\n%s", value(t, got), value(t, want))
		}
	}
	if value(t, want)[0] != '[' {
		t.Errorf("got %s", value(t, want))
	}
}

// completeSteps runs a session to its end; every call is answered with its arguments, every step with its value.
func completeSteps(t testing.TB, s sandbox.Session) sandbox.Turn {
	t.Helper()
	var next []sandbox.Completion
	for {
		turn, err := s.Resume(t.Context(), next)
		if err != nil {
			t.Fatalf("Resume: %v", err)
		}
		if turn.Result != nil || turn.Exceeded != nil {
			return turn
		}
		next = nil
		for _, c := range turn.Calls {
			if c.Method != sandbox.MethodStep {
				next = append(next, sandbox.Completion{Seq: c.Seq, Connector: c.Connector, Method: c.Method, At: epoch, Value: c.Args})
			}
		}
		for _, r := range turn.Steps {
			next = append(next, sandbox.Completion{Seq: r.Seq, Connector: sandbox.Platform, Method: sandbox.MethodStep, At: epoch, Value: r.Value})
		}
	}
}
