import {
  type ActionSet,
  type Backup,
  cancelAnnotation,
  type Drill,
  type MigMigration,
  type Restore,
  veleroNames,
} from "../api/index.ts";
import type { Observation, Operation, State } from "../progress/index.ts";
import { actionStateOf } from "./actionset/phase.ts";
import { readActionSet } from "./actionset/read.ts";
import { type ActionSetFacts, patchActionSet } from "./actionset/write.ts";
import { drillStateOf, isDrillSchedule } from "./drill/phase.ts";
import { readDrill } from "./drill/read.ts";
import { writeDrill } from "./drill/write.ts";
import { migrationStateOf } from "./migration/phase.ts";
import { readMigration } from "./migration/read.ts";
import { runStateOf } from "./run/phase.ts";
import { readBackup, readRestore } from "./run/read.ts";
import { writeBackupItems, writeRestoreItems } from "./run/write.ts";
import type { VolumeObject } from "./volume/read.ts";
import { writePluginVolume, writeVolume } from "./volume/write.ts";

/** An object that is an operation of its own. */
export type RootObject = Backup | Restore | ActionSet | MigMigration | Drill;

/** The name of a kind whose objects are operations of their own. */
export type RootName = RootObject["kind"];

/** What everybody who deals with operations of a kind must know of it. */
interface RootKind<T extends RootObject> {
  /** The operation as the object and the objects of its volumes tell it. */
  readonly read: (object: T, volumes: readonly VolumeObject[], cluster?: string) => Observation;
  readonly stateOf: (object: T) => State;
  /** The merge patch that asks for its end. */
  readonly cancel: object;
  /** Two objects with the same words are runs of the same thing: the one teaches how long the other takes. */
  readonly sameness: (object: T) => readonly string[];
}

const cancelByAnnotation = { metadata: { annotations: { [cancelAnnotation]: "true" } } };

/** One row for each kind whose objects are operations of their own. A new kind is a folder and a row here. */
const roots: { readonly [N in RootName]: RootKind<Extract<RootObject, { kind: N }>> } = {
  Backup: {
    read: readBackup,
    stateOf: ({ status }) => runStateOf(status),
    cancel: cancelByAnnotation,
    sameness({ metadata, spec }) {
      const schedule = metadata.labels?.[veleroNames.scheduleName];
      return schedule ? ["schedule", schedule] : ["namespaces", ...sorted(spec?.includedNamespaces)];
    },
  },
  Restore: {
    read: readRestore,
    stateOf: ({ status }) => runStateOf(status),
    cancel: cancelByAnnotation,
    sameness({ spec }) {
      // Backups of a schedule are named after it with a time; a restore of one is like a restore of the next.
      const { scheduleName, backupName, includedNamespaces } = spec ?? {};
      return ["of", scheduleName || backupName?.replace(/-\d{14}$/, "") || "", ...sorted(includedNamespaces)];
    },
  },
  ActionSet: {
    read: (set, _volumes, cluster) => readActionSet(set, cluster),
    stateOf: ({ status }) => actionStateOf(status),
    cancel: cancelByAnnotation,
    sameness: ({ spec }) =>
      (spec?.actions ?? []).flatMap(({ name, blueprint, object }) => [
        name ?? "",
        blueprint ?? "",
        `${object?.namespace ?? ""}/${object?.name ?? ""}`,
      ]),
  },
  MigMigration: {
    read: (migration, _volumes, cluster) => readMigration(migration, cluster),
    stateOf: migrationStateOf,
    cancel: { spec: { canceled: true } },
    sameness: (migration) => ["plan", migration.spec?.migPlanRef?.name ?? "", errandOf(migration)],
  },
  Drill: {
    read: (drill, _volumes, cluster) => readDrill(drill, cluster),
    stateOf: drillStateOf,
    cancel: cancelByAnnotation,
    sameness: ({ spec, status }) => [
      "of",
      spec?.scheduleName || (status?.backupName ?? spec?.backupName ?? "").replace(/-\d{14}$/, ""),
      ...sorted(spec?.includedNamespaces),
    ],
  },
};

/** The kinds whose objects are operations of their own: what is listed, created and canceled by name. */
export const rootKinds = Object.keys(roots) as readonly RootName[]; // the keys of the table are its names

/** The kinds whose objects are one volume of a root. */
export const volumeKinds = [
  "PodVolumeBackup",
  "PodVolumeRestore",
  "DataUpload",
  "DataDownload",
  "VolumePluginBackup",
  "VolumePluginRestore",
] as const satisfies readonly VolumeObject["kind"][];

/** Reads any root object with its volumes. */
export function readRoot(
  object: RootObject,
  volumes: readonly VolumeObject[],
  cluster?: string,
): Observation {
  return rowOf(object).read(object, volumes, cluster);
}

/** The state of any root object. */
export function rootStateOf(object: RootObject): State {
  return rowOf(object).stateOf(object);
}

/** Whether a root object is work of its own; one that only makes others when their time comes is none. */
export function isOperation(object: RootObject): boolean {
  return object.kind !== "Drill" || !isDrillSchedule(object);
}

/** A status: what tells how far the object is, and `facts` that no operation holds; `before` was written last. */
export function writeStatus(
  kind: RootName | VolumeObject["kind"],
  operation: Operation,
  before: object,
  facts: object = {},
): object {
  // Its facts lie deep inside the actions, between the numbers.
  if (kind === "ActionSet") return patchActionSet(operation, facts as ActionSetFacts, before); // its engine's own
  return { ...writeProgress(kind, operation, before), ...facts };
}

function writeProgress(
  kind: Exclude<RootName, "ActionSet"> | VolumeObject["kind"],
  operation: Operation,
  before: object,
): object {
  switch (kind) {
    case "Backup":
      return written(writeBackupItems(operation));
    case "Restore":
      return written(writeRestoreItems(operation, (before as NonNullable<Restore["status"]>).progress)); // its own status
    case "VolumePluginBackup":
    case "VolumePluginRestore":
      return writePluginVolume(operation, before);
    case "PodVolumeBackup":
    case "PodVolumeRestore":
    case "DataUpload":
    case "DataDownload":
      return writeVolume(operation, before);
    case "MigMigration":
      return {};
    case "Drill":
      return writeDrill(operation);
  }
}

function written(progress: object | undefined): object {
  return progress ? { progress } : {};
}

/** The merge patch that asks for the end of an operation. */
export function cancelPatch(kind: RootName): object {
  return roots[kind].cancel;
}

/** What makes two root objects runs of the same thing. */
export function samenessOf(object: RootObject): readonly string[] {
  return rowOf(object).sameness(object);
}

/** What a migration is for; one that undoes others says nothing about those that move. */
export function errandOf({ spec }: MigMigration): "rollback" | "stage" | "final" {
  if (spec?.rollback === true) return "rollback";
  return spec?.stage === true ? "stage" : "final";
}

/** The row of an object's kind; the table gives each kind the row of its own objects, which a union cannot say. */
function rowOf(object: RootObject): RootKind<RootObject> {
  return roots[object.kind] as RootKind<RootObject>;
}

/** All namespaces are said by an asterisk or by nothing: servers write the one where people wrote the other. */
function sorted(namespaces: readonly string[] | null | undefined): readonly string[] {
  return (namespaces ?? []).filter((name) => name !== "*").toSorted();
}
