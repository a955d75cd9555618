import { createHash } from "node:crypto";
import { builtIn, type Clock, isNotFound, sleep } from "../../kube/index.ts";
import type { Item } from "./archive/item-json.ts";
import { recordOf, textOf } from "./json.ts";
import type { Cluster } from "./served.ts";
import { claimOfVolume } from "./transform/volumes.ts";

const volumes = builtIn.volumes;
const claims = builtIn.claims;
const namespaces = builtIn.namespaces;

/** Where a volume that is made out of a snapshot goes: under its name, nowhere because one is there, or under a new name. */
export type VolumePlace = "free" | "taken" | "leaving" | { readonly rename: string };

/** What finding the place needs. */
export interface PlaceContext {
  readonly cluster: Pick<Cluster, "get">;
  readonly clock: Clock;
  readonly limitMs: number;
  /** Tells the restores apart, so that the same one finds the same name again. */
  readonly restoreUid: string;
  /** A plan does not wait: it is told that a volume is on its way out. */
  readonly isPlan?: boolean;
  target(namespace: string): string;
  waiting?(reason: string | undefined): void;
}

/** Finds the place; one that is on its way out is waited for. */
export async function volumePlace(
  volume: Item,
  context: PlaceContext,
  signal: AbortSignal,
): Promise<VolumePlace> {
  const { name } = volume.metadata;
  const { cluster, clock, limitMs } = context;
  const claim = claimOfVolume(volume);
  const mapped = claim !== undefined && context.target(claim.namespace) !== claim.namespace;
  const end = clock.monotonic() + limitMs;
  for (;;) {
    const existing = await orNothing(cluster.get<Item>(volumes, name, {}, signal));
    if (existing === undefined) return "free";
    if (mapped) return { rename: cloneName(context.restoreUid, name) };
    const leaves = await isLeaving(existing, cluster, signal);
    if (leaves && context.isPlan) return "leaving";
    if (!leaves || clock.monotonic() >= end) return "taken";
    context.waiting?.(`PersistentVolume "${name}" to be gone`);
    try {
      await sleep(clock, 1_000, signal);
    } finally {
      context.waiting?.(undefined);
    }
  }
}

/** The name of a copy beside the original: upstream's form, the same each time for one restore. */
export function cloneName(restoreUid: string, volume: string): string {
  const hex = createHash("sha256").update(`${restoreUid}/${volume}`).digest("hex");
  return `velero-clone-${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-")}`;
}

/** Released, being deleted, or bound to a claim that is gone or going. */
async function isLeaving(volume: Item, cluster: Pick<Cluster, "get">, signal: AbortSignal): Promise<boolean> {
  if (isTerminating(volume) || textOf(recordOf(volume["status"])["phase"]) === "Released") return true;
  const claim = claimOfVolume(volume);
  if (claim === undefined) return false;
  const { namespace } = claim;
  const found = await orNothing(cluster.get<Item>(claims, claim.name, { namespace }, signal));
  // A volume that waits for its claim to be restored is not leaving: it never had this cluster's claim.
  if (found === undefined) return textOf(recordOf(recordOf(volume["spec"])["claimRef"])["uid"]) !== "";
  if (isTerminating(found)) return true;
  const space = await orNothing(cluster.get<Item>(namespaces, namespace, {}, signal));
  return space === undefined || isTerminating(space);
}

function isTerminating(object: Item): boolean {
  return object.metadata["deletionTimestamp"] !== undefined;
}

async function orNothing(found: Promise<Item>): Promise<Item | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
