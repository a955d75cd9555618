import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../test/harness/listen.ts";
import type { Io } from "./io.ts";
import { run } from "./run.ts";

async function headway(...argv: string[]) {
  const seen = { out: "", err: "" };
  const io: Io = {
    out: (text) => void (seen.out += text),
    err: (text) => void (seen.err += text),
    env: {},
    terminal: undefined,
    color: false,
  };
  const code = await run(argv, new AbortController().signal, io);
  return { code, ...seen };
}

test("version -o json prints data on standard output and nothing else", async () => {
  const { code, out, err } = await headway("version", "-o", "json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toMatchObject({ name: "headway", node: process.versions.node });
});

test("a wrong command exits 2 with words on standard error", async () => {
  const { code, out, err } = await headway("versoin");
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("Did you mean version?");
});

test.each(["bash", "zsh", "fish"])("completion %s asks the program itself", async (shell) => {
  const { code, out } = await headway("completion", shell);
  expect(code).toBe(0);
  expect(out).toContain("headway __complete -- ");
});

test("completion for another shell is refused", async () => {
  expect(await headway("completion", "tcsh")).toMatchObject({
    code: 2,
    err: expect.stringContaining('"tcsh"'),
  });
});

test("a command that is told to stop says nothing and exits 130", async () => {
  const folder = mkdtempSync(join(tmpdir(), "run-"));
  const kubeconfig = join(folder, "config");
  writeFileSync(
    kubeconfig,
    `apiVersion: v1
kind: Config
current-context: nowhere
contexts: [{name: nowhere, context: {cluster: nowhere, user: nobody}}]
clusters: [{name: nowhere, cluster: {server: "https://127.0.0.1:9"}}]
users: [{name: nobody, user: {token: none}}]
`,
  );
  const stop = new AbortController();
  stop.abort();
  let err = "";
  const io: Io = {
    out: () => {},
    err: (text) => void (err += text),
    env: {},
    terminal: undefined,
    color: false,
  };
  const code = await run(["get", "operations", "--kubeconfig", kubeconfig], stop.signal, io);
  rmSync(folder, { recursive: true });
  expect({ code, err }).toEqual({ code: 130, err: "" });
});

test("a command that lasts is guarded, and ends with 1 after an exception that nobody caught", async () => {
  const host = Object.assign(new EventEmitter(), { exit: () => undefined });
  const said: string[] = [];
  const io: Io = {
    out: () => undefined,
    err: (text) => void said.push(text),
    env: {},
    terminal: undefined,
    color: false,
  };
  // A cluster that takes its time: the run is under way when the exception comes.
  const { url } = await listen(() => {
    host.emit("unhandledRejection", new Error("first"));
    host.emit("uncaughtException", new Error("second"));
  });
  const folder = mkdtempSync(join(tmpdir(), "run-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, "kubeconfig");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    clusters: [{ name: "c", cluster: { server: url } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const { signal } = new AbortController();
  const args = ["serve", "--kubeconfig", kubeconfig, "--listen", "127.0.0.1:0"];
  expect(await run(args, signal, io, { host })).toBe(1);
  const lines = said.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    {
      level: "error",
      message: "unhandled rejection",
      error: "first",
      stack: expect.stringContaining("run.test"),
    },
    { level: "error", message: "uncaught exception", error: "second" },
  ]);
  expect(host.eventNames()).toEqual([]);
});
