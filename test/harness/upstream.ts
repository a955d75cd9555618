import { kinds } from "../../src/api/index.ts";
import { type Client, type Resource, resourceOf } from "../../src/kube/index.ts";

const velero = { apiVersion: "velero.io/v1" };
const resources = {
  Backup: resourceOf(kinds.Backup),
  Restore: resourceOf(kinds.Restore),
  PodVolumeBackup: resourceOf(kinds.PodVolumeBackup),
  DataUpload: resourceOf(kinds.DataUpload),
} as const satisfies Record<string, Resource>;

/** Writes the objects of a backup or a restore as Velero's own server and agents do: merge patches on the objects themselves. */
export class Upstream {
  readonly #client: Client;
  readonly #namespace: string;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async backup(name: string): Promise<void> {
    const metadata = { name, namespace: this.#namespace };
    await this.#client.create(resources.Backup, { ...velero, kind: "Backup", metadata, spec: {} });
  }

  async restore(name: string, backupName: string): Promise<void> {
    const metadata = { name, namespace: this.#namespace };
    const object = { ...velero, kind: "Restore", metadata, spec: { backupName } };
    await this.#client.create(resources.Restore, object);
  }

  /** A volume of a backup, by its own name. */
  async volume(name: string, backup: string, volume: string): Promise<void> {
    const metadata = { name, namespace: this.#namespace, labels: { "velero.io/backup-name": backup } };
    await this.#client.create(resources.PodVolumeBackup, {
      ...velero,
      kind: "PodVolumeBackup",
      metadata,
      spec: {
        node: "n1",
        volume,
        pod: { kind: "Pod", namespace: "shop", name: `${volume}-0` },
        backupStorageLocation: "default",
        repoIdentifier: "",
      },
    });
  }

  async write(kind: keyof typeof resources, name: string, status: object): Promise<void> {
    const patch = { type: "merge", body: { status } } as const;
    await this.#client.patch(resources[kind], name, patch, { namespace: this.#namespace });
  }
}

const mega = 1 << 20;
const now = () => new Date().toISOString();

/**
 * A backup from its beginning to its end, as upstream writes it: every number at its own interval and none of them in step, totals that
 * grow while the work goes on, every item and every byte done long before it says that it has ended. One step a call.
 */
export function* upstreamBackup(upstream: Upstream, name: string): Generator<() => Promise<void>> {
  const backup = (status: object) => () => upstream.write("Backup", name, status);
  const volume = (i: number, status: object) => () =>
    upstream.write("PodVolumeBackup", `${name}-v${i}`, status);
  const bytes = (done: number, total: number) => ({
    progress: { bytesDone: done * mega, totalBytes: total * mega },
  });
  const items = (itemsBackedUp: number, totalItems: number) =>
    backup({ progress: { itemsBackedUp, totalItems } });
  yield backup({ phase: "InProgress", startTimestamp: now(), formatVersion: "1.1.0" });
  yield items(0, 40);
  yield items(9, 40);
  yield () => upstream.volume(`${name}-v1`, name, "data");
  yield items(20, 52);
  yield volume(1, { phase: "InProgress", startTimestamp: now() });
  yield volume(1, bytes(0, 100));
  yield () => upstream.volume(`${name}-v2`, name, "logs");
  yield volume(1, bytes(40, 180));
  yield items(52, 52);
  yield volume(2, { phase: "InProgress", startTimestamp: now(), ...bytes(5, 60) });
  yield items(52, 71);
  yield volume(1, bytes(180, 180));
  yield volume(2, bytes(33, 60));
  yield items(71, 71);
  yield volume(1, { phase: "Completed", completionTimestamp: now(), ...bytes(180, 180) });
  yield volume(2, bytes(60, 60));
  yield volume(2, { phase: "Completed", completionTimestamp: now(), ...bytes(60, 60) });
  yield backup({ phase: "Finalizing" });
  yield items(71, 71);
  yield backup({ phase: "Completed", completionTimestamp: now() });
}

/** A restore in the same manner; it fails in the end. */
export function* upstreamRestore(upstream: Upstream, name: string): Generator<() => Promise<void>> {
  const restore = (status: object) => () => upstream.write("Restore", name, status);
  const items = (itemsRestored: number, totalItems: number) =>
    restore({ progress: { itemsRestored, totalItems } });
  yield restore({ phase: "InProgress", startTimestamp: now() });
  yield items(3, 10);
  yield items(10, 10);
  yield items(12, 30);
  yield items(30, 30);
  yield restore({ phase: "PartiallyFailed", errors: 2, completionTimestamp: now() });
}
