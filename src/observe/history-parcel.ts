import type { Backup, Restore } from "../api/index.ts";
import type { History, Tracked } from "../progress/index.ts";
import { asRestore, type HistoryBook, historyKey, historyKeys, maxBookChars, volumesIn } from "./history.ts";

/** What lies beside a backup in its bucket: what its runs taught, for clusters that have seen none of them. */
export interface HistoryParcel {
  readonly version: 2;
  readonly backup?: HistoryBook;
  /** Of restores of it, once there was one. */
  readonly restore?: HistoryBook;
  /** By the key of each volume's copies. */
  readonly volumes: Readonly<Record<string, HistoryBook>>;
}

/** A parcel has at most so many characters: a few kilobytes for most backups. */
const maxParcelChars = 256_000;

/** Packs what is known of a backup, of its volumes and of its restores; undefined when that is nothing. */
export function packed(
  books: ReadonlyMap<string, HistoryBook>,
  backup: Backup,
  tracked: Tracked | undefined,
): HistoryParcel | undefined {
  const found = historyKeys(backup).flatMap((key) => books.get(key) ?? [])[0];
  const restore = books.get(restoreKey(backup));
  const volumes: Record<string, HistoryBook> = {};
  let chars = 0;
  for (const [key] of tracked ? volumesIn(tracked) : []) {
    const bare = key.replace(/^volume\.(?:backup|restore)\./, "");
    for (const each of [`volume.backup.${bare}`, `volume.restore.${bare}`]) {
      const book = books.get(each);
      chars += book ? JSON.stringify(book).length : 0;
      if (book && chars < maxParcelChars) volumes[each] = book;
    }
  }
  if (!found && !restore && Object.keys(volumes).length === 0) return undefined;
  return { version: 2, ...(found && { backup: found }), ...(restore && { restore }), volumes };
}

/** The books of a parcel by their keys in this cluster; a restore that nobody has run is expected from the backup. */
export function unpacked(parcel: HistoryParcel, backup: Backup): readonly (readonly [string, HistoryBook])[] {
  const { backup: made, restore, volumes } = parcel;
  const guessed = made && !restore ? eachPart(made, asRestore) : undefined;
  const own = [
    ...(made ? historyKeys(backup).map((key) => [key, made] as const) : []),
    ...[restore ?? guessed].flatMap((book) => (book ? [[restoreKey(backup), book] as const] : [])),
  ];
  const copies = Object.entries(volumes).flatMap(([key, book]) => {
    const back = key.replace(/^volume\.backup\./, "volume.restore.");
    return back === key || volumes[back]
      ? [[key, book] as const]
      : [[key, book] as const, [back, eachPart(book, asRestore)] as const];
  });
  return [...own, ...copies];
}

/** Reads a parcel that anybody with access to the bucket may have written: only what has the right shape is taken. */
export function readParcel(value: unknown): HistoryParcel | undefined {
  const { version, backup, restore, volumes } = (value ?? {}) as Partial<HistoryParcel>; // checked below
  if (version !== 2 || typeof volumes !== "object" || volumes === null) return undefined;
  const [made, back] = [readBook(backup), readBook(restore)];
  const copies = Object.entries(volumes).flatMap(([key, each]) => {
    const book = /^volume\.(?:backup|restore)\.[-._a-zA-Z0-9]{1,200}$/.test(key) ? readBook(each) : undefined;
    return book ? [[key, book] as const] : [];
  });
  return {
    version,
    ...(made && { backup: made }),
    ...(back && { restore: back }),
    volumes: Object.fromEntries(copies),
  };
}

/** A book that somebody may have edited; undefined for what is none. */
export function readBook(value: unknown): HistoryBook | undefined {
  const book = (value ?? {}) as Partial<HistoryBook>; // checked below
  if (book.version !== 2 || typeof book.at !== "number" || !book.parts) return undefined;
  if (JSON.stringify(book).length > maxBookChars) return undefined;
  return Object.values(book.parts).every(isHistory) ? (book as HistoryBook) : undefined;
}

function isHistory(history: History | undefined): boolean {
  return (
    history?.version === 2 &&
    Array.isArray(history.runs) &&
    history.runs.length <= 8 &&
    history.runs.every(
      (run) =>
        Number.isFinite(run?.ms) &&
        Number.isFinite(run.units) &&
        isCurve(run.curve) &&
        (run.carried === undefined || (Number.isFinite(run.carried?.bytes) && isCurve(run.carried.curve))),
    )
  );
}

function isCurve(curve: unknown): boolean {
  return (
    Array.isArray(curve) &&
    curve.every((each: unknown) => typeof each === "number" && each >= 0 && each <= 1000)
  );
}

function eachPart(book: HistoryBook, of: (history: History) => History): HistoryBook {
  return {
    ...book,
    parts: Object.fromEntries(Object.entries(book.parts).map(([path, history]) => [path, of(history)])),
  };
}

/** Under which a restore of this backup is looked for. */
function restoreKey({ metadata }: Backup): string {
  const restore: Restore = {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name: "", ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) },
    spec: { backupName: metadata.name },
  };
  return historyKey(restore);
}
