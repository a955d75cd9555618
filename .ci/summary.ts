// What the results of the tiers come to: the files that took longest, what was skipped and why, and the counts.

/** A test file, as vitest's JSON reporter tells of it. */
export interface TestFile {
  readonly name: string;
  readonly status: string;
  /** In milliseconds. */
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
}

export interface Tier {
  readonly name: string;
  /** What it ran; undefined when it ended without results. */
  readonly files: readonly TestFile[] | undefined;
}

export interface Summary {
  /** Files in the order of what they took, the longest first. */
  readonly slowest: readonly string[];
  /** The tests that did not run; their names say why. */
  readonly skipped: readonly string[];
  readonly failed: readonly string[];
  /** The last line. */
  readonly counts: string;
  readonly good: boolean;
}

const shown = 20;

/** Adds up the tiers. Whatever failed, was skipped, or ran nothing where something was to run makes the whole no good one. */
export function summarize(tiers: readonly Tier[]): Summary {
  const files = tiers.flatMap(({ name, files = [] }) => files.map((file) => ({ tier: name, file })));
  const tests = files.flatMap(({ tier, file }) =>
    file.assertionResults.map(({ fullName, status }) => ({
      status,
      line: `${tier} ${file.name}: ${fullName}`,
    })),
  );
  const passed = tests.filter(({ status }) => status === "passed").length;
  const skipped = tests.filter(({ status }) => status !== "passed" && status !== "failed");
  const failed = [
    ...tests.filter(({ status }) => status === "failed").map(({ line }) => line),
    ...files
      .filter(({ file }) => file.status === "failed" && !file.assertionResults.some(isFailed))
      .map(({ tier, file }) => `${tier} ${file.name}: the file itself`),
    ...tiers.filter(ranNothing).map(({ name }) => `${name}: no test ran`),
    ...(tiers.length === 0 ? ["no tier ran"] : []),
  ];
  return {
    slowest: files
      .toSorted((a, b) => took(b.file) - took(a.file))
      .slice(0, shown)
      .map(({ tier, file }) => `${(took(file) / 1000).toFixed(1).padStart(7)} s  ${tier} ${file.name}`),
    skipped: skipped.map(({ status, line }) => `${line} (${status})`),
    failed,
    counts: `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
    good: failed.length === 0 && skipped.length === 0,
  };
}

const isFailed = ({ status }: { readonly status: string }) => status === "failed";
const took = ({ startTime, endTime }: TestFile) => endTime - startTime;
const ranNothing = ({ files = [] }: Tier) =>
  !files.some(({ assertionResults }) => assertionResults.some(({ status }) => status === "passed"));
