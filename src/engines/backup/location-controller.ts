import { type BackupStorageLocation, kinds, parseGoDurationMs } from "../../api/index.ts";
import { type Outcome, resourceOf } from "../../kube/index.ts";
import { validateLocation } from "../../store/index.ts";
import { timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";

const locations = resourceOf(kinds.BackupStorageLocation);
const minuteMs = 60_000;

/** Keeps the phase of storage locations true, and one of them the default, until the signal fires. */
export function startLocationController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  // What was checked last, by name: a changed spec is checked at once, an unchanged one when its time has come.
  const checked = new Map<string, { readonly spec: string; readonly at: number }>();
  let known: string | undefined;
  return eachObject<BackupStorageLocation>(
    deps,
    kinds.BackupStorageLocation,
    async (location, all, inner) => {
      known = await keepOneDefault(deps, all, known, inner);
      const { name } = location.metadata;
      const spec = JSON.stringify(location.spec);
      const now = deps.clock.now();
      const before = checked.get(name);
      const frequencyMs = frequencyOf(location);
      const first = before === undefined || before.spec !== spec || location.status?.phase === undefined;
      if (!first && frequencyMs === 0) return undefined;
      if (!first && now - before.at < frequencyMs) return { againAfterMs: frequencyMs - (now - before.at) };
      checked.set(name, { spec, at: now });
      const outcome = await check(deps, location, inner);
      return frequencyMs === 0 ? undefined : (outcome ?? { againAfterMs: frequencyMs });
    },
    signal,
  );
}

async function check(
  deps: BackupDeps,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, namespace, clock } = deps;
  let fault: string | undefined;
  try {
    await validateLocation(await deps.openStore(location, signal), signal);
  } catch (error) {
    signal.throwIfAborted();
    fault = error instanceof Error ? error.message : String(error);
  }
  const status = {
    phase: fault === undefined ? "Available" : "Unavailable",
    message: fault ?? null,
    lastValidationTime: timestamp(clock.now()),
  };
  await client.patch(
    locations,
    location.metadata.name,
    { type: "merge", body: { status } },
    { namespace },
    signal,
  );
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

function frequencyOf({ spec }: BackupStorageLocation): number {
  return parseGoDurationMs(spec?.validationFrequency ?? "") ?? minuteMs;
}
