import {
  type Backup,
  type DataUpload,
  type KubeObject,
  kinds,
  parseTimeMs,
  veleroNames,
} from "../../api/index.ts";
import {
  builtIn,
  type Client,
  type Clock,
  isAlreadyExists,
  isNotFound,
  labelValue,
  resourceOf,
} from "../../kube/index.ts";
import type { ClaimRun } from "./claim-run.ts";
import {
  type ClaimFacts,
  csiNames,
  newDataUpload,
  newSnapshot,
  type SnapshotContent,
  type VolumeSnapshot,
} from "./objects.ts";

const { snapshots, snapshotContents, snapshotClasses, storageClasses } = builtIn;
const uploads = resourceOf(kinds.DataUpload);

type StorageClass = KubeObject & { readonly provisioner?: string };

/** What the snapshots of one backup ask of the cluster. */
export class SnapshotCluster {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #clock: Clock;
  readonly #backup: Backup;
  /** Provisioners by StorageClass; bounded by the classes of the cluster. */
  readonly #provisioners = new Map<string, string>();

  constructor(
    { client, namespace, clock }: { client: Client; namespace: string; clock: Clock },
    backup: Backup,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#namespace = namespace;
    this.#backup = backup;
  }

  classes(signal: AbortSignal): Promise<readonly (KubeObject & { readonly driver?: string })[]> {
    return this.#client.list(snapshotClasses, {}, signal);
  }

  /** The driver that provisions a class, read once; undefined when there is no such class. */
  async provisioner(name: string, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#provisioners.get(name);
    if (known !== undefined) return known;
    try {
      const { provisioner = "" } = await this.#client.get<StorageClass>(storageClasses, name, {}, signal);
      this.#provisioners.set(name, provisioner);
      return provisioner;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Asks for a snapshot; one that an earlier process asked for has the same name. */
  async ask(claim: ClaimFacts, className: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.create(snapshots, newSnapshot(this.#backup, claim, className), {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** Asks for a DataUpload, likewise. */
  async upload(run: ClaimRun, signal: AbortSignal): Promise<DataUpload> {
    const { claim, snapshotName: snapshot, className, content } = run;
    const driver = content?.spec?.driver ?? "";
    const until = this.#clock.now();
    const asked = parseTimeMs(run.snapshot?.metadata.creationTimestamp) ?? until;
    const taken = { since: Math.min(asked, until), until };
    const wanted = newDataUpload(this.#backup, { claim, snapshot, className, driver, taken });
    try {
      return await this.#client.create<DataUpload>(uploads, wanted, {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const namespace = this.#namespace;
      return this.#client.get<DataUpload>(uploads, wanted.metadata.name ?? "", { namespace }, signal);
    }
  }

  /** What a restore in another cluster must know stands on the snapshot itself. */
  async annotate({ snapshot, content, claim, snapshotName }: ClaimRun, signal: AbortSignal): Promise<void> {
    const size = snapshot?.status?.restoreSize;
    const annotations = {
      [csiNames.deletionPolicy]: content?.spec?.deletionPolicy ?? "",
      [csiNames.handle]: content?.status?.snapshotHandle ?? "",
      [csiNames.driver]: content?.spec?.driver ?? "",
      ...(size !== undefined && { [csiNames.restoreSize]: String(size) }),
    };
    const { namespace } = claim;
    const body = { metadata: { annotations } };
    await this.#client.patch(snapshots, snapshotName, { type: "merge", body }, { namespace }, signal);
  }

  /** The snapshots and contents with the backup's label: two requests, however many there are. */
  async snapshots(signal: AbortSignal) {
    const query = { labelSelector: `${veleroNames.backupName}=${this.#label}` };
    const [all, contents] = await Promise.all([
      this.#client.list<VolumeSnapshot>(snapshots, query, signal),
      this.#client.list<SnapshotContent>(snapshotContents, query, signal),
    ]);
    return {
      snapshots: new Map(all.map((one) => [`${one.metadata.namespace ?? ""}/${one.metadata.name}`, one])),
      contents: new Map(contents.map((one) => [one.metadata.name, one])),
    };
  }

  /** The content of a snapshot; one that is seen for the first time gets the backup's label, by which the next look finds it. */
  async contentOf(
    snapshot: VolumeSnapshot | undefined,
    known: ReadonlyMap<string, SnapshotContent> | undefined,
    signal: AbortSignal,
  ): Promise<SnapshotContent | undefined> {
    const name = snapshot?.status?.boundVolumeSnapshotContentName ?? "";
    if (name === "" || known?.has(name)) return known?.get(name);
    const body = { metadata: { labels: { [veleroNames.backupName]: this.#label } } };
    try {
      return await this.#client.patch<SnapshotContent>(
        snapshotContents,
        name,
        { type: "merge", body },
        {},
        signal,
      );
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** The DataUploads of the backup. */
  uploads(signal: AbortSignal): Promise<readonly DataUpload[]> {
    const { uid = "" } = this.#backup.metadata;
    const query = { namespace: this.#namespace, labelSelector: `${veleroNames.backupUid}=${uid}` };
    return this.#client.list<DataUpload>(uploads, query, signal);
  }

  get #label(): string {
    return labelValue(this.#backup.metadata.name);
  }
}
