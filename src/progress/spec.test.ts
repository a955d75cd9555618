import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const here = import.meta.dirname;

function sorted(ids: Iterable<string>): string[] {
  return [...new Set(ids)].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

test("every rule of SPEC.md has a test, and every id in a test has a rule", () => {
  const spec = readFileSync(join(here, "SPEC.md"), "utf8");
  const rules = [...spec.matchAll(/^- \*\*([A-Z]{2}\d+)\*\*/gm)].map(([, rule = ""]) => rule);
  const tested = readdirSync(here, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && file !== "spec.test.ts")
    .flatMap((file) => [...readFileSync(join(here, file), "utf8").matchAll(/["`]\[([A-Z]{2}\d+)\]/g)])
    .map(([, rule = ""]) => rule);
  expect(rules.length).toBeGreaterThan(50);
  expect(new Set(rules).size, "an id names one rule").toBe(rules.length);
  expect(sorted(tested)).toEqual(sorted(rules));
});
