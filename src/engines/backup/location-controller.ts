import { type BackupStorageLocation, kinds } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { type Outcome, resourceOf } from "../../kube/index.ts";
import { timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";
import { checkLocation } from "./location-check.ts";
import { adoptAnnotation, missingAnnotation, remarksOf, validationPeriod } from "./location-words.ts";

const locations = resourceOf(kinds.BackupStorageLocation);

/** Keeps the phase of storage locations true, and one of them the default, until the signal fires. */
export function startLocationController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  // What was checked last, by name: a changed one is checked at once, an unchanged one when its time has come.
  const checked = new Map<string, { readonly text: string; readonly at: number }>();
  let known: string | undefined;
  return eachObject<BackupStorageLocation>(
    deps,
    kinds.BackupStorageLocation,
    async (location, all, inner): Promise<Outcome> => {
      known = await keepOneDefault(deps, all, known, inner);
      const { name } = location.metadata;
      const text = wordsIn(location);
      const now = deps.clock.monotonic();
      const before = checked.get(name);
      const { ms: everyMs } = validationPeriod(location);
      const first = before === undefined || before.text !== text || location.status?.phase === undefined;
      if (!first && everyMs === 0) return undefined;
      if (!first && now - before.at < everyMs) return { againAfterMs: everyMs - (now - before.at) };
      checked.set(name, { text, at: now });
      try {
        await check(deps, location, inner);
      } catch (error) {
        checked.delete(name); // nothing was written down: the next look is the first again
        throw error;
      }
      return everyMs === 0 ? undefined : { againAfterMs: everyMs };
    },
    signal,
  );
}

/** What a person, or the sync, may have changed about a location. */
function wordsIn({ spec, metadata: { annotations } }: BackupStorageLocation): string {
  return JSON.stringify([spec, annotations?.[adoptAnnotation], annotations?.[missingAnnotation]]);
}

async function check(deps: BackupDeps, location: BackupStorageLocation, signal: AbortSignal): Promise<void> {
  const { client, namespace, clock } = deps;
  const { name, uid } = location.metadata;
  let fault: string | undefined;
  let remark: string | undefined;
  let annotations: Readonly<Record<string, string | null>> = {};
  try {
    ({ annotations, remark } = await checkLocation(deps, location, signal));
  } catch (error) {
    signal.throwIfAborted();
    fault = messageOf(error);
  }
  const status = {
    phase: fault === undefined ? "Available" : "Unavailable",
    message: fault ?? remarksOf(location, remark) ?? null,
    lastValidationTime: timestamp(clock.now()),
  };
  if (status.phase !== location.status?.phase) {
    const what = fault === undefined ? "is available" : `is unavailable: ${fault}`;
    deps.log(fault === undefined ? "info" : "warning", `location "${name}" ${what}`);
  }
  // Another location of the same name must not inherit what was found out about this one.
  const body = { metadata: { uid, ...(Object.keys(annotations).length > 0 && { annotations }) }, status };
  await client.patch(locations, name, { type: "merge", body }, { namespace }, signal);
}

/** Of several defaults the one that was set last stays; after a restart nobody knows, and the oldest stays. */
export function surplusDefaults(
  all: readonly BackupStorageLocation[],
  known: string | undefined,
): { readonly keep: string | undefined; readonly unset: readonly string[] } {
  const marked = all
    .filter(({ spec }) => spec?.default === true)
    .toSorted((a, b) =>
      (a.metadata.creationTimestamp ?? "").localeCompare(b.metadata.creationTimestamp ?? ""),
    )
    .map(({ metadata }) => metadata.name);
  const fresh = known === undefined ? undefined : marked.find((name) => name !== known);
  const keep = fresh ?? marked[0];
  return { keep, unset: marked.filter((name) => name !== keep) };
}

async function keepOneDefault(
  deps: BackupDeps,
  all: readonly BackupStorageLocation[],
  known: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { keep, unset } = surplusDefaults(all, known);
  for (const name of unset) {
    const body = { spec: { default: false } };
    await deps.client.patch(locations, name, { type: "merge", body }, { namespace: deps.namespace }, signal);
  }
  return keep;
}
