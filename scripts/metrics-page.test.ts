import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allFamilies } from "../src/server/families.ts";
import { metricsPage } from "./metrics-page.ts";

test("docs/metrics.md is what `npm run gen` makes, with every metric in it", () => {
  const text = readFileSync(join(import.meta.dirname, "../docs/metrics.md"), "utf8");
  expect(text).toBe(metricsPage());
  for (const { name } of allFamilies) expect(text).toContain(`| \`${name}\` |`);
});
