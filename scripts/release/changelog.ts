const groups = { added: "Added", changed: "Changed", fixed: "Fixed", removed: "Removed" } as const;
type Group = keyof typeof groups;

/** One change for users, as a file of changes/unreleased has it. */
export interface Fragment {
  readonly file: string;
  readonly group: Group;
  readonly title: string;
  /** The paragraph below; empty when the title says it all. */
  readonly text: string;
}

/** Reads a fragment: `added: one sentence`, an empty line, a short text. Throws with the reason when it is none. */
export function readFragment(file: string, content: string): Fragment {
  const [first = "", second = "", ...rest] = content.trimEnd().split("\n");
  const [, group, title] = /^(added|changed|fixed|removed): (\S.*)$/.exec(first) ?? [];
  if (group === undefined || title === undefined) {
    throw new Error(`${file}: the first line is not "added|changed|fixed|removed: one sentence"`);
  }
  if (second !== "") throw new Error(`${file}: the second line is not empty`);
  const text = rest.join("\n").trim();
  if (/^#/m.test(text)) throw new Error(`${file}: a heading does not belong into a fragment`);
  return { file, group: group as Group, title, text }; // the pattern has these words alone
}

/** The section of a version: changes by group, in the order of their files. */
export function section(version: string, date: string, fragments: readonly Fragment[]): string {
  const parts = Object.entries(groups).flatMap(([group, title]) => {
    const own = fragments.filter((one) => one.group === group).toSorted((a, b) => (a.file < b.file ? -1 : 1));
    if (own.length === 0) return [];
    return [`### ${title}\n\n${own.map(entry).join("\n")}\n`];
  });
  return `## ${version} (${date})\n\n${parts.join("\n")}`;
}

/** A text of our own line width is one paragraph; one with lists or blocks keeps its lines. */
function entry({ title, text }: Fragment): string {
  const lead = `- **${title[0]?.toUpperCase()}${title.slice(1)}.**`;
  if (text === "") return lead;
  const isPlain = !/^(\s*[-*|] |\s*\d+\. |```)/m.test(text);
  const body = isPlain
    ? ` ${text.replaceAll(/\n(?!\n)/g, " ")}`
    : `\n\n${text}`.replaceAll(/\n(?=.)/g, "\n  ");
  return `${lead}${body}`;
}

/** The changelog with a section put on top of the earlier ones; that of the same version is replaced. */
export function withSection(changelog: string, version: string, made: string): string {
  const [intro = "", ...earlier] = changelog.split(/^(?=## )/m);
  const others = earlier.filter((one) => !one.startsWith(`## ${version} `));
  return [`${intro.trimEnd()}\n`, `${made.trimEnd()}\n`, ...others.map((one) => `${one.trimEnd()}\n`)].join(
    "\n",
  );
}
