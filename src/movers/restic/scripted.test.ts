import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Sample } from "../../progress/index.ts";
import { Restic } from "./run.ts";

// A shell script in restic's place says what a real one says seldom, or never should.
const root = await mkdtemp(join(tmpdir(), "scripted-"));
afterAll(() => rm(root, { recursive: true, force: true }));
let counter = 0;

async function scripted(body: string, version = "0.18.0"): Promise<Restic> {
  counter += 1;
  const program = join(root, `restic-${counter}`);
  await writeFile(
    program,
    `#!/bin/sh\nif [ "$1" = version ]; then echo "restic ${version} compiled"; exit; fi\n${body}\n`,
  );
  await chmod(program, 0o755);
  return new Restic({ program, scratch: join(root, "scratch"), owner: "agent/one" });
}

async function backup(body: string): Promise<{ samples: Sample[]; result: unknown }> {
  const mover = await scripted(body);
  const samples: Sample[] = [];
  const repository = {
    place: { kind: "filesystem", path: join(root, "repo") } as const,
    password: "canary-password",
  };
  const onProgress = (sample: Sample) => samples.push(sample);
  const request = { repository, path: root, source: "s", tags: { a: "b" }, onProgress };
  const result = await mover.backup(request).catch((error: unknown) => error);
  return { samples, result };
}

const say = (text: string) => `printf '%s\\n' '${text}'`;
const status = (done: number, total: number) =>
  `{"message_type":"status","bytes_done":${done},"total_bytes":${total}}`;
const summary =
  '{"message_type":"summary","total_bytes_processed":10,"data_added":4,"snapshot_id":"0123abcd"}';

test("lines that are split, merged with noise, huge or broken cost nothing but themselves", async () => {
  const { samples, result } = await backup(`
    printf '{"message_type":"status","bytes_'; printf 'done":1,"total_bytes":10}\\n'
    head -c 3000000 /dev/zero | tr '\\0' x; echo
    printf '\\377\\376{"message_type":"status","bytes_done":9}\\n'
    printf '{"message_type":"status","current_files":["\\377"],"bytes_done":3,"total_bytes":10}\\n'
    ${say('{"message_type":"status","bytes_done":')}
    ${say(summary)}
    ${say("something after the summary")}`);
  expect(samples).toEqual([
    { unit: "bytes", done: 1, total: 10 },
    { unit: "bytes", done: 3, total: 10 },
  ]);
  expect(result).toEqual({ bytes: 10, incrementalBytes: 4, storedBytes: 4, snapshotId: "0123abcd" });
});

test("totals that shrink, grow or are overtaken are handed on as they are said", async () => {
  const { samples } = await backup(
    [status(1, 10), status(2, 5), status(30, 20)].map(say).join("\n") + `\n${say(summary)}`,
  );
  expect(samples.map(({ done, total }) => [done, total])).toEqual([
    [1, 10],
    [2, 5],
    [30, 20],
  ]);
});

test("exit 0 without a summary is not a success", async () => {
  const { result } = await backup(say(status(10, 10)));
  expect(result).toMatchObject({
    code: "MOVER_OUTPUT",
    message: expect.stringContaining("without a summary"),
  });
});

test("an exit that is not 0 after 100 % is a failure", async () => {
  const { result } = await backup(
    `${say(status(10, 10))}\n${say(summary)}\necho 'Fatal: cannot save index' >&2; exit 1`,
  );
  expect(result).toMatchObject({
    code: "MOVER_EXIT",
    message: expect.stringContaining("Fatal: cannot save index"),
  });
});

test("exit 3 with a snapshot is partial, and the files are named, twenty at most", async () => {
  const one = '{"message_type":"error","error":{"message":"open b: permission denied"},"item":"/b"}';
  const { result } = await backup(`for i in $(seq 50); do echo '${one}' >&2; done\n${say(summary)}\nexit 3`);
  expect(result).toMatchObject({
    snapshotId: "0123abcd",
    unread: Array.from({ length: 20 }, () => "open b: permission denied"),
  });
});

test("exit 3 without a snapshot is a failure", async () => {
  expect((await backup("exit 3")).result).toMatchObject({ code: "MOVER_EXIT" });
});

test.each([
  ["locked", "unable to create lock in backend: repository is already locked by PID 7", "MOVER_LOCKED"],
  ["a full disk", "write: no space left on device", "MOVER_SPACE"],
])("a repository that is %s is told", async (_name, words, code) => {
  expect((await backup(`echo '${words}' >&2; exit 1`)).result).toMatchObject({ code });
});

test("an old restic that makes its file at full size at once has restored what it has written, not that", async () => {
  const total = 64 << 20;
  const target = await mkdtemp(join(root, "target-"));
  const mover = await scripted(
    `case "$*" in *restore*)
      truncate -s ${total} disk
      head -c ${8 << 20} /dev/zero | dd of=disk conv=notrunc bs=1M 2>/dev/null
      until [ -e go ]; do sleep 0.1; done;; esac`,
    "0.14.0",
  );
  const samples: Sample[] = [];
  const request = {
    repository: { place: { kind: "filesystem", path: join(root, "repo") } as const, password: "p" },
    path: target,
    snapshotId: "0123abcd",
    totalBytes: total,
    onProgress(sample: Sample) {
      samples.push(sample);
      void writeFile(join(target, "go"), "");
    },
  };
  expect(await mover.restore(request)).toEqual({ bytes: total });
  expect(samples[0]).toMatchObject({ unit: "bytes", total });
  expect(samples[0]?.done).toBeLessThan(total / 2);
});

test("a mover that is killed is told", async () => {
  expect((await backup("kill -KILL $$")).result).toMatchObject({
    code: "MOVER_EXIT",
    message: expect.stringContaining("killed by SIGKILL"),
  });
});

test("the locks of the dead are removed before the first run, and after one that was killed", async () => {
  const log = join(root, "sweeps");
  const mover = await scripted(`
    case "$*" in
      *" unlock") echo unlock >> ${log};;
      *deadbeef) echo killed >> ${log}; kill -KILL $$;;
      *) echo run >> ${log}; ${say('{"total_size":1,"snapshots_count":1}')};;
    esac`);
  const at = (name: string) => ({
    place: { kind: "filesystem", path: join(root, name) } as const,
    password: "x",
  });
  await mover.snapshotBytes(at("one"), "0123abcd");
  await mover.forget(at("one"), "0123abcd");
  await mover.forget(at("two"), "0123abcd");
  await expect(mover.forget(at("one"), "deadbeef")).rejects.toMatchObject({ code: "MOVER_EXIT" });
  await mover.forget(at("one"), "0123abcd");
  await mover.forget(at("two"), "0123abcd");
  const said = (await readFile(log, "utf8")).trim().split("\n");
  expect(said).toEqual(["unlock", "run", "run", "unlock", "run", "killed", "unlock", "run", "run"]);
});

test("no program is started with an id that is none", async () => {
  const log = join(root, "started");
  const mover = await scripted(`echo "$*" >> ${log}`);
  const repository = { place: { kind: "filesystem", path: join(root, "repo") } as const, password: "x" };
  const snapshotId = '--password-command=/bin/sh -c "id > /tmp/x"';
  const refused = { code: "MOVER_ARGUMENT" };
  await expect(mover.forget(repository, snapshotId)).rejects.toMatchObject(refused);
  await expect(mover.snapshotBytes(repository, snapshotId)).rejects.toMatchObject(refused);
  await expect(mover.restore({ repository, snapshotId, path: root, totalBytes: 1 })).rejects.toMatchObject(
    refused,
  );
  await expect(mover.restore({ repository, snapshotId, path: root })).rejects.toMatchObject(refused);
  await expect(readFile(log, "utf8")).rejects.toMatchObject({ code: "ENOENT" });
});

test("the password is in no argument, and the environment is marked with the owner", async () => {
  const file = join(root, "said");
  await backup(
    `read -r password; { echo "args $*"; env; echo "input $password"; } > ${file}\n${say(summary)}`,
  );
  const said = await readFile(file, "utf8");
  expect(said).toContain("input canary-password");
  expect(said).toContain("HEADWAY_OWNER=agent/one");
  expect(said.replace("input canary-password", "")).not.toContain("canary");
});

test("a repository is only made when there is none", async () => {
  const log = join(root, "log");
  const repository = { place: { kind: "filesystem", path: join(root, "repo") } as const, password: "x" };
  const refused = await scripted(
    `echo "$*" >> ${log}; echo 'Fatal: wrong password or no key found' >&2; exit 12`,
  );
  await expect(refused.ensureRepository(repository)).rejects.toMatchObject({ code: "MOVER_PASSWORD" });
  const unreachable = await scripted(`echo "$*" >> ${log}; echo 'dial tcp: connection refused' >&2; exit 1`);
  await expect(unreachable.ensureRepository(repository)).rejects.toMatchObject({ code: "MOVER_REPOSITORY" });
  // Whatever the place is called: restic before 0.17 asks the same question after each failure.
  const named = await scripted(
    `echo "$*" >> ${log}; printf 'Fatal: unable to open config file: Stat: dial tcp: connection refused\\nIs there a repository at the following location?\\ns3:http://h/does-exist/no such file\\n' >&2; exit 1`,
  );
  await expect(named.ensureRepository(repository)).rejects.toMatchObject({ code: "MOVER_REPOSITORY" });
  expect(await readFile(log, "utf8")).not.toContain("init");
});
