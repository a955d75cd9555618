import type { Backup, Restore } from "../../api/index.ts";
import type { Observation, Ref, Sample, StallCause, State, WaitingFor } from "../../progress/index.ts";
import { readVolume, type VolumeObject } from "../volume/read.ts";
import { readBackup, readRestore } from "./read.ts";
import { type BackupStep, type RestoreStep, stepOf, steps, volumesStep } from "./steps.ts";

/** What an engine knows of a run of ours while it goes on, beside the objects themselves. */
interface RunTold<S extends string> {
  /** The step that is under way. */
  readonly step: S;
  /** What is being stored or restored. */
  readonly present?: string | undefined;
  readonly waitingFor?: string | undefined;
  /** What is wrong when it waits for too long; absent where waiting is all there is to say. */
  readonly waitingCause?: StallCause | undefined;
  /** The copies of its volumes, as their objects are now. */
  readonly volumes: readonly VolumeObject[];
  /** Operations on single items that are no copies of volumes with an object of their own, as parts of the tree. */
  readonly operations?: readonly Observation[] | undefined;
  /** All volumes that are to be copied as far as is known, begun or not. */
  readonly planned?: readonly PlannedVolume[] | undefined;
  readonly warnings: number;
  readonly errors: number;
}

/** A volume that will be copied as soon as its pod's turn comes. */
export interface PlannedVolume {
  /** Of its pod; where it goes, in a restore. */
  readonly namespace: string;
  readonly pod: string;
  readonly volume: string;
  readonly bytes?: number | undefined;
  /** The bytes are those of an earlier copy. */
  readonly estimated?: true | undefined;
}

/** What a backup of ours knows. */
export interface BackupTold extends RunTold<BackupStep> {
  readonly items: { readonly done: number; readonly failed: number; readonly total?: number };
  readonly upload?: { readonly done: number; readonly total: number } | undefined;
}

/** What a restore of ours knows. */
export interface RestoreTold extends RunTold<RestoreStep> {
  readonly archive: { readonly done: number; readonly total?: number };
  readonly items?: { readonly totalItems: number; readonly itemsRestored: number } | undefined;
  readonly types: readonly {
    readonly groupResource: string;
    readonly total: number;
    readonly done: number;
  }[];
  readonly hooks?: { readonly done: number; readonly total: number } | undefined;
  /** The items of the backup, known before its archive is read. */
  readonly expectedItems?: number | undefined;
}

/** A backup that we run: its object, and its steps as the engine knows them. */
export function tellBackup(backup: Backup, told: BackupTold): Observation {
  return tellRun("Backup", readBackup(backup, []), told, told.items.total, (name, ref) => {
    switch (name) {
      case "collect":
        return {};
      case "items":
        return {
          progress: itemsSample(told.items),
          ...(told.step === "items" && told.present && { message: told.present }),
          ...(told.waitingFor && { waitingFor: waitOf(told, "hook") }),
          ...causesOf(told),
        };
      case "volumes":
        // A volume may be copied while items are still being stored.
        return copied("Backup", ref, told, told.step === "items" ? { state: "running" } : {});
      case "finish":
        return told.upload ? { progress: { unit: "bytes", ...told.upload } } : {};
    }
  });
}

/** A restore that we run, likewise. */
export function tellRestore(restore: Restore, told: RestoreTold): Observation {
  const items = told.items?.totalItems ?? told.expectedItems;
  return tellRun("Restore", readRestore(restore, []), told, items, (name, ref) => {
    switch (name) {
      case "archive":
        return { progress: { unit: "bytes", ...told.archive } };
      case "items":
        return restoredItems(ref, told);
      case "volumes":
        return copied("Restore", ref, told, told.step === "items" ? { state: "running" } : {});
      case "hooks":
        return hooks(told);
      case "finish":
        return told.step === "finish" && told.waitingFor !== undefined
          ? { waitingFor: { reason: "volume", message: told.waitingFor } }
          : {};
    }
  });
}

/**
 * How a run ended, as the status says that is about to be written. Its steps stay as they were told. The status knows whole
 * seconds; with the moment itself no step lasts longer than its run.
 */
export function tellEnd(run: Backup | Restore, status: object, nowMs?: number): Observation {
  const ended = { ...run, status: { ...run.status, ...status } };
  const { children: _, ...end } =
    ended.kind === "Backup" ? readBackup(ended as Backup, []) : readRestore(ended as Restore, []); // the kind says which
  return end.finishedAt !== undefined && nowMs !== undefined ? { ...end, finishedAt: nowMs } : end;
}

/** `undefined` leaves a step out of the row. */
function tellRun<S extends string>(
  kind: keyof typeof steps,
  head: Observation,
  told: RunTold<S>,
  items: number | undefined,
  detailsOf: (step: S, ref: Ref) => Partial<Observation> | undefined,
): Observation {
  const names = Object.keys(steps[kind]) as S[]; // the table's keys are the steps' names
  const now = names.indexOf(told.step);
  const children = names.flatMap((name, at) => {
    const details = detailsOf(name, head.ref);
    if (!details) return [];
    const state: State = at < now ? "completed" : at === now ? "running" : "pending";
    const blame = name === "items" && at < now ? itemErrors(told) : {};
    const rest = { state, ...details, ...blame };
    return [stepOf(kind, name as BackupStep | RestoreStep, head.ref, rest, items)]; // S is one of both
  });
  return { ...head, warnings: told.warnings, errors: told.errors, children };
}

/**
 * Errors that no volume had when the items were over are those of the items. Later ones change nothing: a step that has
 * ended has ended.
 */
function itemErrors({ errors, volumes, operations = [] }: RunTold<string>): Partial<Observation> {
  const parts = [...volumes.map((volume) => readVolume(volume)), ...operations];
  const isOfVolumes = parts.some(({ state }) => state === "failed");
  return errors > 0 && !isOfVolumes ? { state: "partially-failed", errors } : {};
}

/** Volumes are a step where there are any. */
function copied(
  kind: keyof typeof steps,
  ref: Ref,
  told: RunTold<string>,
  rest: Partial<Observation>,
): Partial<Observation> | undefined {
  const begun = told.volumes.map((volume) => readVolume(volume, ref.cluster));
  const copies = [...begun, ...(told.operations ?? []), ...waiting(kind, told, ref)];
  return copies.length === 0 ? undefined : volumesStep(kind, ref, copies, rest);
}

/** The volumes whose pods have not had their turn. When the items are over, no more pods come. */
function waiting(
  kind: keyof typeof steps,
  { planned = [], volumes, step }: RunTold<string>,
  ref: Ref,
): readonly Observation[] {
  if (step === "volumes" || step === "hooks" || step === "finish") return [];
  const begun = new Set(
    volumes.flatMap((one) =>
      one.kind === "PodVolumeRestore" || one.kind === "PodVolumeBackup"
        ? placeOf(one.spec?.pod, one.spec?.volume)
        : [],
    ),
  );
  return planned.flatMap((one) => {
    const place = placeOf({ namespace: one.namespace, name: one.pod }, one.volume);
    if (begun.has(place)) return [];
    const { bytes, estimated } = one;
    return {
      id: `planned/${place}`,
      ref,
      kind: `podvolume${kind.toLowerCase()}`,
      title: `${one.namespace}/${one.pod}: ${one.volume}`,
      state: "pending",
      ...(bytes && { progress: { unit: "bytes", done: 0, total: bytes, ...(estimated && { estimated }) } }),
      waitingFor: { reason: "pod", message: kind === "Restore" ? "its pod" : "the turn of its pod" },
    };
  });
}

function placeOf(
  pod: { readonly namespace?: string | undefined; readonly name?: string | undefined } | undefined,
  volume = "",
): string {
  return `${pod?.namespace ?? ""}/${pod?.name ?? ""}/${volume}`;
}

function itemsSample({ done, total }: BackupTold["items"]): Sample {
  return { unit: "items", done, ...(total !== undefined && { total }) };
}

function hooks({ hooks: ran, step, waitingFor }: RestoreTold): Partial<Observation> | undefined {
  if (ran === undefined || ran.total === 0) return undefined;
  return {
    progress: { unit: "steps", done: ran.done, total: ran.total },
    ...(step === "hooks" &&
      waitingFor !== undefined && { waitingFor: { reason: "hook", message: waitingFor } }),
  };
}

function restoredItems(ref: Ref, told: RestoreTold): Partial<Observation> {
  const { items, types, present, waitingFor } = told;
  if (items === undefined) return {};
  const isBusy = told.step === "items";
  const typed = types.map(({ groupResource, total, done }, at): Observation => {
    const state = isBusy && at === types.length - 1 && done < total ? "running" : "completed";
    return typeOf(ref, groupResource, groupResource, state, { done, total });
  });
  const listed = types.reduce((sum, { total }) => sum + total, 0);
  const started = types.reduce((sum, { done }) => sum + done, 0);
  const left = Math.max(0, items.totalItems - listed);
  // What no type has begun yet, and what namespaces and companions add, so that the children make up the whole.
  const others = typeOf(ref, "others", "other objects", isBusy ? "running" : "completed", {
    done: Math.min(left, Math.max(0, items.itemsRestored - started)),
    total: left,
  });
  return {
    rule: "items",
    children: left > 0 ? [...typed, others] : typed,
    ...(isBusy && present !== undefined && { message: present }),
    ...(isBusy && waitingFor !== undefined && { waitingFor: waitOf(told, "cluster") }),
    ...causesOf(told),
  };
}

function waitOf({ waitingFor = "", waitingCause }: RunTold<string>, usual: string): WaitingFor {
  return { reason: waitingCause === "plugin-silent" ? "plugin" : usual, message: waitingFor };
}

/** Evidence of what holds the items up, as long as it does. */
function causesOf({ waitingCause }: RunTold<string>): Pick<Observation, "signals"> {
  return waitingCause === undefined ? {} : { signals: { causes: [waitingCause] } };
}

function typeOf(
  ref: Ref,
  id: string,
  title: string,
  state: State,
  count: { readonly done: number; readonly total: number },
): Observation {
  return { id, ref, kind: "type", title, state, progress: { unit: "items", ...count } };
}
