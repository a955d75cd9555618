// Adds up the tiers' results, names what was skipped or needed a second try, and fails on failures, on skips and on a tier that ran
// nothing. With `--failed FILE`, prints the test files that failed in one tier's results, for that second try.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
}

const [first = ".", second] = process.argv.slice(2);
if (first === "--failed" && second !== undefined) {
  for (const { name } of read(second).filter(isBad)) console.log(name);
} else {
  count(first);
}

function count(folder: string): void {
  const tiers = readdirSync(folder).filter((file) => /^[^.]+\.json$/.test(file));
  const total = { passed: 0, failed: tiers.length === 0 ? 1 : 0, skipped: 0 };
  for (const tier of tiers) {
    const results = latest(folder, tier);
    let ran = 0;
    for (const file of results) {
      const bad = file.assertionResults.filter(({ status }) => status === "failed");
      const good = file.assertionResults.filter(({ status }) => status === "passed");
      ran += good.length;
      total.passed += good.length;
      total.failed += isBad(file) ? Math.max(1, bad.length) : 0;
      for (const { fullName, status } of file.assertionResults) {
        if (status === "passed" || status === "failed") continue;
        total.skipped += 1;
        console.log(`${status}: ${tier} ${file.name} ${fullName}`);
      }
    }
    if (ran === 0) total.failed += 1;
  }
  process.exitCode = total.failed > 0 || total.skipped > 0 ? 1 : 0;
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
}

/** The results of a tier; where files were run a second time, those. */
function latest(folder: string, tier: string): TestFile[] {
  const again = join(folder, tier.replace(".json", ".again.json"));
  const results = read(join(folder, tier));
  if (!existsSync(again)) return results;
  const retried = new Map(read(again).map((file) => [file.name, file]));
  return results.map((file) => {
    const later = retried.get(file.name);
    if (!later) return file;
    const names = file.assertionResults
      .filter(({ status }) => status === "failed")
      .map(({ fullName }) => fullName);
    console.log(
      `second try: ${tier} ${file.name}: ${names.join("; ") || "the file itself"}: ${later.status}`,
    );
    return later;
  });
}

function isBad({ status, assertionResults }: TestFile): boolean {
  return status === "failed" || assertionResults.some((one) => one.status === "failed");
}

function read(path: string): TestFile[] {
  const results: { readonly testResults: TestFile[] } = JSON.parse(readFileSync(path, "utf8"));
  return results.testResults;
}
