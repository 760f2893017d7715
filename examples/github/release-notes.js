// Draft the notes of the next release from what was committed since the last one.
export default async function ({ owner, repo, tag }) {
  const { default_branch: branch } = await github.get_repository({ owner, repo });
  const releases = await github.list_releases({ owner, repo });
  const last = releases.items.find((release) => !release.draft);
  const commits = last
    ? (await github.compare_commits({ owner, repo, base: last.tag, head: branch })).commits
    : (await github.list_commits({ owner, repo, ref: branch })).items;

  // A merge says nothing that its commits do not say.
  const lines = commits
    .filter((commit) => commit.parents.length < 2)
    .map((commit) => `- ${commit.message.split("\n")[0]} (${commit.author}, ${commit.sha.slice(0, 7)})`);
  if (lines.length === 0) return "Nothing has changed.";

  const release = await github.create_release({ owner, repo, tag, name: tag, body: lines.join("\n"), draft: true });
  return release.url;
}
