import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { Mask } from "../../kube/index.ts";
import { findMovers, type Mover, makeMover, moverFolders, type Repository } from "../../movers/index.ts";
import { credentialSecrets } from "../../store/index.ts";
import type { Uploader } from "./objects.ts";

/** Gives the program of a kind, ready to use. */
export type OpenMover = (kind: Uploader) => Mover;

/** Finds movers where the machine has them; each is made once. */
export function moverFinder(options: {
  /** A private folder for caches and connection files. */
  readonly scratch: string;
  /** Marks their processes, so that a later life can find them. */
  readonly owner?: string;
  /** Where to look; PATH, HEADWAY_MOVERS and our cache when absent. */
  readonly folders?: readonly string[] | undefined;
}): OpenMover {
  const made = new Map<Uploader, Mover>();
  return (kind) => {
    const known = made.get(kind);
    if (known) return known;
    const folders = options.folders ?? moverFolders();
    const [program] = findMovers(kind, folders);
    if (program === undefined) {
      throw new AppError(
        "MOVER_MISSING",
        `there is no ${kind} in ${folders.join(", ")}; \`headway mover install ${kind}\` brings it`,
      );
    }
    const { owner } = options;
    const settings = { program, scratch: join(options.scratch, kind), ...(owner !== undefined && { owner }) };
    const mover = maskedMover(makeMover(kind, settings));
    made.set(kind, mover);
    return mover;
  };
}

/** A mover that quotes neither the password of a repository nor the keys of its place: what it says goes into statuses and logs. */
export function maskedMover(mover: Mover): Mover {
  const guarded = async <T>(repository: Repository, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw repositoryMask(repository).error(error);
    }
  };
  return {
    kind: mover.kind,
    version: (signal) => mover.version(signal),
    ensureRepository: (at, signal) => guarded(at, () => mover.ensureRepository(at, signal)),
    backup: async (request, signal) => {
      const result = await guarded(request.repository, () => mover.backup(request, signal));
      if (!result.unread) return result;
      const mask = repositoryMask(request.repository);
      return { ...result, unread: result.unread.map((line) => mask.text(line)) };
    },
    restore: (request, signal) => guarded(request.repository, () => mover.restore(request, signal)),
    snapshotBytes: (at, id, signal) => guarded(at, () => mover.snapshotBytes(at, id, signal)),
    snapshots: (at, each, signal) => guarded(at, () => mover.snapshots(at, each, signal)),
    forget: (at, id, signal) => guarded(at, () => mover.forget(at, id, signal)),
    unlock: (at, signal) => guarded(at, () => mover.unlock(at, signal)),
    maintain: (request, signal) => guarded(request.repository, () => mover.maintain(request, signal)),
    list: (request, signal) => guarded(request.repository, () => mover.list(request, signal)),
    find: (at, signal) => guarded(at.repository, () => mover.find(at, signal)),
    read: (request, signal) => guarded(request.repository, () => mover.read(request, signal)),
    archive: (request, signal) => guarded(request.repository, () => mover.archive(request, signal)),
    diff: (request, signal) => guarded(request.repository, () => mover.diff(request, signal)),
  };
}

function repositoryMask({ password, place }: Repository): Mask {
  const mask = new Mask();
  mask.learn(password);
  if (place.kind === "s3") for (const key of Object.values(place.keys ?? {})) mask.learn(key);
  if (place.kind === "gcs") {
    for (const secret of credentialSecrets("gcp", place.credentials)) mask.learn(secret);
  }
  if (place.kind !== "azure") return mask;
  const { access } = place;
  if (access.by === "key") mask.learn(access.key);
  if (access.by === "secret") mask.learn(access.secret);
  if (access.by === "certificate") mask.learn(access.pem);
  return mask;
}
