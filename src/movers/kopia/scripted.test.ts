import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Sample } from "../../progress/index.ts";
import { Kopia } from "./run.ts";

const root = await mkdtemp(join(tmpdir(), "scripted-"));
afterAll(() => rm(root, { recursive: true, force: true }));
let counter = 0;

/** A script in kopia's place: connects by making the file that it was told, then does what the test says. */
async function scripted(body: string): Promise<Kopia> {
  counter += 1;
  const program = join(root, `kopia-${counter}`);
  const connect =
    'config="${1#--config-file=}"; case "$*" in *"repository connect"*) : > "$config"; exit 0;; esac';
  await writeFile(program, `#!/bin/sh\n${connect}\n${body}\n`);
  await chmod(program, 0o755);
  return new Kopia({ program, scratch: join(root, `scratch-${counter}`), owner: "agent/one" });
}

const place = { kind: "filesystem", path: join(root, "repo") } as const;
const repository = { place, password: "canary-password" };

async function backup(body: string): Promise<{ samples: Sample[]; result: unknown }> {
  const mover = await scripted(body);
  const samples: Sample[] = [];
  const onProgress = (sample: Sample) => samples.push(sample);
  const request = { repository, path: root, source: "s", tags: {}, onProgress };
  const result = await mover.backup(request).catch((error: unknown) => error);
  return { samples, result };
}

const done = '{"id":"00112233445566778899aabbccddeeff","rootEntry":{"summ":{"size":10}}}';

test("progress is read from carriage returns, and the result from standard output", async () => {
  const { samples, result } = await backup(`
    printf '\\r | 1 hashing, 0 hashed (1 B), 0 cached (0 B), uploaded 0 B, estimating...' >&2
    printf '\\r / 1 hashing, 0 hashed (2 B), 1 cached (4 B), uploaded 0 B, estimated 10 B (60.0%%) 0s left\\n' >&2
    printf '\\377 noise\\n' >&2
    echo '${done}'`);
  expect(samples).toEqual([
    { unit: "bytes", done: 1 },
    { unit: "bytes", done: 6, total: 10 },
  ]);
  expect(result).toEqual({
    snapshotId: "00112233445566778899aabbccddeeff",
    bytes: 10,
    files: 0,
    incrementalBytes: 6,
    storedBytes: 0,
  });
});

test.each([
  ["exit 0 without a result", "exit 0", { code: "MOVER_OUTPUT" }],
  [
    "a snapshot that is not whole",
    `echo '${done.replace("{", '{"incomplete":"canceled",')}'`,
    { code: "MOVER_OUTPUT" },
  ],
  ["a failure after the result", `echo '${done}'; echo 'ERROR boom' >&2; exit 1`, { code: "MOVER_EXIT" }],
  ["a full disk", "echo 'ERROR no space left on device' >&2; exit 1", { code: "MOVER_SPACE" }],
])("%s is not a success", async (_name, body, want) => {
  expect((await backup(body)).result).toMatchObject(want);
});

test("the password is in no argument, and no file", async () => {
  const file = join(root, "said");
  await backup(`{ echo "args $*"; env; } > ${file}; echo '${done}'`);
  const said = await readFile(file, "utf8");
  expect(said).toContain("KOPIA_PASSWORD=canary-password");
  expect(said).toContain("HEADWAY_OWNER=agent/one");
  expect(said.replace("KOPIA_PASSWORD=canary-password", "")).not.toContain("canary");
  expect(said).toContain("--no-persist-credentials");
});

test("a restore that ends with exit 0 and no result is not a success", async () => {
  const mover = await scripted(`case "$*" in *"manifest show"*) echo '${done}';; esac`);
  const request = { repository, snapshotId: "00112233445566778899aabbccddeeff", path: root };
  await expect(mover.restore(request)).rejects.toMatchObject({ code: "MOVER_OUTPUT" });
});

test("a restore tells no more bytes than the snapshot has, whatever its last line rounds to", async () => {
  const line = "Restored 2 files, 1 directories and 0 symbolic links (20.6 MB).";
  const mover = await scripted(`echo "${line}" >&2`);
  const told: number[] = [];
  const request = {
    repository,
    snapshotId: "00112233445566778899aabbccddeeff",
    path: root,
    totalBytes: 20_569_179,
  };
  await mover.restore({ ...request, onProgress: ({ done: bytes }) => told.push(bytes) });
  expect(told.length).toBeGreaterThan(0);
  expect(Math.max(...told)).toBe(20_569_179);
});

test("no program is started with an id that is none", async () => {
  const log = join(root, "started");
  const mover = await scripted(`echo "$*" >> ${log}`);
  const refused = { code: "MOVER_ARGUMENT" };
  for (const snapshotId of ["--config-file=/etc/passwd", "0123abcd", "@/etc/passwd"]) {
    await expect(mover.forget(repository, snapshotId)).rejects.toMatchObject(refused);
    await expect(mover.snapshotBytes(repository, snapshotId)).rejects.toMatchObject(refused);
    for (const size of [{}, { totalBytes: 1 }]) {
      const request = { repository, snapshotId, path: root, ...size };
      await expect(mover.restore(request)).rejects.toMatchObject(refused);
    }
  }
  await expect(readFile(log, "utf8")).rejects.toMatchObject({ code: "ENOENT" });
});

test("no folder is made for a repository that is nowhere", async () => {
  const mover = await scripted("exit 1");
  const place = { kind: "filesystem", path: `${root}/a/../../b` } as const;
  await expect(mover.ensureRepository({ place, password: "x" })).rejects.toMatchObject({
    code: "MOVER_ARGUMENT",
  });
});
