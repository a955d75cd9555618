import {
  type Backup,
  type BackupRepository,
  type BackupStorageLocation,
  includeExclude,
  type KubeObject,
  parseTimeMs,
  passes,
  type Schedule,
  veleroNames,
} from "../api/index.ts";
import type {
  Board,
  BoardBackup,
  BoardLocation,
  BoardSchedule,
  NamespaceProtection,
  ProtectionState,
} from "../observe/index.ts";

/** What the board is made of; a list that this person may not read is absent. */
export interface BoardParts {
  readonly namespaces?: readonly KubeObject[] | undefined;
  readonly backups: readonly Backup[];
  readonly schedules?: readonly Schedule[] | undefined;
  readonly locations?: readonly BackupStorageLocation[] | undefined;
  readonly repositories?: readonly BackupRepository[] | undefined;
}

/** The next moments after `nowMs` at which a schedule runs, at most `count`; none when it never does. */
export type Upcoming = (schedule: Schedule, nowMs: number, count: number) => readonly number[];

/** So many namespaces are told, the worst protected first. */
const mostNamespaces = 2_000;
/** So many next runs of a schedule are looked at; those within a day are told, and the first few in any case. */
const mostRuns = 48;
const leastRuns = 5;
const dayMs = 86_400_000;
/** A namespace is late when its newest good backup is older than so many intervals of its schedule. */
const lateIntervals = 1.5;
/** The usual duration is the median of so many good runs. */
const usualRuns = 5;

/** What is protected, what will run and where it is kept. */
export function boardOf(parts: BoardParts, upcoming: Upcoming, nowMs: number): Board {
  const schedules = parts.schedules ?? [];
  const ended = parts.backups.flatMap((backup) => readBackup(backup) ?? []).toSorted((a, b) => b.at - a.at);
  const plans = schedules.map((schedule) => planOf(schedule, upcoming, nowMs));
  const servers = new Set(
    [...(parts.locations ?? []), ...parts.backups].map(({ metadata }) => metadata.namespace ?? ""),
  );
  const rows = (parts.namespaces ?? [])
    .map(({ metadata: { name } }) => ({
      ...protectionOf(name, ended, plans, nowMs),
      isSystem: /^kube-(system|public|node-lease)$/.test(name) || servers.has(name),
    }))
    .toSorted(worstFirst);
  return {
    namespaces: rows.slice(0, mostNamespaces),
    more: Math.max(0, rows.length - mostNamespaces),
    schedules: plans.map((plan) => scheduleOf(plan, ended, nowMs)),
    locations: (parts.locations ?? []).map((location) => locationOf(location, parts.backups)),
    repositories: (parts.repositories ?? [])
      .filter(({ status }) => status?.phase === "NotReady")
      .map(({ metadata, status }) => ({ name: metadata.name, message: status?.message ?? "" })),
    unread: [
      ...(parts.namespaces ? [] : ["namespaces"]),
      ...(parts.schedules ? [] : ["schedules"]),
      ...(parts.locations ? [] : ["storage locations"]),
      ...(parts.repositories ? [] : ["backup repositories"]),
    ],
  };
}

interface EndedBackup extends BoardBackup {
  readonly spec: Backup["spec"];
  readonly schedule?: string | undefined;
  readonly tookMs?: number | undefined;
}

const endedPhases = new Set(["Completed", "PartiallyFailed", "Failed", "FailedValidation"]);

/** A backup that has ended; undefined for one that runs, waits or is being deleted. */
function readBackup({ metadata, spec, status }: Backup): EndedBackup | undefined {
  const phase = status?.phase ?? "";
  if (!endedPhases.has(phase)) return undefined;
  const startedAt = parseTimeMs(status?.startTimestamp) ?? parseTimeMs(metadata.creationTimestamp) ?? 0;
  const endedAt = parseTimeMs(status?.completionTimestamp);
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    at: endedAt ?? startedAt,
    phase,
    spec,
    schedule: metadata.labels?.[veleroNames.scheduleName],
    ...(endedAt !== undefined && { tookMs: endedAt - startedAt }),
  };
}

interface Plan {
  readonly schedule: Schedule;
  readonly isActive: boolean;
  readonly runs: readonly number[];
  readonly intervalMs: number | undefined;
}

function planOf(schedule: Schedule, upcoming: Upcoming, nowMs: number): Plan {
  const isActive = schedule.spec?.paused !== true && schedule.status?.phase !== "FailedValidation";
  const runs = upcoming(schedule, nowMs, mostRuns);
  const [first, second] = runs;
  return {
    schedule,
    isActive,
    runs: isActive ? runs : [],
    intervalMs: first === undefined || second === undefined ? undefined : second - first,
  };
}

function protectionOf(
  name: string,
  newestFirst: readonly EndedBackup[],
  plans: readonly Plan[],
  nowMs: number,
): Omit<NamespaceProtection, "isSystem"> {
  const holding = newestFirst.filter(({ spec }) => covers(spec, name));
  const whole = holding.filter(({ spec }) => !isNarrowed(spec));
  const good = whole.find(({ phase }) => phase === "Completed");
  const bad = whole.find(({ phase, at }) => phase !== "Completed" && at > (good?.at ?? 0));
  const part = good ? undefined : holding.find(({ phase }) => phase === "Completed");
  const covering = plans.filter(
    ({ schedule, isActive }) => isActive && covers(schedule.spec?.template, name),
  );
  const intervals = covering
    .filter(({ schedule }) => !isNarrowed(schedule.spec?.template))
    .flatMap(({ intervalMs }) => intervalMs ?? []);
  const intervalMs = intervals.length > 0 ? Math.min(...intervals) : undefined;
  return {
    name,
    state: stateOf(good, bad, intervalMs, nowMs),
    ...(good && { good: told(good) }),
    ...(part && { part: told(part) }),
    ...(bad && { bad: told(bad) }),
    schedules: covering.map(({ schedule }) => schedule.metadata.name),
    ...(intervalMs !== undefined && { intervalMs }),
  };
}

function stateOf(
  good: EndedBackup | undefined,
  bad: EndedBackup | undefined,
  intervalMs: number | undefined,
  nowMs: number,
): ProtectionState {
  if (!good) return "unprotected";
  if (bad) return "failing";
  return intervalMs !== undefined && nowMs - good.at > intervalMs * lateIntervals ? "late" : "protected";
}

type Spec = Backup["spec"];

function covers(spec: Spec | undefined, namespace: string): boolean {
  return passes(includeExclude(spec?.includedNamespaces, spec?.excludedNamespaces), namespace);
}

/** Whether filters leave out objects of the namespaces that it holds. */
function isNarrowed(spec: Spec | undefined): boolean {
  const some = (list: readonly string[] | null | undefined) => (list ?? []).some((name) => name !== "*");
  return (
    spec?.labelSelector != null ||
    (spec?.orLabelSelectors ?? []).length > 0 ||
    some(spec?.includedResources) ||
    some(spec?.includedNamespaceScopedResources) ||
    (spec?.excludedNamespaceScopedResources ?? []).includes("*")
  );
}

const order: readonly ProtectionState[] = ["unprotected", "failing", "late", "protected"];

/** Applications before the namespaces of Kubernetes and of the server, the worst before the good, then by name. */
function worstFirst(a: NamespaceProtection, b: NamespaceProtection): number {
  return (
    Number(a.isSystem) - Number(b.isSystem) ||
    order.indexOf(a.state) - order.indexOf(b.state) ||
    (a.name < b.name ? -1 : 1)
  );
}

function scheduleOf(
  { schedule, runs }: Plan,
  newestFirst: readonly EndedBackup[],
  nowMs: number,
): BoardSchedule {
  const { metadata, spec, status } = schedule;
  const own = newestFirst.filter(
    (one) => one.schedule === metadata.name && one.namespace === (metadata.namespace ?? ""),
  );
  const usualMs = median(
    own
      .filter(({ phase }) => phase === "Completed")
      .flatMap(({ tookMs }) => tookMs ?? [])
      .slice(0, usualRuns),
  );
  const [last] = own;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    isPaused: spec?.paused === true,
    ...(status?.phase === "FailedValidation" && { refused: (status.validationErrors ?? []).join("; ") }),
    upcoming: runs.filter((at, index) => index < leastRuns || at <= nowMs + dayMs),
    ...(usualMs !== undefined && { usualMs }),
    ...(last && { last: told(last) }),
  };
}

function locationOf(
  { metadata, spec, status }: BackupStorageLocation,
  backups: readonly Backup[],
): BoardLocation {
  const isHere = (backup: Backup) =>
    backup.spec?.storageLocation === metadata.name && backup.metadata.namespace === metadata.namespace;
  return {
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    provider: spec?.provider ?? "",
    isDefault: spec?.default === true,
    isReadOnly: spec?.accessMode === "ReadOnly",
    ...(status?.phase && { isAvailable: status.phase === "Available" }),
    ...(status?.message && { message: status.message }),
    backups: backups.filter(isHere).length,
  };
}

function told({ namespace, name, at, phase }: EndedBackup): BoardBackup {
  return { namespace, name, at, phase };
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
