import { formatTime, type KubeObject } from "../../api/index.ts";
import { readVolume, type VolumeObject } from "../../kinds/index.ts";
import {
  type Client,
  type Clock,
  connect,
  type Resource,
  StatusWriter,
  systemClock,
} from "../../kube/index.ts";
import type { PluginContext } from "../../plugins/index.ts";
import type { Observation } from "../../progress/index.ts";
import { Reporter as Author } from "../../report/index.ts";
import { objectName } from "./objects.ts";
import { resources } from "./resources.ts";
import { judge } from "./said.ts";

/** The object of one snapshot, or of one volume that is filled, while its plugin works on it. */
export interface Report {
  /** Tells how far it is, as often as one likes: at most one write a second leaves for the cluster. */
  progress(bytesDone: number, totalBytes?: number): void;
  /** It ended well. */
  completed(message?: string): Promise<void>;
  failed(message: string): Promise<void>;
}

/** Writes VolumePluginBackups and VolumePluginRestores for a plugin that talks to the cluster itself. */
export interface Reporter {
  /** Makes the object of a snapshot; call it before `createSnapshot` returns the same id. */
  backup(given: {
    readonly snapshotID: string;
    /** Those of the request: they name the backup and the volume. */
    readonly tags: Readonly<Record<string, string>>;
    readonly pluginSpecific?: Readonly<Record<string, string>>;
  }): Promise<Report>;
  /** Makes the object of a volume; call it before `createVolumeFromSnapshot` returns the same id. */
  restore(given: {
    readonly snapshotID: string;
    readonly volumeID: string;
    readonly backup: string;
    readonly pluginSpecific?: Readonly<Record<string, string>>;
  }): Promise<Report>;
  close(): void;
}

/** Opens a reporter with what the plugin was told when it was made. */
export async function openReporter(
  context: Pick<PluginContext, "name" | "namespace" | "kubeconfig">,
  options: { readonly client?: Client; readonly clock?: Clock } = {},
): Promise<Reporter> {
  const { name: plugin, namespace, kubeconfig } = context;
  const clock = options.clock ?? systemClock;
  const client = options.client ?? (await connect(kubeconfig === undefined ? {} : { kubeconfig }));
  const status = new StatusWriter({ client, clock });
  const author = new Author({ status, clock });
  const begin = async (resource: Resource, name: string, spec: object, ids: object): Promise<Report> => {
    const kind = resource.kind;
    const first = { phase: "InProgress", ...ids, startTimestamp: formatTime(clock.now()) };
    const made = await client.create<KubeObject>(resource, {
      apiVersion: "velero.io/v1",
      kind,
      metadata: { name, namespace },
      spec,
      status: first,
    });
    // The server answers with what it was asked to make.
    return new ObjectReport(author, clock, made as VolumeObject);
  };
  return {
    backup: ({ snapshotID, tags, pluginSpecific }) =>
      begin(
        resources.pluginBackups,
        objectName(snapshotID),
        {
          volume: tags["velero.io/pv"] ?? "",
          backup: tags["velero.io/backup"] ?? "",
          plugin,
          ...(pluginSpecific && { pluginSpecific }),
        },
        { snapshotID },
      ),
    restore: ({ snapshotID, volumeID, backup, pluginSpecific }) =>
      begin(
        resources.pluginRestores,
        objectName(`${volumeID}-${crypto.randomUUID().slice(0, 8)}`),
        { snapshotID, backup, plugin, ...(pluginSpecific && { pluginSpecific }) },
        { volumeID },
      ),
    close() {
      status.close();
      if (!options.client) client.close();
    },
  };
}

class ObjectReport implements Report {
  readonly #author: Author;
  readonly #clock: Clock;
  readonly #object: VolumeObject;

  constructor(author: Author, clock: Clock, object: VolumeObject) {
    this.#author = author;
    this.#clock = clock;
    this.#object = object;
  }

  progress(bytesDone: number, totalBytes?: number): void {
    const { sample } = judge({ bytesDone, totalBytes }, undefined);
    if (sample) this.#author.tell(this.#object, { ...this.#head(), state: "running", progress: sample });
  }

  async completed(message?: string): Promise<void> {
    await this.#end({ state: "completed", ...(message && { message }) });
  }

  async failed(message: string): Promise<void> {
    await this.#end({ state: "failed", message });
  }

  async #end(seen: Pick<Observation, "state" | "message">): Promise<void> {
    await this.#author.end(this.#object, { ...this.#head(), finishedAt: this.#clock.now(), ...seen });
  }

  #head(): Pick<Observation, "id" | "ref" | "kind" | "title"> {
    const { id, ref, kind, title } = readVolume(this.#object);
    return { id, ref, kind, title };
  }
}
