import { type PodVolumeBackup, readStoredPodVolumeBackups } from "../../../api/index.ts";
import { type Repository, repositoryPlace } from "../../../movers/index.ts";
import {
  backupFolder,
  backupKey,
  backupNames,
  repositoryFolder,
  type Store,
  storedJson,
  storedList,
} from "../../../store/index.ts";
import { asideFiles, originalCopies } from "../aside.ts";
import { isBackupName } from "../folder.ts";
import type { Opening } from "../repositories.ts";
import { SnapshotBook } from "../snapshot-book.ts";
import { uploader } from "../volumes.ts";
import { resticCopies } from "./rewrite.ts";
import { planConversion } from "./run.ts";

/** What of restic's is not needed any more. */
export interface ResticRemoval {
  /** Converted backups whose originals go. */
  readonly backups: readonly string[];
  /** By namespace: the snapshots to forget. */
  readonly snapshots: ReadonlyMap<string, readonly string[]>;
  /** Namespaces whose repositories no backup needs: they go as a whole. */
  readonly repositories: readonly string[];
  /** Converted backups that are left alone, and why. */
  readonly left: readonly { readonly name: string; readonly reason: string }[];
}

const limits = { packedBytes: 16 * 1024 ** 2, bytes: 64 * 1024 ** 2, values: 3_000_000, depth: 64 };

/** Finds what conversions have made useless: each of kopia's snapshots is looked for before one of restic's may go. */
export async function planRemoval(
  store: Store,
  opening: Opening,
  signal: AbortSignal,
): Promise<ResticRemoval> {
  const { backups: open, left: unknown } = await planConversion(store, [], signal);
  const needed = new Set(
    open.flatMap(({ copies }) => copies.map((copy) => `${copy.namespace}/${copy.resticId}`)),
  );
  const needing = new Set(open.flatMap(({ copies }) => copies.map(({ namespace }) => namespace)));
  const kopia = new KopiaBooks(opening);
  const [backups, left]: [string[], { name: string; reason: string }[]] = [[], []];
  const snapshots = new Map<string, string[]>();
  for await (const name of backupNames(store, signal)) {
    const key = backupFolder(name) + originalCopies(name);
    if (!isBackupName(name) || (await store.head(key, signal)) === undefined) continue;
    const stored = await storedJson(store, key, { limits, packed: true }, signal);
    const before = readStoredPodVolumeBackups(Array.isArray(stored) ? stored : [], key);
    const now = readStoredPodVolumeBackups(
      await storedList(store, name, "podVolumeBackups", signal),
      backupKey(name, "podVolumeBackups"),
    );
    const reason = await whyNot(now, kopia, signal);
    if (reason !== undefined) {
      left.push({ name, reason });
      for (const { namespace } of resticCopies(name, before)) needing.add(namespace);
      continue;
    }
    backups.push(name);
    for (const { namespace, resticId } of resticCopies(name, before)) {
      if (!needed.has(`${namespace}/${resticId}`))
        snapshots.set(namespace, [...(snapshots.get(namespace) ?? []), resticId]);
    }
  }
  // A backup that could not be read may need any of them.
  const repositories =
    unknown.length > 0 ? [] : [...snapshots.keys()].filter((namespace) => !needing.has(namespace));
  return { backups, snapshots, repositories, left };
}

/** Removes it: snapshots first, the originals last, so that a second life finds what a first left. */
export async function removeRestic(
  { store, opening }: { readonly store: Store; readonly opening: Opening },
  { backups, snapshots, repositories }: ResticRemoval,
  onDone: (words: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const restic = opening.mover("restic");
  for (const [namespace, ids] of snapshots) {
    if (!(await isThere(store, namespace, signal))) continue;
    const repository: Repository = {
      place: repositoryPlace(opening.place, "restic", namespace),
      password: opening.password,
    };
    for (const id of ids) await restic.forget(repository, id, signal);
    let rest = 0;
    await restic.snapshots(repository, () => void (rest += 1), signal);
    if (rest === 0 && repositories.includes(namespace)) {
      await store.deletePrefix(repositoryFolder("restic", namespace), signal);
      onDone(`removed the repository restic/${namespace}`);
    } else {
      await restic.maintain({ repository }, signal);
      onDone(`removed ${ids.length} snapshots of restic/${namespace}; ${rest} are left`);
    }
  }
  for (const name of backups) {
    for (const file of asideFiles) await store.delete(backupFolder(name) + file(name), signal);
  }
}

async function whyNot(
  now: readonly PodVolumeBackup[],
  kopia: KopiaBooks,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const copy of now) {
    const id = copy.status?.snapshotID;
    if (id === undefined) continue;
    const namespace = copy.spec?.pod.namespace ?? "";
    if (uploader(copy) === "restic") return "its conversion has not ended";
    if (!(await kopia.has(namespace, id, signal)))
      return `kopia/${namespace} does not have the snapshot ${id}`;
  }
  return undefined;
}

async function isThere(store: Store, namespace: string, signal: AbortSignal): Promise<boolean> {
  return (await store.head(`${repositoryFolder("restic", namespace)}config`, signal)) !== undefined;
}

/** The snapshots of kopia's repositories, each listed once. Bounded by the namespaces that were converted. */
class KopiaBooks {
  readonly #opening: Opening;
  readonly #books = new Map<string, SnapshotBook>();

  constructor(opening: Opening) {
    this.#opening = opening;
  }

  async has(namespace: string, id: string, signal: AbortSignal): Promise<boolean> {
    const known = this.#books.get(namespace) ?? (await this.#list(namespace, signal));
    return known.use(id);
  }

  async #list(namespace: string, signal: AbortSignal): Promise<SnapshotBook> {
    const { place, password, mover } = this.#opening;
    const book = new SnapshotBook();
    const repository = { place: repositoryPlace(place, "kopia", namespace), password };
    await mover("kopia").snapshots(repository, ({ id }) => void book.add(id), signal);
    this.#books.set(namespace, book);
    return book;
  }
}
