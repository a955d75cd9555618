import { spawn, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterAll, expect, test } from "vitest";
import type { Client, ExecOptions } from "../kube/index.ts";
import type { FileEntry, Mover } from "../movers/index.ts";
import { putFiles } from "./put-files.ts";

const root = mkdtempSync(join(tmpdir(), "put-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A container is this machine: the script runs with its own shell and tar. */
function container(path = process.env["PATH"] ?? ""): Pick<Client, "exec"> {
  return {
    exec: async (_resource: unknown, _name: string, { command, stdin, onStderr }: ExecOptions) => {
      const [program = "", ...args] = command;
      const child = spawn(program, args, { env: { PATH: path } });
      child.stdin.on("error", () => undefined); // it ended without reading all
      child.stderr.on("data", (chunk: Buffer) => void onStderr?.(chunk));
      const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? -1)));
      if (stdin) await pipeline(stdin, child.stdin).catch(() => undefined); // as above
      return { exitCode: await ended };
    },
  } as unknown as Pick<Client, "exec">; // what putFiles() uses of it
}

function source(bytes: Uint8Array) {
  const give = async ({ onData }: { readonly onData: (chunk: Uint8Array) => Promise<void> }) => onData(bytes);
  const mover = { read: give, archive: give } as unknown as Mover; // what putFiles() uses of it
  return {
    mover,
    at: {
      repository: { place: { kind: "filesystem", path: "/r" }, password: "" },
      snapshotId: "1",
      path: "/x",
    },
  } as const;
}

const signal = new AbortController().signal;
const file = (name: string, bytes: number): FileEntry => ({ name, type: "file", bytes, mode: 0o600 });
const folder: FileEntry = { name: "sub", type: "folder" };

function volume(name: string) {
  const mountPath = join(root, name);
  mkdirSync(mountPath);
  return { mountPath, target: { namespace: "shop", pod: "web", container: "c", mountPath } };
}

test("putFiles() writes a file into a folder that it makes, whatever its name", async () => {
  const { mountPath, target } = volume("one");
  const name = `$(touch owned)'"\n${"n".repeat(150)}`;
  await putFiles(
    container(),
    source(Buffer.from("hello")),
    { entry: file(name, 5), target, folder: "/a b/$(x)" },
    signal,
  );
  expect(readdirSync(mountPath)).toEqual(["a b"]);
  expect(readFileSync(join(mountPath, "a b/$(x)", name), "utf8")).toBe("hello");
});

test("putFiles() writes a folder, over what has the same name and beside the rest", async () => {
  const { mountPath, target } = volume("two");
  const from = join(root, "from");
  mkdirSync(join(from, "deep"), { recursive: true });
  writeFileSync(join(from, "deep/f"), "new");
  writeFileSync(join(mountPath, "stays"), "stays");
  mkdirSync(join(mountPath, "deep"));
  symlinkSync("/etc/hostname", join(mountPath, "deep/f")); // replaced, not written through
  const tar = spawnSync("tar", ["-cf", "-", "-C", from, "."]).stdout;
  await putFiles(container(), source(tar), { entry: folder, target, folder: "/" }, signal);
  expect(readFileSync(join(mountPath, "deep/f"), "utf8")).toBe("new");
  expect(readdirSync(mountPath).toSorted()).toEqual(["deep", "stays"]);
});

test("putFiles() goes through no link out of the volume", async () => {
  const { mountPath, target } = volume("three");
  const outside = join(root, "outside");
  mkdirSync(outside);
  symlinkSync(outside, join(mountPath, "link"));
  for (const at of ["/link", "/link/below"]) {
    await expect(
      putFiles(container(), source(Buffer.from("x")), { entry: file("f", 1), target, folder: at }, signal),
    ).rejects.toMatchObject({
      code: "RESTORE_TARGET",
      message: expect.stringContaining("links are not followed"),
    });
  }
  expect(readdirSync(outside)).toEqual([]);
});

test("putFiles() writes nothing out of the volume, whatever the archive says", async () => {
  const { mountPath, target } = volume("four");
  writeFileSync(join(root, "evil"), "x");
  const tar = spawnSync("tar", ["-cPf", "-", "../evil"], { cwd: mountPath }).stdout;
  rmSync(join(root, "evil"));
  await expect(
    putFiles(container(), source(tar), { entry: folder, target, folder: "/" }, signal),
  ).rejects.toMatchObject({ code: "RESTORE_TARGET" });
  expect(readdirSync(root)).not.toContain("evil");
});

test("putFiles() gives no folder to a tar that reads names wrongly, and says what a container lacks", async () => {
  const { target } = volume("five");
  const small = join(root, "small");
  mkdirSync(small);
  for (const name of ["sh", "mkdir"]) symlinkSync(`/bin/${name}`, join(small, name));
  writeFileSync(join(small, "tar"), "#!/bin/sh\necho busybox\n", { mode: 0o755 });
  await expect(
    putFiles(container(small), source(Buffer.alloc(1024)), { entry: folder, target, folder: "/" }, signal),
  ).rejects.toMatchObject({ message: expect.stringContaining("GNU tar or bsdtar") });
});

test("putFiles() tells when the backup cannot be read, not that the tar was cut", async () => {
  const { target } = volume("six");
  const broken = source(Buffer.alloc(0));
  const mover = { ...broken.mover, read: () => Promise.reject(new Error("the bucket is away")) } as Mover;
  await expect(
    putFiles(container(), { ...broken, mover }, { entry: file("f", 1), target, folder: "/" }, signal),
  ).rejects.toThrow("the bucket is away");
});
