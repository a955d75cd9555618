import { isRecord, parseTimeMs, type StoredBackup, veleroNames } from "../../api/index.ts";
import {
  type BackupFacts,
  surveyBackup,
  surveyBackups,
  surveyRepositories,
} from "../../engines/bucket/index.ts";
import { type BackupWork, type Candidate, choose, type VolumeWork } from "../../engines/recovery/index.ts";
import { isCode } from "../../errors.ts";
import { readCopy } from "../../kinds/index.ts";
import { type HistoryParcel, readParcel, volumeKey } from "../../observe/index.ts";
import { type WholeRun, wholeRun } from "../../progress/index.ts";
import { type BackupFile, backupKey, type Store, storedJson } from "../../store/index.ts";

/** What a bucket says about a recovery. */
export interface Gathered {
  readonly backups: readonly BackupWork[];
  /** What cannot be restored, or not by what is in the bucket, by backup. */
  readonly missing: readonly { readonly backup: string; readonly why: string }[];
}

type Chosen = Candidate & { readonly metadata: StoredBackup };

/** Far more than what runs taught, or the report of a drill, comes to. */
const limits = { packedBytes: 1024 ** 2, bytes: 4 * 1024 ** 2, values: 500_000, depth: 16 };
/** Findings that cost a part of the backup, though the backup itself is whole. */
const losses: readonly string[] = ["copy-failed", "snapshots-elsewhere", "repository-elsewhere"];

/** Reads what has to be restored and what is known about it. The metadata of all backups is held, and the lists of one at a time. */
export async function gather(store: Store, nowMs: number, signal: AbortSignal): Promise<Gathered> {
  const found: Chosen[] = [];
  const missing: { backup: string; why: string }[] = [];
  for await (const { name, metadata } of surveyBackups(store, signal)) {
    if (metadata.is === "damaged") missing.push({ backup: name, why: metadata.why });
    if (metadata.is === "read") found.push(candidateOf(metadata.value));
  }
  const { chosen, failed } = choose(found);
  const repositories = await surveyRepositories(store, signal);
  const backups: BackupWork[] = [];
  for (const one of chosen) {
    const seen = await surveyBackup(store, one.name, repositories, nowMs, signal);
    if (!seen) continue;
    const { facts, report } = seen;
    const bad = report.findings.filter(({ weight, code }) => weight === "error" || losses.includes(code));
    missing.push(...bad.map(({ message }) => ({ backup: one.name, why: message })));
    if (report.state === "lost") continue;
    backups.push(await workOf(store, one, facts, signal));
  }
  missing.push(
    ...failed.map(({ name, phase }) => ({ backup: name, why: `it ended ${phase}; an older one is used` })),
  );
  // What takes longest begins first: its volumes then do not wait behind those of all others.
  const size = ({ volumes }: BackupWork) => volumes.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
  return { backups: backups.toSorted((a, b) => size(b) - size(a) || (a.name < b.name ? -1 : 1)), missing };
}

function candidateOf(metadata: StoredBackup): Chosen {
  const { name, phase, spec, status, labels } = metadata;
  const atMs = parseTimeMs(status.startTimestamp ?? undefined);
  const schedule = labels[veleroNames.scheduleName];
  const filters = [
    spec.labelSelector,
    spec.orLabelSelectors,
    spec.includedResources,
    spec.excludedResources,
    spec.includedNamespaceScopedResources,
    spec.excludedNamespaceScopedResources,
    spec.resourcePolicy,
  ];
  return {
    name,
    phase,
    isPartial: filters.some((one) => (Array.isArray(one) ? one.length > 0 : Boolean(one))),
    namespaces: spec.includedNamespaces ?? [],
    ...(atMs !== undefined && { atMs }),
    ...(schedule !== undefined && { schedule }),
    metadata,
  };
}

async function workOf(
  store: Store,
  { name, metadata }: Chosen,
  facts: BackupFacts,
  signal: AbortSignal,
): Promise<BackupWork> {
  const parcel = readParcel(await beside(store, name, facts, "history", signal));
  const items = metadata.status.progress?.totalItems;
  const restored = objectsOf(parcel, items);
  const readySeconds = readyOf(await beside(store, name, facts, "drill", signal));
  return {
    name,
    ...(items !== undefined && { items }),
    ...(restored && { restored }),
    ...(readySeconds !== undefined && { readySeconds }),
    volumes: [...copiesOf(facts), ...movedOf(facts)].map((volume) => learned(volume, parcel)),
  };
}

/**
 * What the objects of a restore took until its volumes could begin. Items and volumes overlap: those that follow a volume wait for
 * it, and that wait is no time of theirs.
 */
function objectsOf(parcel: HistoryParcel | undefined, items: number | undefined): WholeRun | undefined {
  const parts = parcel?.restore?.parts ?? {};
  const own = wholeRun(parts["/items"], items);
  if (!own) return undefined;
  const of = (path: string) => wholeRun(parts[path])?.seconds ?? 0;
  const [whole, volumes, finish] = [of(""), of("/volumes"), of("/finish")];
  const ahead = whole > 0 && volumes > 0 ? whole - volumes - finish : own.seconds;
  const share = Math.min(1, Math.max(0.05, ahead / own.seconds));
  return { ...own, seconds: share * own.seconds, low: share * own.low, high: share * own.high };
}

function copiesOf({ copies }: BackupFacts): readonly Named[] {
  const all = copies.is === "read" ? copies.value : [];
  return all
    .filter(({ status }) => status?.phase === "Completed" && status.snapshotID !== undefined)
    .map((copy) => ({
      kind: "podvolumebackup",
      title: readCopy(copy).title,
      bytes: copy.status?.progress?.totalBytes,
    }));
}

function movedOf({ infos }: BackupFacts): readonly Named[] {
  const all = infos.is === "read" ? infos.value : [];
  return all.flatMap(({ moved, isSkipped, claimNamespace, claimName }) =>
    moved && !isSkipped && claimNamespace !== undefined && claimName !== undefined
      ? [{ kind: "dataupload", title: `${claimNamespace}/${claimName}`, bytes: moved.bytes }]
      : [],
  );
}

interface Named {
  readonly kind: "podvolumebackup" | "dataupload";
  readonly title: string;
  readonly bytes?: number | undefined;
}

function learned({ kind, title, bytes }: Named, parcel: HistoryParcel | undefined): VolumeWork {
  const back = kind === "podvolumebackup" ? "podvolumerestore" : "datadownload";
  const of = (each: string) => wholeRun(parcel?.volumes[volumeKey({ kind: each, title })]?.parts[""], bytes);
  const [restored, copied] = [of(back), of(kind)];
  return {
    title,
    ...(bytes !== undefined && { bytes }),
    ...(restored && { restored }),
    ...(copied && { copied }),
  };
}

/** How long workloads took to become ready when a drill proved the backup. Anybody may have written the file. */
function readyOf(document: unknown): number | undefined {
  const report = isRecord(document) ? document["report"] : undefined;
  const measured = isRecord(report) && report["verdict"] === "proved" ? report["measured"] : undefined;
  const seconds = isRecord(measured) ? measured["readySeconds"] : undefined;
  return typeof seconds === "number" && seconds >= 0 && seconds < 7 * 86_400 ? seconds : undefined;
}

/** A file of ours beside a backup. A damaged one costs what it would have taught, nothing else. */
async function beside(
  store: Store,
  name: string,
  { files }: BackupFacts,
  file: BackupFile,
  signal: AbortSignal,
): Promise<unknown> {
  if (!files.known.has(file)) return undefined;
  try {
    return await storedJson(store, backupKey(name, file), { limits, packed: true }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isCode(error, "STORED_INVALID") || isCode(error, "STORE_MISSING")) return undefined;
    throw error;
  }
}
