import { messageOf } from "../../errors.ts";
import { builtIn, type Clock, isNotFound, patiently, sleep } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { recordOf } from "./json.ts";
import { inParallel } from "./parallel.ts";
import { isOurs, type PutContext } from "./put.ts";
import { type ClaimPlace, keyOf, type NewVolume } from "./restored-volumes.ts";
import type { RunLog } from "./run-log.ts";
import type { Cluster } from "./served.ts";
import { claimOfVolume, volumeOfClaim } from "./transform/volumes.ts";

const claims = builtIn.claims;
const volumes = builtIn.volumes;
const pollMs = 1000;
const atATime = 10;

/** What looking after new volumes needs. */
export interface NewVolumesContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: RunLog;
  readonly put: Pick<PutContext, "labels" | "restoreCreatedAt">;
  /** How long a claim that a pod uses may take to be bound. */
  readonly limitMs: number;
  readonly waiting: (reason: string | undefined) => void;
}

/** Gives volumes that were provisioned anew the reclaim policy and the labels of those whose place they take. */
export async function finishNewVolumes(
  wanted: readonly NewVolume[],
  context: NewVolumesContext,
  signal: AbortSignal,
): Promise<void> {
  const { log } = context;
  const one = async (volume: NewVolume): Promise<void> => {
    try {
      const fault = await finish(volume, context, signal);
      if (fault !== undefined) log.warn({ namespace: volume.claim.namespace }, fault);
    } catch (error) {
      signal.throwIfAborted();
      const why = messageOf(error);
      log.warn({ namespace: volume.claim.namespace }, `${missed(volume)}: ${why}`);
    }
  };
  await inParallel(wanted, atATime, one, signal);
  context.waiting(undefined);
}

/** The patch that makes a volume like its predecessor; undefined when it is already. */
export function volumePatch(
  volume: Item,
  { reclaimPolicy, labels }: Pick<NewVolume, "reclaimPolicy" | "labels">,
): Readonly<Record<string, unknown>> | undefined {
  const has = volume.metadata.labels ?? {};
  const missing = Object.entries(labels).filter(([key, value]) => has[key] !== value);
  const policy = recordOf(volume["spec"])["persistentVolumeReclaimPolicy"];
  const other = reclaimPolicy !== "" && policy !== reclaimPolicy;
  if (missing.length === 0 && !other) return undefined;
  return {
    ...(missing.length > 0 && { metadata: { labels: Object.fromEntries(missing) } }),
    ...(other && { spec: { persistentVolumeReclaimPolicy: reclaimPolicy } }),
  };
}

/** The volumes to which claims are bound, by `keyOf` their claim; claims that are gone are left out. */
export async function boundVolumes(
  places: readonly ClaimPlace[],
  { cluster, clock }: Pick<NewVolumesContext, "cluster" | "clock">,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const one = async (place: ClaimPlace): Promise<void> => {
    const claim = await getClaim(place, { cluster, clock }, signal);
    const volume = claim ? volumeOfClaim(claim) : "";
    if (volume !== "") found.set(keyOf(place), volume);
  };
  await inParallel(places, atATime, one, signal);
  return found;
}

async function finish(
  wanted: NewVolume,
  context: NewVolumesContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { cluster, clock, put } = context;
  const until = clock.monotonic() + (wanted.used ? context.limitMs : 0);
  for (;;) {
    const claim = await getClaim(wanted.claim, context, signal);
    // A claim that was there before has a volume of its own, which is nobody's successor.
    if (claim === undefined || !isOurs(claim, put)) return undefined;
    const name = volumeOfClaim(claim);
    if (name !== "") {
      const volume = await patiently(() => cluster.get<Item>(volumes, name, {}, signal), clock, signal);
      const bound = claimOfVolume(volume);
      if (bound !== undefined && keyOf(bound) === keyOf(wanted.claim)) {
        const body = volumePatch(volume, wanted);
        if (body !== undefined) {
          const patch = () => cluster.patch<Item>(volumes, name, { type: "merge", body }, {}, signal);
          await patiently(patch, clock, signal);
        }
        return undefined;
      }
    }
    if (clock.monotonic() >= until) return `${missed(wanted)}: the claim is not bound`;
    context.waiting(`claim ${keyOf(wanted.claim)} to be bound`);
    await sleep(clock, pollMs, signal);
  }
}

function missed({ claim, former }: NewVolume): string {
  return `the new volume of PersistentVolumeClaim "${claim.name}" did not get the reclaim policy and the labels of "${former}"`;
}

async function getClaim(
  { namespace, name }: ClaimPlace,
  { cluster, clock }: Pick<NewVolumesContext, "cluster" | "clock">,
  signal: AbortSignal,
): Promise<Item | undefined> {
  try {
    return await patiently(() => cluster.get<Item>(claims, name, { namespace }, signal), clock, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
