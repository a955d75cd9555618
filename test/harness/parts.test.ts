import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findPart, partFolder } from "./parts.ts";

const HEADWAY_PARTS = mkdtempSync(join(tmpdir(), "parts-"));
afterAll(() => rmSync(HEADWAY_PARTS, { recursive: true, force: true }));

test("partFolder() is the program's name and the version of the table", () => {
  expect(partFolder("restic", { HEADWAY_PARTS })).toMatch(/\/restic-v\d+\.\d+\.\d+$/);
  expect(() => partFolder("nothing", { HEADWAY_PARTS })).toThrow('has no "nothing"');
});

test("findPart() takes what the variable names, then what was built, and says how to build it", () => {
  const env = { HEADWAY_PARTS };
  expect(findPart("helm", "HEADWAY_HELM", { ...env, HEADWAY_HELM: "/opt/helm" })).toEqual({
    program: "/opt/helm",
  });
  expect(findPart("helm", "HEADWAY_HELM", env)).toEqual({ missing: "no helm: run test/parts/build helm" });
  const folder = partFolder("helm", env);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "helm"), "");
  expect(findPart("helm", undefined, env)).toHaveProperty("missing");
  chmodSync(join(folder, "helm"), 0o755);
  expect(findPart("helm", undefined, env)).toEqual({ program: join(folder, "helm") });
});
