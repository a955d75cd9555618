import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { up } from "../../src/cli/local/up.ts";
import { running, sleepOf } from "../harness/processes.ts";
import { type Body, real, until } from "./kubernetes/request.ts";

const launcher = join(import.meta.dirname, "../../bin/headway.js");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "local-"));
});

afterEach(() => {
  headway("down", "--purge");
  rmSync(folder, { recursive: true, force: true });
});

function headway(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [launcher, "local", ...args, "--state", folder], { encoding: "utf8" });
}

const sleep = sleepOf(54_321);
const pod: Body = {
  metadata: { name: "sleeper" },
  spec: { containers: [{ name: "c", image: "x:1", command: sleep.split(" ") }] },
};

const sleepers = (): number => running(sleep);

async function startSleeper(kubeconfig: string): Promise<void> {
  const target = real(kubeconfig);
  await target.call("POST", "/api/v1/namespaces/default/pods", pod);
  await until(
    () => target.call("GET", "/api/v1/namespaces/default/pods/sleeper"),
    ({ body }) => body.status.phase === "Running",
  );
  await target.close();
  // Running begins when the process does; its mounts come before the command.
  await until(
    async () => sleepers(),
    (n) => n === 1,
  );
}

test("up --with-operator leads to a first backup with the words that it prints; down ends all of it", () => {
  const begun = headway("up", "--with-operator");
  expect(begun.status, begun.stderr).toBe(0);
  const next = /next:\n((?: {2}.*\n)+)/.exec(begun.stderr)?.[1] ?? "";
  expect(next).toContain("backup create");
  const words = next.replace("headway ", `'${process.execPath}' '${launcher}' `);
  const first = spawnSync("sh", ["-ec", words], { encoding: "utf8" });
  expect(first.status, `${next}\n${first.stdout}\n${first.stderr}`).toBe(0);
  expect(first.stderr).toContain("completed");
  const status = headway("status").stdout;
  const pids = [...status.matchAll(/(operator|agent) of headway-local: process (\d+)/g)];
  expect(pids.map(([, name]) => name)).toEqual(["operator", "agent"]);
  expect(headway("up", "--with-operator").status, "found running").toBe(0);
  expect(headway("down").status).toBe(0);
  for (const [, name, pid] of pids) expect(existsSync(`/proc/${pid}`), name).toBe(false);
});

test("down ends the operator and the agent of a cluster that was killed", async () => {
  const begun = headway("up", "--with-operator", "-o", "json");
  const facts: { pid: number } = JSON.parse(begun.stdout);
  const status: { programs: { pid: number }[] } = JSON.parse(headway("status", "-o", "json").stdout);
  process.kill(facts.pid, "SIGKILL");
  expect(status.programs).toHaveLength(2);
  expect(headway("down").status).toBe(0);
  await until(
    async () => status.programs.filter(({ pid }) => existsSync(`/proc/${pid}`)).length,
    (left) => left === 0,
  );
});

test("a cluster without an operator does not become one with an operator", () => {
  expect(headway("up").stderr).toContain("up --with-operator");
  const again = headway("up", "--with-operator");
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining("has no operator")]);
});

test("up returns a ready cluster, a second up finds it, down ends every process, up finds the state", async () => {
  const first = headway("up", "-o", "json");
  expect([first.status, first.stderr]).toEqual([0, ""]);
  const facts = JSON.parse(first.stdout);
  expect(facts.contexts).toEqual(["headway-local"]);
  await startSleeper(facts.kubeconfig);
  expect(JSON.parse(headway("up", "-o", "json").stdout).pid).toBe(facts.pid);
  expect(headway("status").stdout).toContain(`process ${facts.pid}`);
  expect(headway("down").status).toBe(0);
  expect([sleepers(), headway("status").status]).toEqual([0, 1]);
  const again = JSON.parse(headway("up", "-o", "json").stdout);
  expect(again.clusters[0].url, "a copied kubeconfig stays good").toBe(facts.clusters[0].url);
  const target = real(again.kubeconfig);
  await until(
    () => target.call("GET", "/api/v1/namespaces/default/pods/sleeper"),
    ({ body }) => body.status.containerStatuses[0].restartCount === 1,
  );
  await target.close();
  expect(headway("down", "--purge").stderr).toBe(`stopped, state removed from ${folder}\n`);
  expect(existsSync(folder)).toBe(false);
});

test("after kill -9 the next up ends the pods' processes before it starts them again", async () => {
  const { pid, kubeconfig } = JSON.parse(headway("up", "-o", "json").stdout);
  await startSleeper(kubeconfig);
  process.kill(pid, "SIGKILL");
  await until(
    async () => headway("status").status,
    (status) => status === 1,
  );
  expect(sleepers()).toBe(1);
  const again = JSON.parse(headway("up", "-o", "json").stdout);
  expect(again.pid).not.toBe(pid);
  const target = real(again.kubeconfig);
  await until(
    () => target.call("GET", "/api/v1/namespaces/default/pods/sleeper"),
    ({ body }) => body.status.containerStatuses[0].restartCount === 1 && body.status.phase === "Running",
  );
  await target.close();
  await until(
    async () => sleepers(),
    (n) => n === 1,
  );
});

test("--clusters 2 gives two contexts in one kubeconfig", async () => {
  const facts = JSON.parse(headway("up", "--clusters", "2", "-o", "json").stdout);
  expect(facts.contexts).toEqual(["blue", "green"]);
  const config = JSON.parse(readFileSync(facts.kubeconfig, "utf8"));
  expect(config.contexts.map((c: Body) => c.name)).toEqual(["blue", "green"]);
  expect(new Set(facts.clusters.map((c: Body) => c.url)).size).toBe(2);
});

test("--foreground stays until it is interrupted", async () => {
  const child = spawn(process.execPath, [launcher, "local", "up", "--foreground", "--state", folder], {
    stdio: "pipe",
  });
  await new Promise((ready) => child.stdout.once("data", ready));
  expect(headway("status").status).toBe(0);
  child.kill("SIGINT");
  expect(await new Promise((done) => child.once("exit", done))).toBe(0);
});

const io = { out: () => {}, err: () => {}, env: {}, terminal: undefined, color: false };

test("a cluster that cannot start says what its log says", async () => {
  mkdirSync(join(folder, "headway-local"));
  writeFileSync(
    join(folder, "headway-local", "state.db"),
    "this is not a database, whatever its name says".repeat(100),
  );
  const start = up(
    { clusters: 1, foreground: false, withOperator: false, folder },
    io,
    new AbortController().signal,
  );
  await expect(start).rejects.toMatchObject({
    code: "LOCAL_START",
    message: expect.stringContaining("not a database"),
  });
});

test("two ups at once give one cluster", async () => {
  const ups = await Promise.all(
    [1, 2].map(async () => {
      const child = spawn(process.execPath, [launcher, "local", "up", "-o", "json", "--state", folder]);
      let out = "";
      child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
      await new Promise((done) => child.once("close", done));
      return JSON.parse(out);
    }),
  );
  expect(ups[0].pid).toBe(ups[1].pid);
});

test("two clusters cannot join one that runs", async () => {
  headway("up");
  const start = up(
    { clusters: 2, foreground: false, withOperator: false, folder },
    io,
    new AbortController().signal,
  );
  await expect(start).rejects.toMatchObject({ code: "LOCAL_RUNNING" });
  expect(await run(["local", "status", "--state", folder], new AbortController().signal, io)).toBe(0);
});
