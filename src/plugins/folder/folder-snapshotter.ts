import { createHash, randomBytes } from "node:crypto";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { messageOf } from "../../errors.ts";
import type {
  PersistentVolume,
  PluginContext,
  PluginProgress,
  SnapshotRequest,
  Snapshotters,
  VolumeRequest,
  VolumeSnapshotter,
} from "../contract.ts";
import { ProgressBook } from "../progress-book.ts";
import { copyTree, measureTree } from "./copy-tree.ts";
import { readRecord, type WorkRecord, writeRecord } from "./record.ts";
import { type FolderSettings, folderSettings, isBelow } from "./settings.ts";

/** The name of the snapshotter that comes with the program. */
export const folderPlugin = "headway.dev/folder";

const idForm = /^[a-z0-9][-a-z0-9]*$/;

interface VolumeSpec {
  readonly hostPath?: { readonly path?: string };
  readonly local?: { readonly path?: string };
  readonly nodeAffinity?: unknown;
}

/**
 * Snapshots of volumes that are folders of this machine: hostPath and local volumes, the embedded cluster's claims.
 *
 * A snapshot is a folder with a record of what it is and the copied tree. Work that a process left half done is gone on
 * with by the next one that is asked for its progress.
 */
class FolderSnapshotter implements VolumeSnapshotter {
  readonly #context: PluginContext;
  readonly #book = new ProgressBook();
  #settings: FolderSettings | undefined;

  constructor(context: PluginContext) {
    this.#context = context;
  }

  async init(config: Readonly<Record<string, string>>): Promise<void> {
    this.#settings = folderSettings(config);
    await mkdir(this.#settings.path, { recursive: true, mode: 0o700 });
  }

  async getVolumeID(volume: PersistentVolume): Promise<string> {
    const { hostPath, local } = specOf(volume);
    const path = hostPath?.path ?? local?.path ?? "";
    if (path === "" || !isAbsolute(path)) return "";
    const { volumes } = this.#ready();
    if (volumes !== undefined && !isBelow(volumes, path)) return "";
    const stats = await lstat(path).catch(() => undefined); // a folder of another machine
    return stats?.isDirectory() ? resolve(path) : "";
  }

  async setVolumeID(volume: PersistentVolume, volumeID: string): Promise<PersistentVolume> {
    const spec = specOf(volume);
    const { node } = this.#ready();
    const kind = spec.local ? "local" : "hostPath";
    const affinity = node !== undefined && spec.nodeAffinity !== undefined && { nodeAffinity: tiedTo(node) };
    return { ...volume, spec: { ...spec, [kind]: { ...spec[kind], path: volumeID }, ...affinity } };
  }

  async getVolumeInfo(): Promise<{ type: string }> {
    return { type: "folder" };
  }

  async createSnapshot({ volumeID, tags }: SnapshotRequest): Promise<string> {
    const name = tags["velero.io/pv"] ?? basename(volumeID);
    const readable = name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 200);
    const id = `${readable || "volume"}-${randomBytes(4).toString("hex")}`;
    const record: WorkRecord = {
      version: 1,
      from: volumeID,
      to: join(this.#folder(id), "data"),
      phase: "InProgress",
      tags,
    };
    await writeRecord(this.#recordOf(id), record);
    this.#work(id, this.#recordOf(id), record);
    return id;
  }

  async createVolumeFromSnapshot({ snapshotID }: VolumeRequest): Promise<string> {
    const record = await readRecord(this.#recordOf(snapshotID));
    if (!record) throw new Error(`there is no snapshot "${snapshotID}" in "${this.#ready().path}"`);
    if (record.phase !== "Completed") throw new Error(`snapshot "${snapshotID}" is not complete`);
    const volumeID = await this.#newFolder(record.from);
    const work: WorkRecord = { version: 1, from: record.to, to: volumeID, phase: "InProgress" };
    await writeRecord(this.#fillRecordOf(volumeID), work);
    this.#work(volumeID, this.#fillRecordOf(volumeID), work);
    return volumeID;
  }

  async deleteSnapshot(snapshotID: string): Promise<void> {
    await this.#book.stop(snapshotID);
    await rm(this.#folder(snapshotID), { recursive: true, force: true });
  }

  async findSnapshot({ volumeID, tags }: SnapshotRequest): Promise<string> {
    const names = await readdir(this.#ready().path);
    for (const id of names.filter((name) => idForm.test(name))) {
      const record = await readRecord(this.#recordOf(id)).catch(() => undefined); // not one of ours
      if (record?.from !== volumeID || !record.tags) continue;
      const { tags: own } = record;
      if (Object.entries(tags).every(([key, value]) => own[key] === value)) return id;
    }
    return "";
  }

  progress(snapshotID: string): Promise<PluginProgress> {
    return this.#progress(snapshotID, this.#recordOf(snapshotID), `snapshot "${snapshotID}"`);
  }

  restoreProgress(volumeID: string): Promise<PluginProgress> {
    return this.#progress(volumeID, this.#fillRecordOf(volumeID), `volume "${volumeID}"`);
  }

  async #progress(id: string, file: string, what: string): Promise<PluginProgress> {
    const live = this.#book.progress(id);
    if (live) return live;
    const record = await readRecord(file);
    if (!record) throw new Error(`nothing is known of ${what}`);
    const { phase, totalBytes, message } = record;
    if (phase === "InProgress") {
      this.#context.log("info", `${what} was left half done and is gone on with`);
      this.#work(id, file, record);
    }
    return {
      phase,
      ...(totalBytes !== undefined && { totalBytes }),
      ...(phase === "Completed" && totalBytes !== undefined && { bytesDone: totalBytes }),
      ...(message !== undefined && { message }),
    };
  }

  #work(id: string, file: string, record: WorkRecord): void {
    if (this.#book.has(id)) return;
    const { method, bytesPerSecond } = this.#ready();
    this.#book.begin(id, async (report, signal) => {
      try {
        const totalBytes = await measureTree(record.from, signal);
        report(0, totalBytes);
        const onBytes = (done: number) => report(done, Math.max(done, totalBytes));
        // A restored volume must never share its files with the snapshot.
        const how = method === "hardlink" && record.tags === undefined ? "auto" : method;
        const { bytes, left } = await copyTree(
          record.from,
          record.to,
          { method: how, bytesPerSecond, onBytes },
          signal,
        );
        const message = left > 0 ? `${left} sockets, pipes or devices were left out` : undefined;
        await writeRecord(file, {
          ...record,
          phase: "Completed",
          totalBytes: bytes,
          ...(message !== undefined && { message }),
        });
        return message;
      } catch (error) {
        const message = messageOf(error);
        if (!signal.aborted) await writeRecord(file, { ...record, phase: "Failed", message });
        throw error;
      }
    });
  }

  /** Where the volume was, when nothing is there now; else beside it. */
  async #newFolder(original: string): Promise<string> {
    const { volumes } = this.#ready();
    const parent = volumes !== undefined && !isBelow(volumes, original) ? volumes : dirname(original);
    await mkdir(parent, { recursive: true });
    const wanted = join(parent, basename(original));
    for (const path of [wanted, `${wanted}-${randomBytes(4).toString("hex")}`]) {
      try {
        await mkdir(path, { mode: 0o700 });
        return path;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      }
    }
    throw new Error(`no free name was found for a folder beside "${original}"`);
  }

  #ready(): FolderSettings {
    if (!this.#settings) throw new Error("init was not called");
    return this.#settings;
  }

  #folder(id: string): string {
    // Ids come back from buckets: one must not lead out of the folder.
    if (!idForm.test(id)) throw new Error(`"${id}" is not an id of a folder snapshot`);
    return join(this.#ready().path, id);
  }

  #recordOf(id: string): string {
    return join(this.#folder(id), "snapshot.json");
  }

  #fillRecordOf(volumeID: string): string {
    const hash = createHash("sha256").update(volumeID).digest("hex").slice(0, 32);
    return join(this.#ready().path, ".volumes", `${hash}.json`);
  }
}

function specOf(volume: PersistentVolume): VolumeSpec {
  return (volume["spec"] ?? {}) as VolumeSpec; // the server's own shape
}

function tiedTo(node: string) {
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }];
  return { required: { nodeSelectorTerms: [{ matchExpressions }] } };
}

/** What this module offers. */
export const snapshotters: Snapshotters = {
  [folderPlugin]: (context) => new FolderSnapshotter(context),
};
