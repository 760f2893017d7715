// Label issues that nobody has touched for 90 days, ask their authors, and close them.
// The label needs nobody's approval; the comments and the closing do: they are asked for together.
interface Issue {
  number: number;
  title: string;
  author: string;
  updated: string;
}

const limit = Date.now() - 90 * 24 * 3600 * 1000;
const open: Issue[] = await tracker.list_issues({ state: "open" });
const stale = open.filter((i) => Date.parse(i.updated) < limit);
console.log(`${stale.length} of ${open.length} open issues are stale`);

await Promise.all(stale.map((i) => tracker.add_labels({ number: i.number, labels: ["stale"] })));

const closed = await Promise.all(
  stale.map(async (i) => {
    const [, issue] = await Promise.all([
      tracker.add_comment({ number: i.number, text: `Closed for lack of activity. @${i.author}, reopen it if it still matters.` }),
      tracker.update_issue({ number: i.number, state: "closed" }),
    ]);
    return { number: issue.number, title: issue.title, state: issue.state };
  }),
);

return closed;
