import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MoverSubject, TestLocation } from "../../test/harness/mover-subjects.ts";
import { describeTree, fillOdd, hardLinked } from "../../test/harness/mover-tree.ts";
import { noXattrs, xattrLines } from "../../test/harness/tree.ts";
import type { Sample } from "../progress/index.ts";
import type { BackupRequest, Mover, Repository } from "./mover.ts";
import { defaultPassword, repositoryPlace, volumeSource } from "./place.ts";

const timeout = 120_000;

/** What every mover must do, shown with its real program. */
export function moverConformance(subject: MoverSubject, where: TestLocation): void {
  const name = `${subject.name} on ${where.name}`;
  const skip = subject.skip ?? where.skip;
  describe.skipIf(skip !== undefined)(skip === undefined ? name : `${name} (skipped: ${skip})`, () => {
    let root = "";
    let mover: Mover;
    let repository: Repository;
    let close: (() => Promise<void>) | undefined;
    const request = (path: string, more: Partial<BackupRequest> = {}): BackupRequest => ({
      repository,
      path,
      source: volumeSource(mover.kind, { namespace: "shop", pod: "web-0", volume: "data" }),
      tags: { backup: "b1", volume: "data" },
      ...more,
    });

    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), "mover-"));
      mover = subject.make({ scratch: join(root, "scratch"), owner: "test" });
      const location = await where.open(join(root, "location"));
      close = () => location.close();
      repository = {
        place: repositoryPlace(location.place, mover.kind, `shop-${randomBytes(4).toString("hex")}`),
        password: defaultPassword,
      };
      await mover.ensureRepository(repository);
    }, timeout);
    afterAll(async () => {
      await close?.();
      await rm(root, { recursive: true, force: true });
    }, timeout);

    test("version() is a version", async () => {
      expect(await mover.version()).toMatch(/^\d+\.\d+\.\d+$/);
    });

    let first = "";

    test(
      "a folder comes back as it was: bytes, modes, owners, times, links, attributes, odd names",
      async () => {
        const kept = {
          rawNames: subject.keepsRawNames,
          folderTimes: subject.keepsFolderTimes,
          xattrs: subject.keepsXattrs && noXattrs === undefined,
        };
        const from = join(root, "from");
        const to = await mkdtemp(join(root, "to-"));
        await mkdir(from);
        await fillOdd(from, kept);
        const samples: Sample[] = [];
        const onProgress = (sample: Sample) => samples.push(sample);
        const result = await mover.backup(request(from, { onProgress }));
        first = result.snapshotId ?? "";
        expect(first).toMatch(/^[0-9a-f]{8,64}$/);
        expect(result.unread).toBeUndefined();
        expect(result.incrementalBytes).toBeGreaterThanOrEqual(300_000);
        const want = await describeTree(from, kept);
        const wantBytes = [...want.values()].reduce((sum, { bytes }) => sum + bytes, 0);
        expect(result.bytes).toBe(wantBytes);
        await writeFile(join(to, "empty"), "not for long");
        await writeFile(join(to, "other"), "stays");
        const restored = await mover.restore({ repository, snapshotId: first, path: to, onProgress });
        check(samples);
        // A file with two names is restored once.
        expect([wantBytes, wantBytes - hardLinked.length]).toContain(restored.bytes);
        const got = await describeTree(to, kept);
        expect(got.delete("other"), "what else was there is left alone").toBe(true);
        expect(got).toEqual(want);
        if (kept.xattrs) {
          expect(xattrLines(to)).toHaveLength(3); // a folder, and a file under both of its names
          expect(xattrLines(to)).toEqual(xattrLines(from));
        }
      },
      timeout,
    );

    test("a folder that is not there is MOVER_PATH", async () => {
      const path = join(root, "no-such-folder");
      await expect(mover.backup(request(path))).rejects.toMatchObject({ code: "MOVER_PATH" });
      await expect(mover.restore({ repository, snapshotId: "deadbeef", path })).rejects.toMatchObject({
        code: "MOVER_PATH",
      });
    });

    test(
      "ensureRepository() may run again, and never with another password",
      async () => {
        await mover.ensureRepository(repository);
        const other = subject.make({ scratch: join(root, "scratch-2") });
        await expect(
          other.ensureRepository({ ...repository, password: "canary-wrong" }),
        ).rejects.toMatchObject({
          code: "MOVER_PASSWORD",
          message: expect.not.stringContaining("canary-wrong"),
        });
      },
      timeout,
    );

    test(
      "a second backup moves only what is new; forget() and maintain() remove a snapshot and nothing else",
      async () => {
        const from = join(root, "from");
        await writeFile(join(from, "new"), randomBytes(1000));
        const result = await mover.backup(request(from, { parent: first }));
        const second = result.snapshotId ?? "";
        expect(result.incrementalBytes).toBeLessThan(200_000);
        expect(second).not.toBe(first);
        expect(await listed(mover, repository, [first, second])).toEqual([first, second]);
        const bytes = await mover.snapshotBytes(repository, second);
        expect(bytes).toBeGreaterThan(300_000);
        await mover.forget(repository, first);
        await mover.forget(repository, first);
        expect(await listed(mover, repository, [first, second])).toEqual([second]);
        await mover.unlock(repository);
        await mover.maintain({ repository });
        await expect(mover.snapshotBytes(repository, first)).rejects.toMatchObject({
          code: "MOVER_SNAPSHOT",
        });
        expect(await mover.snapshotBytes(repository, second)).toBe(bytes);
      },
      timeout,
    );

    test(
      "an empty folder is backed up without fuss",
      async () => {
        const source = volumeSource(mover.kind, { namespace: "shop", pod: "web-0", volume: "empty" });
        const result = await mover.backup(request(await mkdtemp(join(root, "empty-")), { source }));
        expect(result.bytes).toBe(0);
        expect(result.snapshotId !== undefined).toBe(subject.emptySnapshots);
      },
      timeout,
    );

    test(
      "a snapshot that is not there is told as such",
      async () => {
        const to = await mkdtemp(join(root, "nothing-"));
        const snapshotId = mover.kind === "restic" ? "deadbeef" : "00112233445566778899aabbccddeeff";
        for (const totalBytes of [undefined, 1000]) {
          const size = totalBytes === undefined ? {} : { totalBytes };
          await expect(mover.restore({ repository, snapshotId, path: to, ...size })).rejects.toMatchObject({
            code: "MOVER_SNAPSHOT",
            message: expect.stringContaining(snapshotId),
          });
        }
      },
      timeout,
    );

    test(
      "a canceled backup rejects with the reason and leaves a usable repository",
      async () => {
        const from = await mkdtemp(join(root, "cancel-"));
        const file = await open(join(from, "big"), "w");
        for (let i = 0; i < 60; i += 1) await file.write(randomBytes(1_000_000));
        await file.close();
        const source = volumeSource(mover.kind, { namespace: "shop", pod: "web-0", volume: "cancel" });
        const stop = new AbortController();
        const reason = new Error("canceled by test");
        const onProgress = () => stop.abort(reason);
        await expect(mover.backup(request(from, { source, onProgress }), stop.signal)).rejects.toBe(reason);
        await mover.unlock(repository);
        await writeFile(join(from, "big"), "small");
        const { bytes } = await mover.backup(request(from, { source }));
        expect(bytes).toBe(5);
      },
      timeout,
    );

    test.runIf(process.getuid?.() === 0)(
      "files that cannot be read are named, and the others are kept",
      async () => {
        const from = await mkdtemp(join(root, "unread-"));
        await writeFile(join(from, "open"), "fine");
        await writeFile(join(from, "closed"), "secret");
        await chmod(join(from, "closed"), 0o000);
        for (const path of [root, from]) await chmod(path, 0o755);
        const scratch = join(root, "scratch-nobody");
        const nobody = await subject.unprivileged({ scratch, folder: join(root, "nobody") });
        const own = { place: nobody.place, password: defaultPassword };
        await nobody.mover.ensureRepository(own);
        const result = await nobody.mover.backup({ ...request(from), repository: own });
        expect(result.snapshotId).toBeDefined();
        expect(result.unread?.join()).toContain("closed");
        expect(result.unread?.join()).toContain("permission denied");
      },
      timeout,
    );
  });
}

/** Progress as engines may rely on it: bytes, whole numbers, and done not past the total by more than rounding. */
function check(samples: readonly Sample[]): void {
  for (const { unit, done, total } of samples) {
    expect(unit).toBe("bytes");
    expect(Number.isSafeInteger(done)).toBe(true);
    if (total !== undefined) expect(done).toBeLessThanOrEqual(total * 1.1 + 1000);
  }
}

/** Which of these the mover lists: older ones say the start of an id when they back up, and list all of it. */
async function listed(mover: Mover, repository: Repository, asked: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  await mover.snapshots(repository, ({ id }) => void ids.push(id));
  return asked.filter((start) => ids.some((id) => id.startsWith(start)));
}
