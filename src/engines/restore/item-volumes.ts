import { archivedItem } from "./archive/archived-item.ts";
import type { Item } from "./archive/item-json.ts";
import type { ItemContext } from "./item-restorer.ts";
import type { Ended } from "./outcomes.ts";
import { title } from "./put.ts";
import type { SnapshotRestores } from "./snapshots.ts";
import { claimOfVolume, freeVolume, renamedVolume, volumeDecision } from "./transform/volumes.ts";
import { volumePlace } from "./volume-place.ts";

const noSnapshotter = "no snapshotter is wired; its claim gets an empty volume";

/** What becomes of the persistent volumes of one run. */
export class ItemVolumes {
  readonly #context: ItemContext;
  /** Those that come back under another name; bounded by the volumes of the archive. */
  readonly #renamed = new Map<string, string>();

  constructor(context: ItemContext) {
    this.#context = context;
  }

  /** The name under which a volume comes back; undefined when one will be provisioned anew instead. */
  restored(volume: string): string | undefined {
    return this.#context.facts.isProvisioned(volume) ? undefined : (this.#renamed.get(volume) ?? volume);
  }

  /** The volume as it is to be created, or how it ends without being created. */
  async decide(volume: Item, signal: AbortSignal): Promise<{ readonly item: Item } | Ended> {
    const { filters, log, snapshots } = this.#context;
    const method = this.#context.volumeMethod(volume);
    const decision = volumeDecision(volume, method, this.#context.restorePVs);
    switch (decision.do) {
      case "create":
        return { item: freeVolume(volume, (namespace) => filters.target(namespace)) };
      case "provision":
        this.#context.facts.provision(volume.metadata.name);
        log.info(`${title(volume)} is left out: its claim gets a new volume`);
        if (method === "CSISnapshot") await this.#tellEmpty(volume);
        return { outcome: "skipped", reason: "its claim gets a new volume" };
      case "snapshot":
        if (snapshots?.has(volume.metadata.name)) return this.#fromSnapshot(volume, snapshots, signal);
        this.#context.facts.provision(volume.metadata.name);
        log.fail("cluster", `${title(volume)} has a snapshot that this restore cannot use: ${noSnapshotter}`);
        return { outcome: "failed", reason: noSnapshotter };
    }
  }

  /** A claim that names no snapshot and no moved data comes back empty, whatever the backup says about its volume. */
  async #tellEmpty(volume: Item): Promise<void> {
    const { spool, log, restorePVs } = this.#context;
    const place = claimOfVolume(volume);
    const key = place && { groupResource: "persistentvolumeclaims", ...place };
    const { annotations = {} } = (key && (await archivedItem(spool, key)))?.metadata ?? {};
    if (
      !restorePVs ||
      annotations["velero.io/volume-snapshot-name"] ||
      annotations["velero.io/data-upload-name"]
    )
      return;
    const what = `the content of ${title(volume)} was to be in a CSI snapshot, and none is in the backup`;
    log.warn("cluster", `${what}; its claim gets an empty volume`);
  }

  /** A claim whose volume cannot be made waits for it: an application must not start on an empty one. */
  async #fromSnapshot(
    volume: Item,
    snapshots: SnapshotRestores,
    signal: AbortSignal,
  ): Promise<{ readonly item: Item } | Ended> {
    const { filters, log, restore, put: context, terminatingTimeoutMs, isPlan } = this.#context;
    const target = (namespace: string) => filters.target(namespace);
    const { name } = volume.metadata;
    const place = await volumePlace(
      volume,
      {
        ...context,
        target,
        limitMs: terminatingTimeoutMs,
        restoreUid: restore.metadata.uid ?? "",
        ...(isPlan && { isPlan }),
      },
      signal,
    );
    if (place === "taken") {
      const reason = "it is there already and is kept; its snapshot is not restored";
      log.info(`${title(volume)}: ${reason}`);
      return { outcome: "skipped", reason };
    }
    if (place === "leaving") {
      const reason = "one of its name is being deleted: the restore waits until it is gone";
      return { outcome: "created", reason };
    }
    const made = await snapshots.make(
      freeVolume(volume, target),
      place === "free" ? name : place.rename,
      signal,
    );
    const whole = place === "free" ? made : renamedVolume(made, place.rename);
    if (whole.metadata.name !== name) this.#renamed.set(name, whole.metadata.name);
    this.#context.facts.native(name, whole);
    return { item: whole };
  }
}
