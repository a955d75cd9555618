import { type Backup, type BackupStorageLocation, kinds } from "../../api/index.ts";
import { labelValue, resourceOf } from "../../kube/index.ts";
import type { BackupDeps } from "./deps.ts";
import { forgetAnnotation, missingAnnotation } from "./location-words.ts";
import { planMissing } from "./missing-plan.ts";
import { isOrphan } from "./sync-plan.ts";
import { ignoreNotFound } from "./tolerate.ts";

const backups = resourceOf(kinds.Backup);

/** What a search of a location found, and when it began. */
export interface Search {
  readonly location: BackupStorageLocation;
  /** The Backups of the cluster. */
  readonly here: Iterable<Backup>;
  /** Names of those that the location holds. */
  readonly stored: ReadonlySet<string>;
  /** Monotonic. */
  readonly begunMs: number;
  readonly periodMs: number;
}

/** Which Backups were missed in which location, by its name. Bounded by the locations, and the Backups of each; lost with the process. */
export class Missing {
  readonly #deps: BackupDeps;
  readonly #seen = new Map<string, ReadonlyMap<string, number>>();

  constructor(deps: BackupDeps) {
    this.#deps = deps;
  }

  /** A location that is gone, or cannot be used, is searched anew before anything of it is missed. */
  reset(location: string): void {
    this.#seen.delete(location);
  }

  /** Deletes Backups whose files are gone for good; returns what the location should remember. */
  async forget(search: Search, signal: AbortSignal): Promise<Readonly<Record<string, string | null>>> {
    const { location, stored, begunMs, periodMs } = search;
    const { name, annotations = {} } = location.metadata;
    const label = labelValue(name);
    // With nothing stored, isOrphan() is true of all that should be.
    const all = [...search.here].filter((backup) => isOrphan(backup, label, new Set()));
    const orphans = all.filter((backup) => isOrphan(backup, label, stored));
    const isAllowed = annotations[forgetAnnotation] === "true";
    const seen = this.#seen.get(name) ?? new Map<string, number>();
    const plan = planMissing({ orphans, all: all.length, seen, nowMs: begunMs, periodMs, isAllowed });
    this.#seen.set(name, plan.seen);
    for (const backup of plan.forget) await this.#delete(backup, name, signal);
    const held = plan.held ?? null;
    if (held !== null && held !== annotations[missingAnnotation]) {
      const what = `the files of ${held} backups are gone from location "${name}": their Backup objects stay`;
      this.#deps.log("warning", `${what} until somebody says: headway location forget-missing ${name}`);
    }
    return {
      ...(held !== (annotations[missingAnnotation] ?? null) && { [missingAnnotation]: held }),
      // The word was for those that were missing; the next ones need another.
      ...(isAllowed && plan.forget.length === orphans.length && { [forgetAnnotation]: null }),
    };
  }

  async #delete(backup: Backup, location: string, signal: AbortSignal): Promise<void> {
    const { client, namespace, log } = this.#deps;
    const { name, uid } = backup.metadata;
    await client.delete(backups, name, { namespace, uid }, signal).catch(ignoreNotFound);
    log("info", `backup "${name}" was deleted: its files are gone from location "${location}"`);
  }
}
