import type { Board, BoardLocation, BoardSchedule, NamespaceProtection } from "../observe/index.ts";
import { counted } from "../progress/index.ts";

/** The answer to "am I safe?" in one sentence, and whether it is yes. */
export function verdict({ namespaces, unread }: Board): { readonly text: string; readonly isSafe: boolean } {
  if (unread.includes("namespaces"))
    return { text: "You may not list namespaces, so what is protected cannot be said", isSafe: false };
  const own = namespaces.filter(({ isSystem }) => !isSystem);
  if (own.length === 0) return { text: "There is no namespace of an application yet", isSafe: true };
  const count = (state: NamespaceProtection["state"]) => own.filter((one) => one.state === state).length;
  const [none, failing, late] = [count("unprotected"), count("failing"), count("late")];
  if (none + failing + late === 0) return { text: `${allOf(own.length)} protected`, isSafe: true };
  const parts = [
    ...(none > 0 ? [`${none} without a good backup`] : []),
    ...(failing > 0 ? [`${failing} whose last backup failed`] : []),
    ...(late > 0 ? [`${late} late`] : []),
  ];
  return { text: `Of ${counted(own.length, "namespace")}: ${parts.join(", ")}`, isSafe: false };
}

function allOf(count: number): string {
  return count === 1 ? "The one namespace is" : `All ${count} namespaces are`;
}

/** What is true of a namespace, in a few words. */
export function protectionWords({ state, schedules, part }: NamespaceProtection): string {
  switch (state) {
    case "unprotected":
      return part ? "Only in part" : "Not protected";
    case "failing":
      return "Last backup failed";
    case "late":
      return "Late";
    case "protected":
      return schedules.length > 0 ? "Protected" : "Protected, no schedule";
  }
}

/** How long ago, as short as it can be told: `2 h`, `3 d`. */
export function age(atMs: number, nowMs: number): string {
  return roughly(nowMs - atMs);
}

/** How often, in words. */
export function everyWords(intervalMs: number): string {
  return `every ${roughly(intervalMs)}`;
}

function roughly(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** A problem of the board, with the command that helps. */
export interface BoardProblem {
  readonly id: string;
  readonly text: string;
  readonly help: string;
}

/** What is wrong besides operations: locations, repositories, schedules. */
export function boardProblems({ locations, repositories, schedules }: Board): readonly BoardProblem[] {
  return [
    ...locations.flatMap(locationProblem),
    ...repositories.map(({ name, message }) => ({
      id: `repository ${name}`,
      text: `The repository ${name} is not ready: ${message}`,
      help: "headway repo get",
    })),
    ...schedules.flatMap(scheduleProblem),
  ];
}

function locationProblem({ name, namespace, isAvailable, message }: BoardLocation): readonly BoardProblem[] {
  if (isAvailable !== false) return [];
  return [
    {
      id: `location ${namespace}/${name}`,
      text: `The storage location ${name} is unavailable: ${message ?? "it does not say why"}`,
      help: `headway location get ${name}`,
    },
  ];
}

function scheduleProblem({ name, namespace, refused }: BoardSchedule): readonly BoardProblem[] {
  if (refused === undefined) return [];
  return [
    {
      id: `schedule ${namespace}/${name}`,
      text: `The schedule ${name} makes no backups: ${refused}`,
      help: `headway schedule describe ${name}`,
    },
  ];
}

/** A run of a schedule in the coming day, as shares of the day. */
export interface PlannedRun {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

const dayMs = 86_400_000;

/** Where the runs of a schedule lie in the 24 hours from now. Without a usual duration a run is a moment. */
export function plannedRuns({ upcoming, usualMs = 0 }: BoardSchedule, nowMs: number): readonly PlannedRun[] {
  return upcoming
    .filter((at) => at >= nowMs && at < nowMs + dayMs)
    .map((at) => ({
      at,
      from: (at - nowMs) / dayMs,
      to: Math.min(1, (at + usualMs - nowMs) / dayMs),
    }));
}
