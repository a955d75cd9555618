import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { allKinds, type Kind } from "../src/api/index.ts";
import { generated, write } from "./gen-crds.ts";

const root = join(import.meta.dirname, "..");

test("the committed CRDs and docs/api.md are those of the registry: if not, `npm run gen`", () => {
  const files = generated();
  expect(files.size).toBe(allKinds.length + 1);
  for (const [path, text] of files) expect(readFileSync(join(root, path), "utf8"), path).toBe(text);
  const crds = [...files.keys()].filter((path) => path.startsWith("deploy/crds/"));
  expect(readdirSync(join(root, "deploy/crds")).map((name) => `deploy/crds/${name}`)).toEqual(
    crds.toSorted(),
  );
});

test("generated() changes when a schema changes", () => {
  const [first] = allKinds as [Kind];
  const changed = { ...first, fields: { ...first.fields, extra: { type: "string" } } } as const;
  const path = `deploy/crds/${first.group}_${first.plural}.yaml`;
  expect(generated([changed]).get(path)).not.toBe(generated([first]).get(path));
  expect(generated([changed]).get("docs/api.md")).toContain("| `extra` | string |");
});

test("write() writes every file and removes CRDs that are no longer defined", () => {
  const folder = mkdtempSync(join(tmpdir(), "crds-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  write(folder);
  writeFileSync(join(folder, "deploy/crds/old.example_things.yaml"), "{}");
  write(folder);
  const names = readdirSync(join(folder, "deploy/crds"));
  expect(names).toHaveLength(allKinds.length);
  expect(names).not.toContain("old.example_things.yaml");
  const crd: unknown = parse(readFileSync(join(folder, "deploy/crds/velero.io_backups.yaml"), "utf8"));
  expect(crd).toMatchObject({ kind: "CustomResourceDefinition", metadata: { name: "backups.velero.io" } });
});
