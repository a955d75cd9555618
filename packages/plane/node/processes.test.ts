import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { killGroup, Processes } from "./processes.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "processes-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function sleeper(): ChildProcess {
  return spawn("sh", ["-c", "trap '' TERM; sleep 1000 & wait"], { detached: true, stdio: "ignore" });
}

test("endAll() returns when every group has ended, and nothing stays noted", async () => {
  const processes = new Processes(folder);
  const children = [sleeper(), sleeper()];
  for (const child of children) processes.add(child);
  expect(readdirSync(folder)).toHaveLength(2);
  await processes.endAll();
  expect(children.map((child) => child.signalCode)).toEqual(["SIGKILL", "SIGKILL"]);
  expect(readdirSync(folder)).toEqual([]);
});

test("add() survives that its folder goes before the process", async () => {
  const processes = new Processes(folder);
  const child = sleeper();
  processes.add(child);
  rmSync(folder, { recursive: true });
  const closed = once(child, "close");
  killGroup(child.pid ?? 0, "SIGKILL");
  await closed;
  await processes.endAll();
});

test("add() forgets a command that could not be started", async () => {
  const processes = new Processes(folder);
  const child = spawn("/no/such/command", { detached: true });
  processes.add(child);
  await once(child, "error");
  await processes.endAll();
  expect(readdirSync(folder)).toEqual([]);
});

test("endLeftovers() ends what an earlier process noted, and leaves a reused pid alone", async () => {
  const [left, stranger] = [sleeper(), sleeper()];
  new Processes(folder).add(left);
  writeFileSync(join(folder, `${stranger.pid}-12`), "");
  const closed = once(left, "close");
  expect(new Processes(folder).endLeftovers()).toBe(1);
  await closed;
  expect([left.signalCode, stranger.signalCode, stranger.exitCode]).toEqual(["SIGKILL", null, null]);
  expect(killGroup(stranger.pid ?? 0, "SIGKILL")).toBe(true);
});

test("killGroup() never takes 0 for a group: that would be our own", () => {
  expect(killGroup(0, "SIGKILL")).toBe(false);
});
