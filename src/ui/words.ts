import {
  type Eta,
  formatDuration,
  formatEta,
  formatProgress,
  formatStall,
  isTerminal,
  type Operation,
  type State,
  type WaitingFor,
} from "../progress/index.ts";
import { stalledPart } from "./order.ts";

/** A state as a person reads it. */
export const stateWords: Readonly<Record<State | "stalled", string>> = {
  pending: "Waiting",
  running: "Running",
  completed: "Completed",
  "partially-failed": "Partly failed",
  failed: "Failed",
  canceled: "Canceled",
  skipped: "Skipped",
  stalled: "Stalled",
};

/** A kind of operation as a person reads it. */
export function kindWord(kind: string): string {
  return kindWords[kind] ?? kind.charAt(0).toUpperCase() + kind.slice(1);
}

const kindWords: Readonly<Record<string, string>> = {
  actionset: "Action",
  stage: "Staging",
  podvolumebackup: "Volume",
  podvolumerestore: "Volume",
  dataupload: "Volume",
  datadownload: "Volume",
  volumepluginbackup: "Snapshot",
  volumepluginrestore: "Snapshot",
};

/** The most urgent thing to know of an operation, in plain words. */
export function newsOf(operation: Operation, nowMs: number): string {
  if (isTerminal(operation.state)) return endWords(operation);
  const still = stalledPart(operation);
  if (still?.stall) {
    const where = still === operation ? "" : `${still.title}: `;
    return `${where}${formatStall(still.stall, nowMs)}`;
  }
  if (operation.waitingFor) return `waiting for ${waitWords(operation.waitingFor)}`;
  return operation.eta ? formatEta(operation.eta) : "";
}

/** What an operation waits for. */
function waitWords({ reason, object, message }: WaitingFor): string {
  return message ?? (object ? `${object.kind} ${object.name}` : reason);
}

function endWords({ state, message, startedAt, finishedAt, errors, warnings }: Operation): string {
  const facts: string[] = [];
  if (startedAt !== undefined && finishedAt !== undefined && finishedAt >= startedAt) {
    facts.push(
      `${state === "completed" ? "in" : "after"} ${formatDuration((finishedAt - startedAt) / 1000)}`,
    );
  }
  if (errors > 0) facts.push(counted(errors, "error"));
  if (warnings > 0) facts.push(counted(warnings, "warning"));
  if (message !== undefined && state !== "completed") facts.push(message);
  return facts.join(", ");
}

/** `1 error`, `2 errors`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The numbers behind a bar, nothing where they only repeat the percent. What runs tells more than how many steps are over. */
export function numbersOf(operation: Operation): string {
  const { progress, kind, children } = operation;
  if (!progress) return "";
  if (progress.unit === "steps" && operation.state === "running") {
    const works = children.flatMap((child) => (child.state === "running" ? (workOf(child) ?? []) : []));
    const work = works.find(({ unit }) => unit === "bytes") ?? works[0];
    if (work) return formatProgress(work);
  }
  // Kanister counts phases in hundredths of a percent: those are no steps that anybody takes.
  if (kind === "phase" && progress.unit === "steps") return "";
  if (progress.unit === "steps" && children.length === 0 && progress.total === 1) return "";
  // A set of one action has as many steps as that action.
  const [only] = children;
  if (progress.unit === "steps" && progress.total === 1 && only) return numbersOf(only);
  return formatProgress(progress);
}

type Work = Pick<NonNullable<Operation["progress"]>, "unit" | "done" | "total">;

/** What an operation and its parts have moved: bytes before items; the total is unknown while one part's is. */
function workOf({ progress, children }: Operation): Work | undefined {
  if (progress && progress.unit !== "steps") return progress;
  const parts = children.flatMap((child) => workOf(child) ?? []);
  const unit = parts.some((part) => part.unit === "bytes") ? "bytes" : "items";
  const same = parts.filter((part) => part.unit === unit);
  if (same.length === 0) return undefined;
  const done = same.reduce((sum, part) => sum + part.done, 0);
  const totals = same.flatMap(({ total }) => (total === undefined ? [] : [total]));
  return {
    unit,
    done,
    ...(totals.length === same.length && { total: totals.reduce((sum, total) => sum + total, 0) }),
  };
}

/** How sure an estimate is: the width of the range that holds in four of five cases. */
export function sureness(eta: Eta): string {
  if ("unknown" in eta || eta.seconds <= 0) return "";
  const width = (eta.high - eta.low) / eta.seconds;
  if (eta.high < 10) return "nearly there";
  return width < 0.35 ? "quite sure" : width < 1 ? "fairly sure" : "a rough guess";
}

/** How long it has taken until now, or took. */
export function elapsed({ startedAt, finishedAt }: Operation, nowMs: number): string {
  return startedAt === undefined ? "" : formatDuration(Math.max(0, (finishedAt ?? nowMs) - startedAt) / 1000);
}

/** A moment in this browser's own zone. */
export function localTime(atMs: number): string {
  return new Date(atMs).toLocaleString(undefined, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}

/** A moment as short as it can be told: the time alone on the same day, the year only when it is another. */
export function shortTime(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)];
  const clock = { hour: "2-digit", minute: "2-digit" } as const;
  if (at.toDateString() === now.toDateString())
    return at.toLocaleTimeString(undefined, { ...clock, second: "2-digit" });
  const isThisYear = at.getFullYear() === now.getFullYear();
  const day = { month: "short", day: "numeric", ...(!isThisYear && { year: "numeric" as const }) } as const;
  return at.toLocaleString(undefined, { ...day, ...clock });
}

/** The same moment in UTC. */
export function utcTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
