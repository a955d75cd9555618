import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { capture, run } from "./spawn.ts";

const root = await mkdtemp(join(tmpdir(), "spawn-"));
afterAll(() => rm(root, { recursive: true, force: true }));

const sh = (script: string) => ({
  program: "/bin/sh",
  args: ["-c", script],
  env: { PATH: process.env["PATH"] ?? "" },
});

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let left = 1000; left > 0; left -= 1) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("waited in vain");
}

/** A process that is dead or a zombie, whose parent has yet to look. */
async function isGone(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat === "" || / [ZX] /.test(stat);
}

test("run() hands over lines of both streams and the exit code", async () => {
  const out: string[] = [];
  const end = await run({ ...sh("echo a; echo b >&2; printf c; exit 3"), onOut: (line) => out.push(line) });
  expect(out).toEqual(["a", "c"]);
  expect(end).toEqual({ exitCode: 3, killedBy: undefined, errTail: "b" });
});

test("run() gives the input to the program", async () => {
  const { out } = await capture({ ...sh("read line; echo got $line"), input: "word\n" });
  expect(out).toBe("got word\n");
  const end = await run({ ...sh("exec <&-; exit 0"), input: "x".repeat(200_000) });
  expect(end.exitCode).toBe(0);
});

test("run() keeps the newest of a long standard error", async () => {
  const { errTail } = await run(sh("i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done"));
  expect(errTail.length).toBeLessThanOrEqual(8_192);
  expect(errTail.endsWith("line 2999")).toBe(true);
});

test("run() tells a death by signal", async () => {
  expect(await run(sh("kill -KILL $$"))).toMatchObject({ exitCode: undefined, killedBy: "SIGKILL" });
});

test("run() tells a program that is not there", async () => {
  const fault = { code: "MOVER_MISSING", message: expect.stringContaining("/no/such/program") };
  await expect(run({ program: "/no/such/program", args: [], env: {} })).rejects.toMatchObject(fault);
});

test("run() ends the whole group when the signal fires, grandchildren too", async () => {
  const pids = join(root, "pids");
  const stop = new AbortController();
  const reason = new Error("enough");
  const running = run(sh(`sleep 600 & echo $! > ${pids}; echo $$ >> ${pids}; wait`), stop.signal);
  const read = async () => (await readFile(pids, "utf8").catch(() => "")).trim().split("\n").map(Number);
  await until(async () => (await read()).length === 2);
  stop.abort(reason);
  await expect(running).rejects.toBe(reason);
  const [grandchild = 0, child = 0] = await read();
  await until(async () => (await isGone(grandchild)) && (await isGone(child)));
}, 30_000);

test("run() kills what does not listen to SIGINT", async () => {
  const ready = join(root, "ready");
  const stop = new AbortController();
  const running = run(
    { graceMs: 300, ...sh(`trap '' INT; : > ${ready}; while :; do sleep 0.2; done`) },
    stop.signal,
  );
  await until(
    async () =>
      await readFile(ready).then(
        () => true,
        () => false,
      ),
  );
  stop.abort(new Error("enough"));
  await expect(running).rejects.toThrow("enough");
}, 30_000);

test("run() does not start for a signal that has fired", async () => {
  const file = join(root, "started");
  await expect(run(sh(`: > ${file}`), AbortSignal.abort(new Error("no")))).rejects.toThrow("no");
  await expect(readFile(file)).rejects.toThrow();
});

test("run() does not wait for a grandchild that keeps the pipe", async () => {
  const began = performance.now();
  const { exitCode } = await run({ graceMs: 300, ...sh("sleep 10 & exit 0") });
  expect(exitCode).toBe(0);
  expect(performance.now() - began).toBeLessThan(9_000);
}, 30_000);

test("capture() refuses an endless answer", async () => {
  const script = join(root, "flood");
  await writeFile(script, "i=0; while [ $i -lt 500 ]; do echo 0123456789; i=$((i+1)); done");
  await expect(capture(sh(`. ${script}`), undefined, 1000)).rejects.toMatchObject({ code: "MOVER_OUTPUT" });
});

test("run() feeds a program as fast as it reads, and takes what it says piece by piece", async () => {
  const pieces = Array.from({ length: 40 }, (_, i) => Buffer.alloc(100_000, i));
  const heard: Buffer[] = [];
  const end = await run({
    program: "cat",
    args: [],
    env: {},
    input: Readable.from(pieces),
    onData: async (chunk) => void heard.push(Buffer.from(chunk)),
  });
  expect(end.exitCode).toBe(0);
  expect(Buffer.concat(heard).equals(Buffer.concat(pieces))).toBe(true);
});

test("run() ends a program whose input fails, and does not wait for one that reads no more", async () => {
  async function* failing() {
    yield Buffer.alloc(10);
    throw new Error("the device is gone");
  }
  await expect(run({ program: "cat", args: [], env: {}, input: failing() })).rejects.toThrow(
    "the device is gone",
  );
  const endless = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(100_000)));
  const env = { PATH: process.env["PATH"] ?? "" };
  const end = await run({ program: "sh", args: ["-c", "head -c 1 >/dev/null; exit 3"], env, input: endless });
  expect(end.exitCode).toBe(3);
});
