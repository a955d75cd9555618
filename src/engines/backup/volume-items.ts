import { claimedVolumeFacts, type VolumeFacts } from "../../api/index.ts";
import type { CollectOptions } from "./collect-options.ts";
import type { ClaimSeen, Kept, Unsnapped } from "./protection.ts";
import { claimNeeds, type Related, storedClaim } from "./related.ts";
import { snapshotRefusal } from "./snapshot-choice.ts";
import { fetchOne, type Item, type ResourceType, readItem } from "./source.ts";
import { type VolumeSeen, volumeSeen } from "./volume-info.ts";

/** What claims and volumes need of the walk that meets them. */
interface Walk {
  /** Puts an item into the archive. */
  write(type: ResourceType, raw: Uint8Array, metadata: Item["metadata"]): Promise<void> | undefined;
  /** Counts an item that is written later. */
  hold(): void;
  writeHeld(type: ResourceType, raw: Uint8Array, metadata: Item["metadata"]): Promise<void> | undefined;
  /** An item that could not be stored after all. */
  lose(type: ResourceType, metadata: Item["metadata"]): void;
  companion(related: Related, signal: AbortSignal): Promise<void>;
  typeOf(name: string): ResourceType | undefined;
}

/** Claims and volumes are more than their JSON: their data is kept by one of several, or by nobody. */
export class VolumeItems {
  /** The PersistentVolumes that were stored, for the volume infos; a short record each. */
  readonly volumes: VolumeSeen[] = [];
  /** The claims that were stored and hold data; a short record each. */
  readonly claims: ClaimSeen[] = [];
  /** Volumes of which a snapshot was taken, and why the others have none; as many as there are volumes. */
  readonly snapped = new Set<string>();
  readonly unsnapped = new Map<string, Unsnapped>();
  /** Claims (`namespace/name`) whose driver takes a snapshot, and why it takes none of others. */
  readonly snappedClaims = new Set<string>();
  readonly unsnappedClaims = new Map<string, Unsnapped>();
  /** Claims that are stored when their snapshots are there; as many as there are such claims, a few kilobytes each. */
  readonly #held: { readonly type: ResourceType; readonly item: Item }[] = [];
  readonly #options: CollectOptions;
  readonly #walk: Walk;

  constructor(options: CollectOptions, walk: Walk) {
    this.#options = options;
    this.#walk = walk;
  }

  /** What became of the volumes, as far as snapshots are concerned. */
  kept(): Omit<Kept, "copied" | "left"> {
    const { snapped, unsnapped, snappedClaims, unsnappedClaims } = this;
    return { snapped, unsnapped, snappedClaims, unsnappedClaims };
  }

  async claim(type: ResourceType, raw: Buffer, item: Item, signal: AbortSignal): Promise<void> {
    const [needed] = claimNeeds(item);
    const isHeld = needed !== undefined && (await this.#takeClaim(item, needed.name, signal));
    const changed = storedClaim(item);
    if (isHeld) {
      this.#held.push({ type, item: (changed ?? item) as Item }); // a claim stays one
      this.#walk.hold();
    } else await this.#walk.write(type, changed ? Buffer.from(JSON.stringify(changed)) : raw, item.metadata);
    if (!needed) return;
    const { namespace = "", name } = item.metadata;
    this.claims.push({ namespace, name, volume: needed.name });
    await this.#walk.companion(needed, signal);
  }

  async volume(type: ResourceType, raw: Buffer, item: Item, signal: AbortSignal): Promise<void> {
    const { name } = item.metadata;
    const unsnapped = await this.#snapshot(item, signal);
    if (unsnapped) this.unsnapped.set(name, unsnapped);
    else this.snapped.add(name);
    if (unsnapped?.isTold) {
      this.#walk.lose(type, item.metadata);
      return;
    }
    this.volumes.push(volumeSeen(item, unsnapped?.reason));
    await this.#walk.write(type, raw, item.metadata);
  }

  /** Stores the claims that waited for their snapshots. */
  async writeHeld(): Promise<void> {
    const { claimSnapshots } = this.#options;
    for (const { type, item } of this.#held.splice(0)) {
      const stored = claimSnapshots?.storedClaim(item) ?? item;
      const whole = { apiVersion: "v1", kind: type.kind, ...stored };
      await this.#walk.writeHeld(type, Buffer.from(JSON.stringify(whole)), item.metadata);
    }
  }

  /** Whether the driver of a claim's volume takes a snapshot of it now. */
  async #takeClaim(claim: Item, volumeName: string, signal: AbortSignal): Promise<boolean> {
    const { claimSnapshots, warnings, errors, pods, backup, volumeAction, wantedClass } = this.#options;
    if (!claimSnapshots) return false;
    const key = `${claim.metadata.namespace ?? ""}/${claim.metadata.name}`;
    const volume = await this.#fetch("persistentvolumes", { name: volumeName }, signal);
    if (!volume || !claimSnapshots.covers(volume)) return false;
    const facts = claimedVolumeFacts(specOf(volume), claim as Parameters<typeof claimedVolumeFacts>[1]); // a claim by its type
    const refusal = snapshotRefusal(backup.spec, {
      copied: pods.copied.has(key),
      action: volumeAction?.(facts),
    });
    const wish = { warnings, errors, snapshotClass: wantedClass?.(facts) };
    const taken = refusal ?? (await claimSnapshots.take(claim, volume, wish, signal));
    if (taken === "begun") this.snappedClaims.add(key);
    else if ("skipped" in taken)
      this.unsnappedClaims.set(key, { reason: taken.skipped, ...(taken.isTold && { isTold: true }) });
    return taken === "begun";
  }

  /** Takes a snapshot of a volume, or says why there is none. */
  async #snapshot(volume: Item, signal: AbortSignal): Promise<Unsnapped | undefined> {
    const { snapshots, warnings, errors, pods, backup, volumeAction } = this.#options;
    const why = this.#takenByClaim(volume);
    if (why !== undefined) return { reason: why };
    if (!snapshots) return { reason: "nothing here can take snapshots" };
    const action = volumeAction && volumeAction(await this.#volumeFacts(volume, signal));
    const refusal = snapshotRefusal(backup.spec, { copied: pods.copies(volume), action });
    if (refusal) return refusal;
    this.#options.onMove(`persistentvolumes ${volume.metadata.name}`);
    const taken = await snapshots.take(volume, { warnings, errors }, signal);
    if (taken === "taken") return undefined;
    return taken === "failed" ? { reason: "its snapshot failed", isTold: true } : { reason: taken.skipped };
  }

  /** Why no other snapshotter takes a volume: its driver does, together with its claim. */
  #takenByClaim(volume: Item): string | undefined {
    const { claimSnapshots } = this.#options;
    const { name, namespace } = claimOf(volume);
    const key = `${namespace}/${name}`;
    if (this.snappedClaims.has(key)) return "its claim has a CSI snapshot";
    if (this.unsnappedClaims.get(key)?.isTold) return "its CSI snapshot failed";
    return claimSnapshots?.covers(volume) && name === undefined ? "no claim uses it" : undefined;
  }

  async #volumeFacts(volume: Item, signal: AbortSignal): Promise<VolumeFacts> {
    const { name, namespace } = claimOf(volume);
    const claim =
      name === undefined
        ? undefined
        : await this.#fetch("persistentvolumeclaims", { name, namespace }, signal);
    return claimedVolumeFacts(specOf(volume), claim as Parameters<typeof claimedVolumeFacts>[1]); // by the type it was asked as
  }

  async #fetch(
    typeName: string,
    place: { readonly name: string; readonly namespace?: string | undefined },
    signal: AbortSignal,
  ): Promise<Item | undefined> {
    const type = this.#walk.typeOf(typeName);
    const raw = type && (await fetchOne(this.#options.source, type, place, signal));
    return raw && readItem(raw);
  }
}

function specOf(volume: Item): Readonly<Record<string, unknown>> {
  return (volume["spec"] ?? {}) as Readonly<Record<string, unknown>>; // the server's own shape
}

function claimOf(volume: Item): { readonly name?: string; readonly namespace?: string } {
  return (specOf(volume)["claimRef"] ?? {}) as { name?: string; namespace?: string }; // the server's own shape
}
