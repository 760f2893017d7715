// Which open pull requests fix a bug, and have only checks that pass?
export default async function ({ owner, repo }) {
  const bugs = await github.list_issues({ owner, repo, labels: ["bug"] });
  const numbers = new Set(bugs.items.map((issue) => issue.number));

  const pulls = await github.list_pull_requests({ owner, repo });
  const fixing = pulls.items.filter((pull) => fixes(pull.body).some((number) => numbers.has(number)));

  const checked = await Promise.all(
    fixing.map(async (pull) => {
      const { state } = await github.list_checks({ owner, repo, ref: pull.head_sha });
      return { number: pull.number, title: pull.title, state };
    }),
  );
  return checked.filter((pull) => pull.state === "success");
}

// The issues that a pull request says it fixes.
function fixes(body) {
  return [...body.matchAll(/\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?)\s+#(\d+)/gi)].map((match) => Number(match[1]));
}
