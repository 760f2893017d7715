// Wait until the checks of a pull request have ended, draw a reviewer, and merge it.
export default async function ({ number }) {
  for (let round = 1; round <= 10; round++) {
    const checks = await tracker.list_checks({ number });
    const open = checks.filter((c) => c.status === "pending");
    console.log(`round ${round}: ${open.length} check(s) pending`);
    if (open.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }

  // A step runs once: after an approval, days later, the same reviewer comes out.
  const reviewer = await codemode.step("draw a reviewer", async () => {
    const people = ["ada", "grace", "ken", "linus"];
    return people[Math.floor(Math.random() * people.length)];
  });

  const merged = await tracker.merge_pull_request({ number });
  return { merged: merged.title, reviewer };
}
