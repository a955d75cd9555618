import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import about from "../package.json" with { type: "json" };
import { assetsOf, makeExecutable } from "../scripts/release/executable.ts";

const folder = mkdtempSync(join(tmpdir(), "executable-"));
const program = join(folder, "headway");
beforeAll(() => makeExecutable(program, folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The program where there is no Node, no package and no folder of ours. */
function run(...args: string[]) {
  return spawnSync(program, args, { encoding: "utf8", cwd: "/", env: { PATH: "/nowhere", HOME: folder } });
}

test("the single executable knows its version, its commands and its kinds without any file beside it", () => {
  const version = run("version");
  expect(version.stderr + version.stdout).toContain(about.version);
  expect(run("--help").stdout).toContain("See how far things are");
  const crds = run("install", "--crds-only");
  expect([crds.status, crds.stderr]).toEqual([0, ""]);
  expect(crds.stdout).toContain("name: operations.headway.dev");
});

test("the single executable exits as the program does", () => {
  expect(run("nonsense").status).toBe(2);
  expect(run("get", "operations", "--kubeconfig", join(folder, "none")).status).toBe(3);
});

test("the page is among its files where it was built", () => {
  expect(Object.keys(assetsOf(join(import.meta.dirname, "..")))).toContain("package.json");
});
