// Writes docs/decisions/README.md: every decision by number and title.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../docs/decisions");

/** A record of a decision: the number and the name of its file, and its first line. */
export interface Decision {
  readonly file: string;
  readonly head: string;
}

/** The records in a folder, in order. */
export function decisionsIn(path: string = folder): Decision[] {
  return readdirSync(path)
    .filter((file) => file !== "README.md")
    .toSorted()
    .map((file) => ({ file, head: readFileSync(join(path, file), "utf8").split("\n")[0] ?? "" }));
}

/** What is wrong with the names and first lines of records. */
export function faultsOf(decisions: readonly Decision[]): string[] {
  const seen = new Map<string, string>();
  return decisions.flatMap(({ file, head }) => {
    const number = /^(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1];
    if (number === undefined) return [`${file} is not named NNNN-title.md`];
    const other = seen.get(number);
    seen.set(number, file);
    if (other !== undefined) return [`${file} has the number of ${other}`];
    return titleOf(head)?.number === number ? [] : [`${file} does not begin with "# ${number} Title"`];
  });
}

/** The index, as Markdown. */
export function indexOf(decisions: readonly Decision[]): string {
  const lines = decisions.map(({ file, head }) => {
    const { number = "", title = "" } = titleOf(head) ?? {};
    return `- [${number}](${file}) ${title}`;
  });
  return `# Decisions

What cost an argument: the context, what was decided, and its price. Numbers are given once. \`npm run gen\` writes this page.

${lines.join("\n")}
`;
}

function titleOf(head: string): { readonly number: string; readonly title: string } | undefined {
  const [, number, title] = /^# (\d{4}):? (.+)$/.exec(head) ?? [];
  return number === undefined || title === undefined ? undefined : { number, title };
}

if (import.meta.main) writeFileSync(join(folder, "README.md"), indexOf(decisionsIn()));
