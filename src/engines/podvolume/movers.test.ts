import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { moverFinder } from "./movers.ts";

const folder = mkdtempSync(join(tmpdir(), "movers-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("moverFinder() gives the same mover for the same kind", () => {
  for (const kind of ["restic", "kopia"]) writeFileSync(join(folder, kind), "", { mode: 0o755 });
  const open = moverFinder({ scratch: folder, folders: [folder] });
  expect([open("restic").kind, open("kopia").kind]).toEqual(["restic", "kopia"]);
  expect(open("kopia")).toBe(open("kopia"));
});

test("moverFinder() names the folders when there is none", () => {
  expect(() => moverFinder({ scratch: folder, folders: ["/nowhere"] })("restic")).toThrow(
    "there is no restic in /nowhere; `headway mover install restic` brings it",
  );
});
