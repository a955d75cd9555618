import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { BackupRequest, Mover, RestoreRequest } from "../../movers/index.ts";
import { maskedMover, moverFinder } from "./movers.ts";

const folder = mkdtempSync(join(tmpdir(), "movers-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("moverFinder() gives the same mover for the same kind", () => {
  for (const kind of ["restic", "kopia"]) writeFileSync(join(folder, kind), "", { mode: 0o755 });
  const open = moverFinder({ scratch: folder, folders: [folder] });
  expect([open("restic").kind, open("kopia").kind]).toEqual(["restic", "kopia"]);
  expect(open("kopia")).toBe(open("kopia"));
});

test("moverFinder() names the folders when there is none", () => {
  expect(() => moverFinder({ scratch: folder, folders: ["/nowhere"] })("restic")).toThrow(
    "there is no restic in /nowhere; `headway mover install restic` brings it",
  );
});

test("maskedMover() quotes neither the password nor the keys", async () => {
  const said = "Fatal: hunter22 with AKIA-ID and s3cr3t/key";
  const fail = () => Promise.reject(new Error(said));
  const mover = maskedMover({
    kind: "restic",
    version: async () => "1",
    ensureRepository: fail,
    backup: async () => ({ bytes: 1, unread: [said] }),
    restore: fail,
    snapshotBytes: fail,
    snapshots: fail,
    forget: fail,
    unlock: fail,
    maintain: fail,
    list: fail,
    find: fail,
    read: fail,
    archive: fail,
    diff: fail,
  } satisfies Mover);
  const keys = { accessKeyId: "AKIA-ID", secretAccessKey: "s3cr3t/key" };
  const repository = { password: "hunter22", place: { kind: "s3", bucket: "b", prefix: "", keys } } as const;
  const at = { repository, snapshotId: "1", path: "/" };
  const want = "Fatal: *** with *** and ***";
  const failing = [
    mover.ensureRepository(repository),
    mover.restore({ repository } as unknown as RestoreRequest),
    mover.snapshotBytes(repository, "1"),
    mover.forget(repository, "1"),
    mover.unlock(repository),
    mover.maintain({ repository }),
    mover.list({ ...at, limit: 1 }),
    mover.find(at),
    mover.read({ ...at, onData: () => Promise.resolve() }),
    mover.archive({ ...at, onData: () => Promise.resolve() }),
    mover.diff({ repository, from: "1", to: "2", onChange: () => undefined }),
  ];
  for (const one of await Promise.allSettled(failing)) {
    expect(one).toMatchObject({ status: "rejected", reason: { message: want } });
  }
  expect(await mover.backup({ repository } as unknown as BackupRequest)).toEqual({
    bytes: 1,
    unread: [want],
  });
  expect(await mover.version()).toBe("1");
});
