import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { holdLock } from "../../test/harness/hold-lock.ts";
import { moverSubjects } from "../../test/harness/mover-subjects.ts";
import type { Sample } from "../progress/index.ts";
import type { BackupRequest, Mover, Repository } from "./mover.ts";
import { endOrphans } from "./orphans.ts";
import { defaultPassword, volumeSource } from "./place.ts";

// What goes wrong in practice, with the real programs. What they cannot be brought to do is in scripted.test.ts.
const limit = { timeout: 180_000 };
/** Seven runs of the program one after the other, each with a key to derive: half a minute alone, minutes on a machine that does much else. */
const longLimit = { timeout: 600_000 };

describe.each(moverSubjects)("$name in trouble", (subject) => {
  let root = "";
  let mover: Mover;
  let repository: Repository;
  const skip = subject.skip ?? "";
  const request = (path: string, more: Partial<BackupRequest> = {}): BackupRequest => ({
    repository,
    path,
    source: volumeSource("kopia", { namespace: "shop", pod: "web-0", volume: path.split("/").at(-1) ?? "" }),
    tags: {},
    ...more,
  });
  const at = (path: string): Repository => ({
    place: { kind: "filesystem", path },
    password: defaultPassword,
  });

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "trouble-"));
    mover = subject.make({ scratch: join(root, "scratch"), owner: "test" });
    repository = at(join(root, "repository"));
    if (skip === "") await mover.ensureRepository(repository);
  }, 120_000);
  afterAll(() => rm(root, { recursive: true, force: true }), 120_000);

  test.skipIf(skip)(`files that vanish and grow while they are read ${skip}`, limit, async () => {
    const from = await mkdtemp(join(root, "moving-"));
    await writeRandom(join(from, "a-big"), 48);
    for (let i = 0; i < 200; i += 1) await writeFile(join(from, `v-${i}`), `file ${i}`);
    await writeFile(join(from, "z-grows"), randomBytes(1000));
    let heard = 0;
    const onProgress = () => {
      heard += 1;
      if (heard === 1) for (let i = 0; i < 200; i += 1) rmSync(join(from, `v-${i}`), { force: true });
      if (heard < 100) appendFileSync(join(from, "z-grows"), randomBytes(100_000));
    };
    const result = await mover.backup(request(from, { onProgress }));
    expect(heard).toBeGreaterThan(0);
    expect(result.snapshotId).toBeDefined();
    for (const why of result.unread ?? []) expect(why).toMatch(/v-\d+|z-grows|does not say which/);
    const to = await mkdtemp(join(root, "moved-"));
    await mover.restore({ repository, snapshotId: result.snapshotId ?? "", path: to });
    expect((await readFile(join(to, "a-big"))).equals(await readFile(join(from, "a-big")))).toBe(true);
    const [grown, start] = [await readFile(join(from, "z-grows")), await readFile(join(to, "z-grows"))];
    expect(grown.subarray(0, start.length).equals(start)).toBe(true);
  });

  test.skipIf(skip)(`a volume whose files are all empty ${skip}`, limit, async () => {
    const from = await mkdtemp(join(root, "hollow-"));
    for (const name of ["a", "b"]) await writeFile(join(from, name), "");
    const samples: Sample[] = [];
    const onProgress = (sample: Sample) => samples.push(sample);
    const result = await mover.backup(request(from, { onProgress }));
    expect(result).toMatchObject({ bytes: 0, snapshotId: expect.any(String) });
    const to = await mkdtemp(join(root, "hollow-to-"));
    const snapshotId = result.snapshotId ?? "";
    expect(await mover.restore({ repository, snapshotId, path: to, onProgress })).toEqual({ bytes: 0 });
    expect(readdirSync(to)).toEqual(["a", "b"]);
    expect(samples.filter(({ done, total }) => done > 0 || (total ?? 0) > 0)).toEqual([]);
  });

  test.skipIf(skip)(
    `holes stay holes and files are read in parallel when asked for ${skip}`,
    limit,
    async () => {
      const from = await mkdtemp(join(root, "sparse-"));
      await writeFile(join(from, "sparse"), "begin");
      await truncate(join(from, "sparse"), 64 << 20);
      appendFileSync(join(from, "sparse"), "end");
      const { snapshotId = "", bytes } = await mover.backup(request(from, { parallel: 3 }));
      expect(bytes).toBe((64 << 20) + 3);
      const to = await mkdtemp(join(root, "sparse-to-"));
      await mover.restore({ repository, snapshotId, path: to, sparse: true });
      expect((await readFile(join(to, "sparse"))).equals(await readFile(join(from, "sparse")))).toBe(true);
      // restic learned it with 0.15; an older one writes the zeros.
      if (subject.name !== "restic 0.14")
        expect((await stat(join(to, "sparse"))).blocks * 512).toBeLessThan(32 << 20);
    },
  );

  test.skipIf(skip)(`a repository that was removed is told as missing ${skip}`, limit, async () => {
    const gone = at(join(root, "gone"));
    await mover.ensureRepository(gone);
    await rm(join(root, "gone"), { recursive: true });
    const from = await mkdtemp(join(root, "lost-"));
    await writeFile(join(from, "file"), "x");
    // To kopia the folder is gone, to restic the repository in it.
    const code = mover.kind === "restic" ? "MOVER_REPOSITORY_MISSING" : "MOVER_REPOSITORY";
    await expect(mover.backup({ ...request(from), repository: gone })).rejects.toMatchObject({ code });
    expect(existsSync(join(root, "gone", "config")), "a backup makes no repository").toBe(false);
  });

  test.skipIf(skip)(`a password that was changed is told at the next copy ${skip}`, limit, async () => {
    const from = await mkdtemp(join(root, "locked-out-"));
    await writeFile(join(from, "file"), "x");
    const wrong = { ...repository, password: "canary-other" };
    await expect(mover.backup({ ...request(from), repository: wrong })).rejects.toMatchObject({
      code: "MOVER_PASSWORD",
      message: expect.not.stringContaining("canary-other"),
    });
  });

  // Kopia tries a full disk again for more than a minute: only in the long run.
  if (subject.kind === "restic" || process.env["HEADWAY_LONG"] === "1") fullDisk();

  if (subject.kind === "kopia") return; // it has no locks

  test.skipIf(skip)(
    `a lock of a living process is respected, one of a dead one removed ${skip}`,
    limit,
    async () => {
      const from = await mkdtemp(join(root, "lock-"));
      await writeFile(join(from, "file"), randomBytes(100));
      const holder = await holdLock(subject.program, join(root, "repository"), defaultPassword);
      await expect(mover.backup(request(from))).rejects.toMatchObject({ code: "MOVER_LOCKED" });
      await mover.unlock(repository);
      await expect(mover.backup(request(from))).rejects.toMatchObject({ code: "MOVER_LOCKED" });
      const gone = new Promise((resolve) => holder.once("exit", resolve));
      holder.kill("SIGKILL");
      await gone;
      await mover.unlock(repository);
      expect((await mover.backup(request(from))).bytes).toBe(100);
    },
  );

  test.skipIf(skip)(`the lock of a killed mover is gone with the next run ${skip}`, limit, async () => {
    const own = at(join(root, "killed"));
    const killer = subject.make({ scratch: join(root, "scratch-killed"), owner: `killed:${root}` });
    await killer.ensureRepository(own);
    const from = await mkdtemp(join(root, "killed-from-"));
    await writeRandom(join(from, "big"), 48);
    const first = await killer.backup({ ...request(from), repository: own });
    // Enough that it is still at work when it is found and killed, on a machine that does much else.
    await writeRandom(join(from, "big"), 256);
    const onProgress = () => void endOrphans(`killed:${root}`);
    const killed = killer.backup({ ...request(from, { onProgress }), repository: own });
    await expect(killed).rejects.toMatchObject({ code: "MOVER_EXIT" });
    const locks = () => readdirSync(join(root, "killed", "locks"));
    expect(locks()).toHaveLength(1);
    // To forget restic needs the repository alone.
    await killer.forget(own, first.snapshotId ?? "");
    expect(locks()).toEqual([]);
    await expect(killer.snapshotBytes(own, first.snapshotId ?? "")).rejects.toMatchObject({
      code: "MOVER_SNAPSHOT",
    });
  });

  function fullDisk(): void {
    const noMount = skip || (process.getuid?.() === 0 ? "" : "only root mounts a small file system");
    test.skipIf(noMount)(
      `a full disk is told as such, and nothing is lost ${noMount}`,
      longLimit,
      async () => {
        const small = join(root, "small");
        await mkdir(small);
        expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=12m", "none", small]).status).toBe(0);
        try {
          const full = at(join(small, "repository"));
          await mover.ensureRepository(full);
          const from = await mkdtemp(join(root, "many-"));
          await writeFile(join(from, "first"), randomBytes(1000));
          const first = await mover.backup({ ...request(from), repository: full });
          await writeRandom(join(from, "big"), 24);
          await expect(mover.backup({ ...request(from), repository: full })).rejects.toMatchObject({
            code: "MOVER_SPACE",
            retry: true,
          });
          expect(spawnSync("mount", ["-o", "remount,size=64m", small]).status).toBe(0);
          const to = await mkdtemp(join(root, "many-to-"));
          const { snapshotId = "" } = first;
          await mover.restore({ repository: full, snapshotId, path: to });
          expect((await stat(join(to, "first"))).size).toBe(1000);
          expect((await mover.backup({ ...request(from), repository: full })).bytes).toBe(1000 + (24 << 20));
          await expect(
            mover.restore({ repository: full, snapshotId, path: await filledUp(root) }),
          ).rejects.toMatchObject({ code: "MOVER_SPACE" });
        } finally {
          spawnSync("umount", ["-l", join(root, "tiny")]);
          expect(spawnSync("umount", ["-l", small]).status).toBe(0);
        }
      },
    );
  }
});

async function writeRandom(path: string, mib: number): Promise<void> {
  const file = await open(path, "w");
  for (let i = 0; i < mib; i += 1) await file.write(randomBytes(1 << 20));
  await file.close();
}

/** A folder on a file system without room. */
async function filledUp(root: string): Promise<string> {
  const tiny = join(root, "tiny");
  await mkdir(tiny);
  expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=4k", "none", tiny]).status).toBe(0);
  await writeFile(join(tiny, "full"), randomBytes(4096));
  return tiny;
}
