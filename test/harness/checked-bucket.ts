import { checkBucket } from "../../src/engines/bucket/check.ts";
import type { Finding } from "../../src/engines/bucket/findings.ts";
import type { BackupReport } from "../../src/engines/bucket/judge.ts";
import type { RepositoryReport } from "../../src/engines/bucket/repositories.ts";
import { inspectArchive } from "../../src/engines/restore/archive/inspect.ts";
import { AppError } from "../../src/errors.ts";
import type { Mover } from "../../src/movers/index.ts";
import { MemoryStore } from "../../src/store/index.ts";
import { type BucketBackup, bucketBackup, type CopiedVolume, putAll } from "./bucket-files.ts";

const forever = new AbortController().signal;
/** Snapshots that the scripted repositories have. */
export const kopiaId = "70240f4216be2f95394632fb198749d6";
export const resticId = "f3012d26df6ce5f35f74e7e93f2c1026963d29035f43b7585f3100731f7f96bc";
/** Copies whose snapshots are there. */
export const kopiaCopy: CopiedVolume = {
  namespace: "shop",
  pod: "web",
  volume: "data",
  uploader: "kopia",
  snapshotId: kopiaId,
  claim: "data",
};
export const resticCopy: CopiedVolume = {
  namespace: "shop",
  pod: "db",
  volume: "data",
  uploader: "restic",
  snapshotId: resticId.slice(0, 8),
  claim: "db",
};

/** A repository by the object that describes it. */
const repositories = new Map([
  ["kopia/shop/kopia.repository.f", Buffer.from("{}")],
  ["restic/shop/config", Buffer.from("x")],
]);

interface Seen {
  readonly backups: readonly BackupReport[];
  readonly repositories: readonly RepositoryReport[];
  readonly found: readonly Finding[];
  readonly summary: Awaited<ReturnType<typeof checkBucket>>;
}

/** Checks a bucket whose repositories hold one snapshot each. */
export async function check(
  store: MemoryStore,
  options: { opens?: boolean | "wrong"; quick?: boolean; nowMs?: number } = {},
): Promise<Seen> {
  const { opens = true, quick = false, nowMs = Date.now() } = options;
  const [backups, repos, found]: [BackupReport[], RepositoryReport[], Finding[]] = [[], [], []];
  const snapshots: Mover["snapshots"] = async ({ place }, each) => {
    if (opens === "wrong") throw new AppError("MOVER_PASSWORD", "wrong password");
    const path = place.kind === "filesystem" ? place.path : "";
    const all: Record<string, string> = { "/b/kopia/shop": kopiaId, "/b/restic/shop": resticId };
    const id = all[path];
    if (id !== undefined) each({ id, tags: [] });
  };
  const summary = await checkBucket(
    {
      store,
      ...(opens !== false && {
        opening: {
          place: { kind: "filesystem", path: "/b" } as const,
          password: "p",
          mover: () => ({ snapshots }) as Mover, // nothing else is asked of it
        },
      }),
      ...(!quick && { inspect: inspectArchive }),
      now: () => nowMs,
    },
    {
      backup: (report) => backups.push(report),
      repository: (report) => repos.push(report),
      found: (one) => found.push(one),
      progress: () => undefined,
    },
    forever,
  );
  return { backups, repositories: repos, found, summary };
}

/** A bucket with one backup and both repositories. */
export async function bucketWith(made: BucketBackup, name = "b1"): Promise<MemoryStore> {
  const store = new MemoryStore();
  await putAll(store, repositories);
  await putAll(store, bucketBackup(name, made));
  return store;
}
