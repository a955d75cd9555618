// Adds up the tiers' results, names what was skipped, and fails on failures, on skips and on a tier that ran nothing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Assertion {
  readonly fullName: string;
  readonly status: string;
}
interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly Assertion[] }[];
}

const [folder = "."] = process.argv.slice(2);
const tiers = readdirSync(folder).filter((file) => file.endsWith(".json"));
let passed = 0;
let failed = 0;
let skipped = 0;
for (const file of tiers) {
  const results: Results = JSON.parse(readFileSync(join(folder, file), "utf8"));
  passed += results.numPassedTests;
  failed += results.numFailedTests;
  if (results.numPassedTests === 0) failed += 1;
  if (results.numFailedTests === 0 && results.numFailedTestSuites > 0) failed += results.numFailedTestSuites;
  for (const { name, assertionResults } of results.testResults) {
    for (const { fullName, status } of assertionResults) {
      if (status === "passed" || status === "failed") continue;
      skipped += 1;
      console.log(`${status}: ${file} ${name} ${fullName}`);
    }
  }
}
if (tiers.length === 0) failed += 1;
process.exitCode = failed > 0 || skipped > 0 ? 1 : 0;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
