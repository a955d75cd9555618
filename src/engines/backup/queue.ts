import { type Backup, cancelAnnotation, isGlob } from "../../api/index.ts";
import { isRunUnderWay } from "../../kinds/index.ts";

/** What the queue does next with one backup. */
export type QueueStep =
  /** Runs it; a backup that was under way when the operator died is run again. */
  | { readonly do: "start"; readonly name: string }
  | { readonly do: "queue"; readonly name: string; readonly position: number }
  /** It runs here and must stop. */
  | { readonly do: "stop"; readonly name: string }
  /** It never started and never will. */
  | { readonly do: "drop"; readonly name: string };

/** Decides about all backups of a server at once: pure, so that every order of events is a table row. */
export function planQueue(
  backups: readonly Backup[],
  running: ReadonlySet<string>,
  concurrent: number,
): QueueStep[] {
  const steps: QueueStep[] = [];
  const alive = backups.filter((backup) => !backup.metadata.deletionTimestamp);
  for (const backup of alive) {
    const name = nameOf(backup);
    if (!isCanceled(backup)) continue;
    if (running.has(name)) steps.push({ do: "stop", name });
    else if (isWaiting(backup) || isRunUnderWay(phaseOf(backup))) steps.push({ do: "drop", name });
  }
  const wanted = alive.filter((backup) => !isCanceled(backup));
  // One that only waits for operations beside its items keeps nobody from a slot.
  const busy = wanted.filter((backup) => running.has(nameOf(backup)) && !isPastItems(backup));
  const again = wanted.filter((b) => isRunUnderWay(phaseOf(b)) && !running.has(nameOf(b)));
  for (const backup of again) steps.push({ do: "start", name: nameOf(backup) });
  return [...steps, ...planWaiting(wanted.filter(isWaiting), [...busy, ...again], running, concurrent)];
}

function planWaiting(
  waiting: readonly Backup[],
  under: readonly Backup[],
  running: ReadonlySet<string>,
  concurrent: number,
): QueueStep[] {
  const steps: QueueStep[] = [];
  const ahead = [...under];
  let slots = concurrent - under.length;
  let position = 0;
  for (const backup of waiting.filter((b) => !running.has(nameOf(b))).toSorted(byTurn)) {
    const name = nameOf(backup);
    if (slots > 0 && position === 0 && !ahead.some((other) => sharesNamespaces(other, backup))) {
      steps.push({ do: "start", name });
      ahead.push(backup);
      slots -= 1;
      continue;
    }
    position += 1;
    if (phaseOf(backup) !== "Queued" || backup.status?.queuePosition !== position) {
      steps.push({ do: "queue", name, position });
    }
  }
  return steps;
}

/** Those that have a place keep their order; the others follow by age. */
function byTurn(a: Backup, b: Backup): number {
  const place = (backup: Backup) =>
    phaseOf(backup) === "ReadyToStart" ? 0 : (backup.status?.queuePosition ?? Number.MAX_SAFE_INTEGER);
  return place(a) - place(b) || ageKey(a).localeCompare(ageKey(b));
}

function ageKey({ metadata }: Backup): string {
  return `${metadata.creationTimestamp ?? ""} ${metadata.name}`;
}

/** Whether two backups may touch the same namespace; patterns may always. */
function sharesNamespaces(a: Backup, b: Backup): boolean {
  const left = a.spec?.includedNamespaces ?? [];
  const right = b.spec?.includedNamespaces ?? [];
  if (left.length === 0 || right.length === 0 || left.some(isGlob) || right.some(isGlob)) return true;
  return left.some((name) => right.includes(name));
}

/** Whether somebody asked a backup to stop. */
function isCanceled(backup: Backup): boolean {
  return backup.spec?.cancel === true || backup.metadata.annotations?.[cancelAnnotation] === "true";
}

function isPastItems(backup: Backup): boolean {
  return isRunUnderWay(phaseOf(backup)) && phaseOf(backup) !== "InProgress";
}

function isWaiting(backup: Backup): boolean {
  return ["New", "Queued", "ReadyToStart"].includes(phaseOf(backup));
}

/** The phase; nothing means New. */
export function phaseOf(backup: Backup): string {
  return backup.status?.phase || "New";
}

function nameOf(backup: Backup): string {
  return backup.metadata.name;
}
