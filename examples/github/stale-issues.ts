// Label issues that nobody has touched for a year, and say so to whoever opened
// them. All of it is asked for in one go: one approval covers the batch.
interface Input {
  owner: string;
  repo: string;
  days?: number;
}

export default async function ({ owner, repo, days = 365 }: Input) {
  const limit = Date.now() - days * 24 * 3600 * 1000;
  const open = await github.list_issues({ owner, repo, sort: "updated", direction: "asc", limit: 1000 });
  const stale = open.items.filter((issue) => Date.parse(issue.updated_at) < limit && !issue.labels.includes("stale"));
  console.log(`${stale.length} of ${open.items.length} open issues are stale`);

  await Promise.all(
    stale.flatMap((issue) => [
      github.add_labels({ owner, repo, number: issue.number, labels: ["stale"] }),
      github.create_issue_comment({
        owner,
        repo,
        number: issue.number,
        body: `@${issue.author}, nothing has happened here for ${days} days. Does it still matter?`,
      }),
    ]),
  );
  return stale.map((issue) => issue.number);
}
