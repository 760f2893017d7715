// Which open pull requests fix a bug and have only checks that pass?
const bugs = new Set((await tracker.list_issues({ label: "bug" })).map((i) => i.number));
const pulls = await tracker.list_pull_requests({ state: "open" });

const green = await Promise.all(
  pulls
    .filter((p) => p.fixes.some((n) => bugs.has(n)))
    .map(async (p) => {
      const checks = await tracker.list_checks({ number: p.number });
      return { number: p.number, title: p.title, green: checks.every((c) => c.status === "passed") };
    }),
);

green.filter((p) => p.green);
