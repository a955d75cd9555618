import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../test/harness/eventually.ts";
import { moverSubjects } from "../../test/harness/mover-subjects.ts";
import { missingS3, type S3Server, startS3 } from "../../test/harness/s3.ts";
import { SlowLink } from "../../test/harness/slow-link.ts";
import { defaultPassword, repositoryPlace } from "./place.ts";
import { connectionOf, type Look, lookAt, Vitals } from "./vitals.ts";

const look = (bytes: number, state = "S"): Look => ({ state, readBytes: bytes, writtenBytes: 0 });

test("bytes are work, and what a hanging mover prints is not", () => {
  const vitals = new Vitals();
  vitals.take(look(0), 1_000);
  vitals.take(look(5_000), 2_000);
  for (let second = 3; second < 60; second += 1) vitals.take(look(5_000 + second * 200), second * 1_000);
  expect(vitals.busyAt).toBe(2_000);
});

test("computing is work, waking up is not", () => {
  const vitals = new Vitals();
  const ticks = (cpuTicks: number) => ({ ...look(0), cpuTicks });
  vitals.take(ticks(5), 1_000);
  vitals.take(ticks(45), 2_000);
  for (let second = 3; second < 20; second += 1) vitals.take(ticks(45 + second), second * 1_000);
  expect(vitals.busyAt).toBe(2_000);
});

test("a link that is slow beyond belief still is work", () => {
  const vitals = new Vitals();
  for (let second = 1; second <= 600; second += 1) vitals.take(look(second * 1_500), second * 1_000);
  expect(vitals.busyAt).toBeGreaterThan(550_000);
});

test("what a slow link takes of what was written long ago is work, and what nobody takes is not", () => {
  const vitals = new Vitals();
  vitals.take(look(9_000_000), 1_000);
  for (let second = 6; second <= 60; second += 1) {
    vitals.take(look(9_000_000), second * 1_000);
    vitals.drains({ queuedBytes: 4_000_000 - second * 1_000 }, second * 1_000);
  }
  expect(vitals.busyAt).toBe(60_000);
  for (let second = 61; second <= 90; second += 1) vitals.drains({ queuedBytes: 3_940_000 }, second * 1_000);
  expect(vitals.busyAt).toBe(60_000);
});

test("connectionOf() adds up what the sockets of a process hold back", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens to a port
  const client = connect(port, "127.0.0.1");
  const [taken] = (await once(server, "connection")) as [Socket]; // what this event brings
  taken.pause();
  client.write(Buffer.alloc(32 << 20));
  const { isOpen } = await eventually(
    () => connectionOf(process.pid),
    ({ queuedBytes }) => queuedBytes > 100_000,
  );
  expect(isOpen).toBe(true);
  client.destroy();
  taken.destroy();
  server.close();
});

test("a stopped process is told since its first look, and forgotten when it goes on", () => {
  const vitals = new Vitals();
  vitals.take(look(0, "R"), 1_000);
  vitals.take(look(0, "T"), 2_000);
  vitals.take(look(0, "T"), 9_000);
  expect(vitals.stoppedAt).toBe(2_000);
  vitals.take(look(0, "S"), 10_000);
  expect(vitals.stoppedAt).toBeUndefined();
});

test("lookAt() reads this process, and nothing of one that is not there", async () => {
  const found = await lookAt(process.pid);
  expect(found?.state).toMatch(/^[RSD]$/);
  expect(found?.readBytes).toBeGreaterThan(1_000);
  expect(await lookAt(2 ** 22 + 1)).toBeUndefined();
  expect(await connectionOf(2 ** 22 + 1)).toEqual({ isOpen: false, queuedBytes: 0 });
});

test("lookAt() is not misled by the name of a program", async () => {
  const proc = await mkdtemp(join(tmpdir(), "proc-"));
  await mkdir(join(proc, "7"));
  await writeFile(join(proc, "7", "stat"), "7 (a) T (b) S 1 7 7 0 -1 4194304 9 0 0 0 25 5 0 0 20");
  await writeFile(join(proc, "7", "io"), "rchar: 11\nwchar: 22\nsyscr: 3\n");
  expect(await lookAt(7, proc)).toEqual({ state: "S", readBytes: 11, writtenBytes: 22, cpuTicks: 30 });
  await rm(proc, { recursive: true });
});

// Every real mover behind a link at a small part of the machine's speed, and behind one that stops.
for (const subject of moverSubjects) {
  const skip = subject.skip ?? missingS3();
  describe.skipIf(skip !== undefined)(
    `${subject.name}${skip === undefined ? "" : ` (skipped: ${skip})`}`,
    () => {
      let root = "";
      let server: S3Server;
      let link: SlowLink;
      beforeAll(async () => {
        root = await mkdtemp(join(tmpdir(), "vitals-"));
        server = await startS3();
        link = await SlowLink.to(server.endpoint, 50e6);
      });
      afterAll(async () => {
        await link.close();
        await server.stop();
        await rm(root, { recursive: true, force: true });
      });

      function repository(name: string) {
        const { bucket, region, accessKeyId, secretAccessKey } = server;
        const keys = { accessKeyId, secretAccessKey };
        const at = { kind: "s3", bucket, region, prefix: "vitals", endpoint: link.url, keys } as const;
        return { place: repositoryPlace(at, subject.kind, name), password: defaultPassword };
      }

      test("a slow copy is seen at work all the time, and a store that is gone is seen as one", {
        timeout: 120_000,
      }, async () => {
        const mover = subject.make({ scratch: join(root, "scratch") });
        const from = join(root, "from");
        await mkdir(from);
        await writeFile(join(from, "one"), randomBytes(32 << 20));
        const into = repository("slow");
        await mover.ensureRepository(into);
        link.limit(400_000);
        const vitals = new Vitals();
        const gaps: number[] = [];
        let pid = 0;
        const stop = new AbortController();
        const backup = mover.backup(
          {
            repository: into,
            path: from,
            source: "s",
            tags: {},
            onLook(seen, of) {
              pid = of;
              vitals.take(seen, Date.now());
              void connectionOf(of).then((found) => vitals.drains(found, Date.now()));
              gaps.push(Date.now() - (vitals.busyAt ?? 0));
            },
          },
          stop.signal,
        );
        backup.catch(() => undefined); // it is told to stop below
        await eventually(
          () => gaps.length,
          (count) => count >= 12,
          60_000,
        );
        expect(Math.max(...gaps)).toBeLessThan(6_000);
        expect(vitals.stoppedAt).toBeUndefined();
        link.limit(0);
        await eventually(
          () => gaps.at(-1) ?? 0,
          (gap) => gap > 8_000,
          60_000,
        );
        expect(await connectionOf(pid)).toMatchObject({ isOpen: true });
        stop.abort();
        link.limit(50e6);
        await expect(backup).rejects.toThrow();
      });

      test("a restore of one large file is told as it is written, not as its size", {
        timeout: 120_000,
      }, async () => {
        const mover = subject.make({ scratch: join(root, "scratch-2") });
        const [from, to] = [join(root, "large"), join(root, "back")];
        await mkdir(from);
        await mkdir(to);
        // restic's numbers may move on pack by pack only, of 16 MiB each.
        const total = (subject.kind === "restic" ? 48 : 24) << 20;
        await writeFile(join(from, "one"), randomBytes(total));
        const into = repository("large");
        await mover.ensureRepository(into);
        const { snapshotId = "" } = await mover.backup({
          repository: into,
          path: from,
          source: "s",
          tags: {},
        });
        // Eight seconds, so that a mover that tells its numbers once a second tells some.
        link.limit(total / 8);
        const before = link.passed;
        const ahead: number[] = [];
        const onProgress = ({ done }: { readonly done: number }) =>
          ahead.push((done - (link.passed - before)) / total);
        await mover.restore({ repository: into, snapshotId, path: to, totalBytes: total, onProgress });
        expect(ahead.length).toBeGreaterThan(2);
        // What has not come through the link cannot have been written.
        expect(Math.max(...ahead)).toBeLessThan(0.1);
      });
    },
  );
}
