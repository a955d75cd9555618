import type { Unit } from "../progress/index.ts";

// What the server answers to the page besides operations: one definition for the room that says it and the one that reads it.

/** What a server can do. */
export interface About {
  /** Whether things may be started and canceled. */
  readonly writes: boolean;
  /** Whether it gives objects, events and files. */
  readonly objects: boolean;
  /** Whether it shows more than one cluster. */
  readonly several: boolean;
}

/** A cluster, and why it does not answer. */
export interface ClusterState {
  readonly name: string;
  readonly error?: string;
}

/** How an operation went so far, for a chart. Times are milliseconds of work since its start; waiting does not count. */
export interface Curve {
  /** The work that can be measured best: bytes before items. */
  readonly work?: {
    readonly title: string;
    readonly unit: Unit;
    readonly total?: number;
    readonly marks: readonly (readonly [ms: number, done: number])[];
  };
  /** When the end was expected, each time it was told: `[moment, expected end]`. */
  readonly told: readonly (readonly [ms: number, endMs: number])[];
  /** How long it has worked; after the end, how long it took. */
  readonly ms: number;
}

/** Something that happened to an object. */
export interface EventLine {
  /** Epoch ms. */
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly object: string;
}

/** Something to choose in a form. */
export interface Choice {
  readonly namespace?: string;
  readonly name: string;
  /** What tells one from another: a phase, the actions of a blueprint, the namespaces of a plan. */
  readonly notes: readonly string[];
}

/** A warning or an error in words, and where it happened. */
export interface Remark {
  /** `server`, `cluster`, or a namespace. */
  readonly where: string;
  /** What it is about, such as `pods web-0`. */
  readonly object?: string;
  readonly text: string;
}

/** What went wrong in a backup or a restore, as far as the page shows it. */
export interface Remarks {
  readonly errors: readonly Remark[];
  readonly warnings: readonly Remark[];
  /** How many more there are. */
  readonly more: number;
}

/** How well a namespace is protected: the worst comes first where they are listed. */
export type ProtectionState = "unprotected" | "failing" | "late" | "protected";

/** A backup as the board tells it. */
export interface BoardBackup {
  readonly namespace: string;
  readonly name: string;
  /** Its end, or its start while it has none; epoch ms. */
  readonly at: number;
  readonly phase: string;
}

/** A namespace, and the backups that hold it whole. */
export interface NamespaceProtection {
  readonly name: string;
  readonly state: ProtectionState;
  /** Kubernetes' own, or where the backups themselves are declared: it holds no application. */
  readonly isSystem: boolean;
  /** The newest backup that ended well and holds the whole namespace. */
  readonly good?: BoardBackup;
  /** The newest one that holds a part of it only, where none holds the whole. */
  readonly part?: BoardBackup;
  /** A newer one that did not end well. */
  readonly bad?: BoardBackup;
  /** The schedules that back it up. */
  readonly schedules: readonly string[];
  /** How often the most frequent of them does. */
  readonly intervalMs?: number;
}

/** A schedule: what it did, and what it will do. */
export interface BoardSchedule {
  readonly namespace: string;
  readonly name: string;
  readonly isPaused: boolean;
  /** Why it makes no backups. */
  readonly refused?: string;
  /** The next five runs, and all within a day; epoch ms. */
  readonly upcoming: readonly number[];
  /** How long its backups usually take. */
  readonly usualMs?: number;
  readonly last?: BoardBackup;
}

/** A storage location, as it is. */
export interface BoardLocation {
  readonly namespace: string;
  readonly name: string;
  readonly provider: string;
  readonly isDefault: boolean;
  readonly isReadOnly: boolean;
  /** Absent until it was checked once. */
  readonly isAvailable?: boolean;
  readonly message?: string;
  /** Backups that are kept there. */
  readonly backups: number;
}

/** Whether one is safe: what is protected, what will run, where it is kept. */
export interface Board {
  readonly namespaces: readonly NamespaceProtection[];
  /** How many more namespaces there are. */
  readonly more: number;
  readonly schedules: readonly BoardSchedule[];
  readonly locations: readonly BoardLocation[];
  /** Repositories of volume data that are not ready, and why. */
  readonly repositories: readonly { readonly name: string; readonly message: string }[];
  /** What this person may not read, in words. */
  readonly unread: readonly string[];
}
