// Adds up the results of the tiers: `count.ts FOLDER TIER...` reads FOLDER/TIER.json of each. Fails when a test failed or was skipped, and
// when a tier ran nothing.
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { summarize, type TestFile } from "./summary.ts";

const [folder = ".", ...names] = process.argv.slice(2);
const summary = summarize(names.map((name) => ({ name, files: read(join(folder, `${name}.json`)) })));
print("the slowest files", summary.slowest);
print("skipped", summary.skipped);
print("failed", summary.failed);
console.log(summary.counts);
process.exitCode = summary.good ? 0 : 1;

function print(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`${title}:\n${lines.map((line) => `  ${line}`).join("\n")}`);
}

function read(path: string): TestFile[] | undefined {
  if (!existsSync(path)) return undefined;
  const results: { readonly testResults: TestFile[] } = JSON.parse(readFileSync(path, "utf8"));
  return results.testResults.map((file) => ({ ...file, name: relative(process.cwd(), file.name) }));
}
