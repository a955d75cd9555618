import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allKinds, type Kind } from "../src/api/index.ts";
import { apiPage } from "./api-page.ts";

test("docs/api.md is that of the kinds: if not, `npm run gen`", () => {
  const committed = readFileSync(join(import.meta.dirname, "../docs/api.md"), "utf8");
  expect(committed).toBe(apiPage(allKinds));
});

test("apiPage() changes when a schema changes", () => {
  const [first] = allKinds as [Kind];
  const changed = { ...first, fields: { ...first.fields, extra: { type: "string" } } } as const;
  expect(apiPage([changed])).toContain("| `extra` | string |");
  expect(apiPage([first])).not.toContain("| `extra` | string |");
});
