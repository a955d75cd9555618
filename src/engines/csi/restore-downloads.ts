import {
  type DataDownload,
  formatTime,
  kinds,
  type NewObject,
  parseGoDurationMs,
  type Restore,
  type StoredRestoreOperation,
  veleroNames,
} from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { isVolumeEnded, readVolume } from "../../kinds/index.ts";
import { isAlreadyExists, isNotFound, resourceOf, sleep } from "../../kube/index.ts";
import { snapshotMover } from "../../movers/index.ts";
import type { CsiDeps } from "./backup-claims.ts";
import { csiNames } from "./objects.ts";

/** What the downloads of a run are told about it. */
interface RunContext {
  readonly restore: Restore;
  readonly log: { fail(place: { readonly namespace: string }, message: string): void };
  readonly moved: () => void;
}

const downloads = resourceOf(kinds.DataDownload);
const fourHoursMs = 4 * 3_600_000;

/** The DataDownloads of one restore's run. Bounded by its claims. */
export class Downloads {
  readonly #deps: CsiDeps;
  readonly #context: RunContext;
  #all: readonly DataDownload[] = [];
  /** Why some came to nothing, by name. */
  readonly #failed = new Map<string, string>();

  constructor(deps: CsiDeps, context: RunContext) {
    this.#deps = deps;
    this.#context = context;
  }

  /** Finds those that an earlier process began. */
  async open(signal: AbortSignal): Promise<void> {
    this.#all = await this.#read(signal);
  }

  /** Asks for one; what an earlier process asked for has the same name. */
  async ask(wanted: NewObject<DataDownload>, signal: AbortSignal): Promise<void> {
    try {
      this.#all = [...this.#all, await this.#deps.client.create<DataDownload>(downloads, wanted, {}, signal)];
      this.#context.moved();
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  /** As operations, with the part of the tree that each is. */
  list() {
    return this.#all.map((download) => ({ stored: this.#stored(download), seen: readVolume(download) }));
  }

  /** What the restore's volume infos say of them. */
  infos() {
    return this.#all.map((one) => this.#movedInfo(one));
  }

  /** Asks those that still run to stop. */
  async cancel(signal: AbortSignal): Promise<void> {
    for (const { metadata } of (await this.#read(signal)).filter(isOpen))
      await this.#stop(metadata.name, signal);
  }

  /** Waits until all have ended; failures go to the log. */
  async finish(signal: AbortSignal): Promise<void> {
    const { clock, pollMs = 1000 } = this.#deps;
    const { restore, log } = this.#context;
    const limitMs = parseGoDurationMs(restore.spec?.itemOperationTimeout ?? "") || fourHoursMs;
    const end = clock.monotonic() + limitMs;
    const names = new Set(this.#all.map(({ metadata }) => metadata.name));
    while (this.#all.some((one) => isOpen(one) && !this.#failed.has(one.metadata.name))) {
      await sleep(clock, pollMs, signal);
      const seen = await this.#read(signal).catch((error: unknown) => {
        signal.throwIfAborted();
        this.#deps.log("warning", "DataDownloads cannot be looked at", { error: messageOf(error) });
        return undefined;
      });
      if (!seen) continue;
      this.#all = this.#all.map((one) => seen.find(sameAs(one)) ?? one);
      const gone = [...names].filter((name) => !seen.some(({ metadata }) => metadata.name === name));
      for (const name of gone) this.#failed.set(name, "its DataDownload was deleted by somebody else");
      if (clock.monotonic() >= end) await this.#giveUp(limitMs, signal);
      this.#context.moved();
    }
    for (const { metadata, status, spec } of this.#all) {
      const { phase = "", message = "" } = status ?? {};
      const why =
        this.#failed.get(metadata.name) ??
        (phase === "Completed" ? undefined : message || `the DataDownload ended as ${phase}`);
      if (why === undefined) continue;
      this.#failed.set(metadata.name, why);
      const { namespace = "", pvc = "" } = spec?.targetVolume ?? {};
      log.fail({ namespace }, `the data of PersistentVolumeClaim "${pvc}" was not brought back: ${why}`);
    }
  }

  async #giveUp(limitMs: number, signal: AbortSignal): Promise<void> {
    for (const { metadata } of this.#all.filter(isOpen)) {
      this.#failed.set(metadata.name, `it took longer than ${Math.round(limitMs / 1000)} s`);
      await this.#stop(metadata.name, signal);
    }
  }

  async #stop(name: string, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#deps;
    const patch = { type: "merge", body: { spec: { cancel: true } } } as const;
    await client.patch(downloads, name, patch, { namespace }, signal).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }

  #read(signal: AbortSignal): Promise<readonly DataDownload[]> {
    const { client, namespace } = this.#deps;
    const labelSelector = `${veleroNames.restoreUid}=${this.#context.restore.metadata.uid ?? ""}`;
    return client.list<DataDownload>(downloads, { namespace, labelSelector }, signal);
  }

  #stored(download: DataDownload): StoredRestoreOperation {
    const { name, uid = "" } = this.#context.restore.metadata;
    const { metadata, spec, status } = download;
    const { bytesDone, totalBytes } = status?.progress ?? {};
    const error = this.#failed.get(metadata.name);
    const created = metadata.creationTimestamp ?? formatTime(this.#deps.clock.now());
    const isDone = status?.phase === "Completed" && error === undefined;
    const isFailed = error !== undefined || (isVolumeEnded(status) && !isDone);
    return {
      spec: {
        restoreName: name,
        restoreUID: uid,
        restoreItemAction: "velero.io/csi-pvc-restorer",
        resourceIdentifier: {
          Group: "",
          Resource: "persistentvolumeclaims",
          Namespace: spec?.targetVolume?.namespace ?? "",
          Name: spec?.targetVolume?.pvc ?? "",
        },
        operationID: metadata.labels?.[csiNames.operationId] ?? "",
      },
      status: {
        phase: isDone ? "Completed" : isFailed ? "Failed" : "InProgress",
        ...(isFailed && { error: error ?? status?.message ?? "" }),
        ...(bytesDone && { nCompleted: bytesDone }),
        ...(totalBytes && { nTotal: totalBytes, operationUnits: "Byte" }),
        ...(status?.phase && { description: status.phase }),
        created,
        ...(status?.startTimestamp && { started: status.startTimestamp }),
        updated: status?.completionTimestamp ?? formatTime(this.#deps.clock.now()),
      },
    };
  }

  #movedInfo({ metadata, spec, status }: DataDownload) {
    const { pvc = "", namespace = "" } = spec?.targetVolume ?? {};
    return {
      pvcName: pvc,
      pvcNamespace: namespace,
      restoreMethod: "CSISnapshot",
      snapshotDataMoved: true,
      snapshotDataMovementInfo: {
        dataMover: spec?.datamover || "velero",
        uploaderType: snapshotMover,
        snapshotHandle: spec?.snapshotID ?? "",
        operationID: metadata.labels?.[csiNames.operationId] ?? "",
        size: status?.progress?.totalBytes ?? spec?.snapshotSize ?? 0,
        Phase: status?.phase ?? "",
      },
    };
  }
}

function isOpen({ status }: DataDownload): boolean {
  return !isVolumeEnded(status);
}

function sameAs({ metadata }: DataDownload) {
  return (other: DataDownload) => other.metadata.name === metadata.name;
}
