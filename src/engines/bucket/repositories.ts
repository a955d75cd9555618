import { grammar } from "../../api/index.ts";
import { isCode, messageOf } from "../../errors.ts";
import {
  definitionOf,
  type Mover,
  type MoverKind,
  moverKinds,
  type Place,
  repositoryPlace,
} from "../../movers/index.ts";
import { repositoryFolder, type Store } from "../../store/index.ts";
import { type Finding, finding, quoted } from "./findings.ts";
import { type Folder, folders } from "./folder.ts";
import { SnapshotBook } from "./snapshot-book.ts";
import type { KnownRepositories, SnapshotUse } from "./volumes.ts";

/** What a check says about a repository. */
export interface RepositoryReport {
  /** `kopia/NAMESPACE` or `restic/NAMESPACE`. */
  readonly name: string;
  readonly mover: MoverKind;
  readonly bytes: number;
  readonly objects: number;
  /** Absent where it was not opened. */
  readonly snapshots?: number;
  /** Backups that need it. */
  readonly backups: number;
  readonly findings: readonly Finding[];
}

/** What opens repositories. */
export interface Opening {
  readonly place: Place;
  readonly password: string;
  /** MOVER_MISSING where the program is not on this machine. */
  readonly mover: (kind: MoverKind) => Mover;
}

/** Ids of snapshots that are held at a time, a hundred bytes each. */
const heldIds = 1_000_000;

interface Known {
  readonly folder: Folder;
  readonly mover: MoverKind;
  readonly isFormed: boolean;
  readonly book: SnapshotBook | undefined;
  readonly findings: readonly Finding[];
  /** Listed a second time. */
  readonly isFresh?: boolean;
  backups: number;
}

/** The repositories of a bucket. Bounded by its namespaces and `heldIds`. */
export class Repositories implements KnownRepositories {
  readonly #store: Store;
  readonly #opening: Opening | undefined;
  readonly #known = new Map<string, Known>();
  #heldIds = 0;

  constructor(store: Store, opening: Opening | undefined) {
    this.#store = store;
    this.#opening = opening;
  }

  /** Names that are there, for a total that is known before the work. */
  async count(signal: AbortSignal): Promise<number> {
    let count = 0;
    for (const kind of moverKinds) {
      for await (const entry of this.#store.list(`${kind}/`, { delimiter: "/" }, signal)) {
        if ("prefix" in entry) count += 1;
      }
    }
    return count;
  }

  /** Looks at each of them; `strange` hears of what is none. */
  async survey(onDone: () => void, strange: (found: Finding) => void, signal: AbortSignal): Promise<void> {
    for (const kind of moverKinds) {
      const prefix = `${kind}/`;
      for await (const folder of folders(this.#store.list(prefix, {}, signal), prefix)) {
        const key = `${prefix}${folder.name}`;
        if (!grammar.namespace.fits(folder.name)) {
          const what = `${quoted(folder.keys[0]?.key ?? key)} is in no repository: those are named after namespaces`;
          strange(finding("strange-name", what, folder.keys[0]?.key));
        } else {
          this.#known.set(key, await this.#look(kind, folder, signal));
        }
        onDone();
      }
    }
  }

  /** Opens a repository once more when it lacks a snapshot: a backup may have ended since it was listed. */
  async lookAgain(uses: readonly SnapshotUse[], signal: AbortSignal): Promise<void> {
    for (const { repository, snapshotId } of uses) {
      const known = this.#known.get(repository);
      if (known?.book === undefined || known.isFresh || known.book.use(snapshotId)) continue;
      await this.#look(known.mover, known.folder, signal, known.book);
      this.#known.set(repository, { ...known, isFresh: true });
    }
  }

  isThere(repository: string): boolean {
    return this.#known.get(repository)?.isFormed === true;
  }

  hasSnapshot(repository: string, snapshotId: string): boolean | undefined {
    return this.#known.get(repository)?.book?.use(snapshotId);
  }

  /** A backup needs it. */
  use(repository: string): void {
    const known = this.#known.get(repository);
    if (known) known.backups += 1;
  }

  /** What is to be said of each; `allRead` when every backup said what it needs. */
  reports(allRead: boolean): readonly RepositoryReport[] {
    return [...this.#known].map(([name, { folder, mover, book, findings, backups }]) => ({
      name,
      mover,
      bytes: folder.bytes,
      objects: folder.objects,
      ...(book && { snapshots: book.size }),
      backups,
      findings: [
        ...findings,
        ...(backups === 0 ? [unused(name, allRead)] : []),
        ...(book && backups > 0 && book.unused > 0
          ? [
              finding(
                "snapshots-unused",
                `${book.unused} of its ${book.size} snapshots are in no backup of this bucket`,
              ),
            ]
          : []),
      ],
    }));
  }

  /** Those that no backup needs, with their newest object. */
  unused(): readonly { readonly name: string; readonly folder: Folder }[] {
    return [...this.#known].flatMap(([name, { backups, folder, isFormed }]) =>
      backups === 0 && isFormed ? [{ name, folder }] : [],
    );
  }

  async #look(
    kind: MoverKind,
    folder: Folder,
    signal: AbortSignal,
    book = new SnapshotBook(),
  ): Promise<Known> {
    const name = `${kind}/${folder.name}`;
    const common = { folder, mover: kind, backups: 0, book: undefined };
    if (!(await this.#isFormed(kind, folder.name, signal))) {
      const what = `${name} is no repository of ${kind}: the object that describes it is missing`;
      return { ...common, isFormed: false, findings: [finding("repository-damaged", what, `${name}/`)] };
    }
    if (!this.#opening) return { ...common, isFormed: true, findings: [] };
    const { place, password, mover } = this.#opening;
    try {
      const repository = { place: repositoryPlace(place, kind, folder.name), password };
      await mover(kind).snapshots(
        repository,
        ({ id }) => {
          if (this.#heldIds > heldIds || book.add(id)) this.#heldIds += 1;
        },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      return { ...common, isFormed: true, findings: [trouble(name, error)] };
    }
    if (this.#heldIds <= heldIds) return { ...common, isFormed: true, book, findings: [] };
    const what = `the snapshots of ${name} are not compared: this check holds ${heldIds} ids`;
    return { ...common, isFormed: true, findings: [finding("not-checked", what)] };
  }

  /** The object without which nobody can open it. */
  async #isFormed(kind: MoverKind, namespace: string, signal: AbortSignal): Promise<boolean> {
    const folder = repositoryFolder(kind, namespace);
    const object = definitionOf(kind).upstream.formatObject ?? "config";
    for (const suffix of ["", ".f"]) {
      if ((await this.#store.head(`${folder}${object}${suffix}`, signal)) !== undefined) return true;
    }
    return false;
  }
}

function unused(name: string, allRead: boolean): Finding {
  const far = allRead ? "" : ", as far as the backups could be read";
  return finding("repository-unused", `no backup needs ${name}${far}`, `${name}/`);
}

function trouble(name: string, error: unknown): Finding {
  if (isCode(error, "MOVER_PASSWORD")) {
    return finding("repository-password", `the password does not open ${name}`, `${name}/`);
  }
  if (isCode(error, "MOVER_MISSING") || isCode(error, "MOVER_ARGUMENT")) {
    return finding("not-checked", `${name} was not opened: ${messageOf(error)}`);
  }
  return finding("repository-damaged", `${name} cannot be opened: ${messageOf(error)}`, `${name}/`);
}
