import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../test/harness/eventually.ts";
import { systemClock } from "../../kube/index.ts";
import { Plugins } from "../plugins.ts";
import { Program, programEnvironment } from "./program.ts";

const { signal } = new AbortController();
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "program-"))));
afterEach(() => rmSync(folder, { recursive: true }));

function script(text: string): string {
  const path = join(folder, "plugin");
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}
const start = (path: string, startMs = 20_000) =>
  Program.start({ path, clock: systemClock, log: () => undefined, startMs }, signal);

test.each([
  ["prints garbage", "echo garbage; exec sleep 60", "does not begin with a handshake"],
  ["ends at once", "echo oops >&2; exit 7", "ended (exit code 7) before it said where it listens"],
  [
    "speaks another version",
    "echo '1|1|unix|/tmp/x|grpc|'; exec sleep 60",
    "speaks version 1 of the plugin protocol",
  ],
  ["listens nowhere", "echo '1|2|unix|/nowhere/at/all|grpc|'; exec sleep 60", "does not speak gRPC"],
  [
    "prints an endless line",
    "head -c 100000 /dev/zero | tr '\\0' x; exec sleep 60",
    "does not begin with a handshake",
  ],
])("a program that %s is refused", async (_name, text, why) => {
  await expect(start(script(text))).rejects.toMatchObject({
    code: "PLUGIN_PROTOCOL",
    message: expect.stringContaining(why),
  });
});

test("a program that says nothing is given up", async () => {
  await expect(start(script("exec sleep 60"), 500)).rejects.toMatchObject({ code: "PLUGIN_TIMEOUT" });
});

test("a program that is no plugin is listed with its reason, and does no harm", async () => {
  script("echo hello");
  const plugins = new Plugins({
    folders: [folder],
    namespace: "velero",
    clock: systemClock,
    log: () => undefined,
  });
  expect(await plugins.list(signal)).toMatchObject([
    { name: "headway.dev/folder" },
    { kind: "", source: "program", fault: expect.stringContaining("does not begin with a handshake") },
  ]);
});

test("a program ends with the process that started it, however that ends", async () => {
  const path = script(`echo $$ > ${folder}/pid; exec sleep 600`);
  const module = join(import.meta.dirname, "program.ts");
  const code = `const { Program } = await import(${JSON.stringify(module)});
    const clock = { now: () => 0, monotonic: () => 0, after: () => () => undefined };
    const options = { path: ${JSON.stringify(path)}, clock, log: () => undefined, startMs: 600_000 };
    setInterval(() => undefined, 1000);
    await Program.start(options, new AbortController().signal);`;
  const host = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "ignore" });
  const pid = await eventually(
    () => (existsSync(join(folder, "pid")) ? Number(readFileSync(join(folder, "pid"), "utf8")) : 0),
    (found) => found > 0,
  );
  expect(isAlive(pid)).toBe(true);
  host.kill("SIGKILL");
  await eventually(
    () => isAlive(pid),
    (alive) => !alive,
  );
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("programEnvironment() keeps the operator's own keys from the program", () => {
  const env = programEnvironment(
    { HOME: "/h", AWS_REGION: "r", AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" },
    "/f",
  );
  expect(env).toMatchObject({ HOME: "/h", AWS_REGION: "r", PLUGIN_UNIX_SOCKET_DIR: "/f" });
  expect(Object.keys(env).filter((name) => /KEY/.test(name))).toEqual([]);
});
