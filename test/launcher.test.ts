import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const launcher = join(import.meta.dirname, "../bin/headway.js");

test("the launcher runs the sources without a build, on Node 24 or newer", () => {
  const facts: { name: string; node: string } = JSON.parse(
    execFileSync(process.execPath, [launcher, "version", "-o", "json"], { encoding: "utf8" }),
  );
  expect(facts.name).toBe("headway");
  expect(Number(facts.node.split(".")[0])).toBeGreaterThanOrEqual(24);
});

test("the launcher says on an older Node what to do", () => {
  const folder = mkdtempSync(join(tmpdir(), "launcher-"));
  const pretend = join(folder, "pretend.cjs");
  writeFileSync(pretend, 'Object.defineProperty(process, "versions", { value: { node: "20.1.0" } });');
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-r", pretend, launcher, "version"], {
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("needs Node 24 or newer, this is Node 20.1.0");
});
