import { createHash } from "node:crypto";
import { type RootObject, samenessOf } from "../kinds/index.ts";
import {
  expectedSeconds,
  type History,
  isVolume,
  learn,
  type Observation,
  type Operation,
  type Tracked,
  trackedChildren,
} from "../progress/index.ts";

/** What earlier runs of one thing taught, for the whole and for each of its parts. */
export interface HistoryBook {
  readonly version: 2;
  /** Epoch ms of the last lesson: the oldest books are dropped first. */
  readonly at: number;
  /** By the path of the part; the whole has the empty path. */
  readonly parts: Readonly<Record<string, History>>;
}

/** A book has at most so many parts, the whole and its steps first: 16 kB each is a limit that few come near. */
const maxParts = 24;
/** So many volumes of one run are learned from on their own. */
const maxVolumes = 64;
/** And at most so many characters. */
export const maxBookChars = 32_000;

/** Two runs with the same key are runs of the same thing. Safe as a key of a ConfigMap. */
export function historyKey(object: RootObject): string {
  const { kind, metadata } = object;
  return safeKey([kind.toLowerCase(), metadata.namespace ?? "", ...samenessOf(object)]);
}

/**
 * The keys under which an object's runs are found, the most telling first: the same namespaces teach each other whatever
 * the backup, or the schedule behind it, is called.
 */
export function historyKeys(object: RootObject): readonly string[] {
  const keys = [historyKey(object)];
  if (object.kind === "Backup") {
    const { labels: _, ...metadata } = object.metadata;
    keys.push(historyKey({ ...object, metadata }));
  }
  if (object.kind === "Restore" && object.spec?.includedNamespaces?.some((name) => name !== "*"))
    keys.push(historyKey({ ...object, spec: { ...object.spec, backupName: "", scheduleName: "" } }));
  return [...new Set(keys)];
}

/** The key of a volume's own copies, in whatever backup or restore. */
export function volumeKey({ kind, title }: Pick<Operation, "kind" | "title">): string {
  const way = /(?:restore|download)$/.test(kind) ? "restore" : "backup";
  return `volume.${way}.${safeKey([title])}`;
}

/** A book, and what else is known of volumes that it may not have. */
export interface Lessons extends HistoryBook {
  readonly volume?: (part: Pick<Operation, "kind" | "title">) => History | undefined;
}

function safeKey(words: readonly string[]): string {
  const plain = words.join(".");
  if (/^[-._a-zA-Z0-9]{1,200}$/.test(plain)) return plain;
  const mark = createHash("sha256").update(words.join("\n")).digest("hex").slice(0, 16);
  return `${plain.replace(/[^-._a-zA-Z0-9]/g, "_").slice(0, 180)}.${mark}`;
}

/**
 * Gives each part of an observation what earlier runs taught of it. Steps are weighted by their usual time where it
 * is known and the run is `fresh`: a bar that already moves keeps its weights.
 */
export function withHistory(
  seen: Observation,
  book: Lessons | undefined,
  fresh: boolean,
  path = "",
): Observation {
  if (!book) return seen;
  const children = seen.children?.map((child) => withHistory(child, book, fresh, pathOf(path, child)));
  const weights = children && fresh && seen.rule === "steps" ? weigh(children) : undefined;
  const known = book.parts[path] ?? (isVolume(seen) ? book.volume?.(seen) : undefined);
  const history = known ?? (path === "" && weights ? inTurn(weights) : undefined);
  return {
    ...seen,
    ...(history && { history }),
    ...(children && {
      children: weights ? children.map((child, i) => ({ ...child, weight: weights[i] ?? 0 })) : children,
    }),
  };
}

/** The usual seconds of each part; one that is not known yet takes its given weight, on the scale of the known ones. */
function weigh(children: readonly Observation[]): readonly number[] | undefined {
  const seconds = children.map((child) => (child.weight === 0 ? 0 : expectedSeconds(child.history)));
  if (seconds.every((each) => each !== undefined)) return seconds;
  const given = children.map(({ weight }) => weight);
  if (given.some((weight) => weight === undefined) || seconds.every((each) => !each)) return undefined;
  const known = seconds.flatMap((each, i) =>
    each === undefined || each === 0 ? [] : [{ each, weight: given[i] ?? 0 }],
  );
  const scale =
    known.reduce((sum, { each }) => sum + each, 0) / known.reduce((sum, { weight }) => sum + weight, 0);
  return seconds.map((each, i) => each ?? (given[i] ?? 0) * scale);
}

/** A whole that never ran: the usual times of its steps, one after the other. How wrong that is nobody knows yet. */
function inTurn(seconds: readonly number[]): History {
  const ms = 1000 * seconds.reduce((sum, each) => sum + each, 0);
  return { version: 2, runs: [{ ms, unit: "steps", units: 1, curve: [0, 0, 1000, 1000] }] };
}

/** The book with one more run in it; the same book when the run teaches nothing. */
export function learnBook(
  book: HistoryBook | undefined,
  tracked: Tracked,
  nowMs: number,
): HistoryBook | undefined {
  if (tracked.operation.state !== "completed") return book;
  const parts: Record<string, History> = {};
  for (const [path, part] of pathsOf(tracked)) {
    const history = learn(book?.parts[path], part);
    if (history && Object.keys(parts).length < maxParts) parts[path] = history;
  }
  return fitted({ version: 2, at: nowMs, parts });
}

/** The parts level by level, so that the whole and its steps come before the many volumes. */
function pathsOf(tracked: Tracked): readonly (readonly [string, Tracked])[] {
  const found: [string, Tracked][] = [["", tracked]];
  for (let i = 0; i < found.length && found.length < 4 * maxParts; i++) {
    const [path, part] = found[i] ?? ["", tracked];
    for (const child of trackedChildren(part)) found.push([pathOf(path, child.operation), child]);
  }
  return found;
}

/** Volume objects have a new name in every run; what they copy keeps its own. */
function pathOf(parent: string, child: Pick<Observation, "id" | "title">): string {
  return `${parent}/${child.id.includes("/") ? child.title : child.id}`;
}

function fitted(book: HistoryBook): HistoryBook {
  const parts = Object.entries(book.parts);
  while (parts.length > 1 && JSON.stringify(Object.fromEntries(parts)).length > maxBookChars - 100)
    parts.pop();
  return { ...book, parts: Object.fromEntries(parts) };
}

/** Every volume of a run that is over, by its key. */
export function volumesIn(tracked: Tracked): readonly (readonly [key: string, Tracked])[] {
  const own = isVolume(tracked.operation) ? [[volumeKey(tracked.operation), tracked] as const] : [];
  return [...own, ...trackedChildren(tracked).flatMap(volumesIn)].slice(0, maxVolumes);
}

/**
 * What backups let expect of the restore that nobody has run yet: about as long, evenly. Only the newest run is taken, so
 * that the range is as wide as that of a thing seen once.
 */
export function asRestore(history: History): History {
  return {
    version: 2,
    runs: history.runs
      .slice(-1)
      .map(({ ms, unit, units }) => ({ ms, unit, units, curve: [0, 0, 1000, 1000] })),
  };
}
