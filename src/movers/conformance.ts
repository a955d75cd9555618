import { createHash, randomBytes } from "node:crypto";
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Sample } from "../progress/index.ts";
import type { BackupRequest, Mover, MoverOptions, Place, Repository } from "./mover.ts";
import { defaultPassword, repositoryPlace, volumeSource } from "./place.ts";

/** A mover to judge, on one kind of place. */
export interface Subject {
  readonly name: string;
  /** Why it cannot be tested here; the suite is then skipped with this reason. */
  readonly skip?: string | undefined;
  /** The location; each test file has a namespace of its own below it. */
  location(folder: string): Promise<{ place: Place; close(): Promise<void> }>;
  make(options: Omit<MoverOptions, "program">): Mover;
  /** Whether empty folders give a snapshot (kopia) or none (restic). */
  readonly emptySnapshots: boolean;
  /** Whether names that are not UTF-8 come back as they were. */
  readonly keepsRawNames: boolean;
  /** Whether folders that hold folders get their time back. */
  readonly keepsFolderTimes: boolean;
  /** Only what differs by place or version; each call of a mover costs a second of key derivation. */
  readonly brief?: boolean;
  /** The same mover run as a user who cannot read everything, and a place it can write to (needs root). */
  unprivileged(options: { scratch: string; folder: string }): Promise<{ mover: Mover; place: Place }>;
}

const timeout = 120_000;
const hardLinked = "#!/bin/sh\n";

/** What every mover must do, shown with its real program. */
export function moverConformance(subject: Subject): void {
  const title = subject.skip === undefined ? subject.name : `${subject.name} (skipped: ${subject.skip})`;
  describe.skipIf(subject.skip !== undefined)(title, () => {
    let root = "";
    let mover: Mover;
    let repository: Repository;
    let close: (() => Promise<void>) | undefined;
    const request = (path: string, more: Partial<BackupRequest> = {}): BackupRequest => ({
      repository,
      path,
      source: volumeSource("shop", "web-0", "data"),
      tags: { backup: "b1", volume: "data" },
      ...more,
    });

    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), "mover-"));
      mover = subject.make({ scratch: join(root, "scratch"), owner: "test" });
      const location = await subject.location(join(root, "location"));
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
      "a folder comes back as it was: bytes, modes, owners, times, links, odd names",
      async () => {
        const from = join(root, "from");
        const to = await mkdtemp(join(root, "to-"));
        await mkdir(from);
        await fill(from, subject.keepsRawNames);
        const samples: Sample[] = [];
        const onProgress = (sample: Sample) => samples.push(sample);
        const result = await mover.backup(request(from, { onProgress }));
        first = result.snapshotId ?? "";
        expect(first).toMatch(/^[0-9a-f]{8,64}$/);
        expect(result.unread).toBeUndefined();
        expect(result.incrementalBytes).toBeGreaterThanOrEqual(300_000);
        const want = await describeTree(from, subject.keepsFolderTimes);
        const wantBytes = [...want.values()].reduce((sum, { bytes }) => sum + bytes, 0);
        expect(result.bytes).toBe(wantBytes);
        await writeFile(join(to, "empty"), "not for long");
        await writeFile(join(to, "other"), "stays");
        const restored = await mover.restore({ repository, snapshotId: first, path: to, onProgress });
        check(samples);
        // A file with two names is restored once.
        expect([wantBytes, wantBytes - hardLinked.length]).toContain(restored.bytes);
        const got = await describeTree(to, subject.keepsFolderTimes);
        expect(got.delete("other"), "what else was there is left alone").toBe(true);
        expect(got).toEqual(want);
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

    if (subject.brief === true) return;

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
        const bytes = await mover.snapshotBytes(repository, second);
        expect(bytes).toBeGreaterThan(300_000);
        await mover.forget(repository, first);
        await mover.forget(repository, first);
        await mover.unlock(repository);
        await mover.maintain(repository);
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
        const source = volumeSource("shop", "web-0", "empty");
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
        await expect(mover.restore({ repository, snapshotId, path: to })).rejects.toMatchObject({
          code: "MOVER_SNAPSHOT",
          message: expect.stringContaining(snapshotId),
        });
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
        const source = volumeSource("shop", "web-0", "cancel");
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

async function fill(folder: string, rawNames: boolean): Promise<void> {
  await mkdir(join(folder, "dir/deep"), { recursive: true });
  await writeFile(join(folder, "dir/deep/random"), randomBytes(300_000));
  await writeFile(join(folder, "empty"), "");
  await writeFile(join(folder, "new\nline"), "newline in the name");
  await writeFile(join(folder, "ünï 日本 💾"), "unicode");
  await writeFile(join(folder, "-dash"), "looks like a flag");
  if (rawNames)
    await writeFile(Buffer.concat([Buffer.from(`${folder}/raw-`), Buffer.from([0xff])]), "not UTF-8");
  const sparse = await open(join(folder, "sparse"), "w");
  await sparse.truncate(20_000_000);
  await sparse.write("end", 19_999_997);
  await sparse.close();
  await writeFile(join(folder, "script"), hardLinked);
  await chmod(join(folder, "script"), 0o750);
  await utimes(join(folder, "script"), 1_600_000_000, 1_500_000_000);
  await symlink("dir/deep", join(folder, "link"));
  await symlink("nowhere", join(folder, "dangling"));
  await link(join(folder, "script"), join(folder, "hard"));
  // Movers that obey such markers would leave data out.
  await mkdir(join(folder, "cachedir"));
  await writeFile(join(folder, "cachedir/CACHEDIR.TAG"), "Signature: 8a477f597d28d172789f06886806bc55");
  await writeFile(join(folder, "cachedir/data"), "still data");
  await writeFile(join(folder, ".kopiaignore"), "*\n");
  if (process.getuid?.() === 0) {
    const { lchown } = await import("node:fs/promises");
    await lchown(join(folder, "script"), 1234, 4321);
  }
  await utimes(join(folder, "dir"), 1_600_000_000, 1_400_000_000);
}

interface Facts {
  readonly what: string;
  readonly mode: number;
  readonly owner: string;
  readonly bytes: number;
  readonly mtimeS: number;
}

/** Everything that must come back, by raw name. */
async function describeTree(folder: string, folderTimes: boolean): Promise<Map<string, Facts>> {
  const found = new Map<string, Facts>();
  const root = Buffer.from(`${folder}/`);
  const queue: Buffer[] = [Buffer.alloc(0)];
  for (let below = queue.shift(); below !== undefined; below = queue.shift()) {
    for (const name of await readdir(Buffer.concat([root, below]), { encoding: "buffer" })) {
      const path = Buffer.concat([below, name]);
      const full = Buffer.concat([root, path]);
      const facts = await lstat(full);
      if (facts.isDirectory()) queue.push(Buffer.concat([path, Buffer.from("/")]));
      found.set(path.toString("latin1"), {
        what: facts.isDirectory()
          ? "folder"
          : facts.isSymbolicLink()
            ? `link to ${await readlink(full)}`
            : createHash("sha256")
                .update(await readFile(full))
                .digest("hex"),
        mode: facts.mode,
        owner: `${facts.uid}:${facts.gid}`,
        bytes: facts.isFile() ? facts.size : 0,
        mtimeS:
          facts.isSymbolicLink() || (facts.isDirectory() && !folderTimes)
            ? 0
            : Math.floor(facts.mtimeMs / 1000),
      });
    }
  }
  return found;
}
