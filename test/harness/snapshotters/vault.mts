// A plugin for tests of sudden ends: each snapshot and each volume is a file in the folder of its settings. While there is
// a file `wait` in that folder, calls that make something do so and do not return.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type {
  PersistentVolume,
  SnapshotRequest,
  Snapshotters,
  VolumeSnapshotter,
} from "../../../src/engines/snapshotter/library.ts";

const pathOf = (volume: PersistentVolume) =>
  ((volume["spec"] ?? {}) as { hostPath?: { path?: string } }).hostPath?.path ?? "";

function vault(behaviour: string, canFind: boolean): VolumeSnapshotter {
  let folder = "";
  const made = async (name: string, content: unknown): Promise<string> => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    while (existsSync(join(folder, "wait"))) await new Promise((resolve) => setTimeout(resolve, 50));
    return name;
  };
  const find = async ({ volumeID, tags }: SnapshotRequest): Promise<string> => {
    const wanted = JSON.stringify({ volumeID, tags });
    const same = (name: string) => readFileSync(join(folder, name), "utf8") === wanted;
    return readdirSync(folder).find((name) => name.startsWith("snap-") && same(name)) ?? "";
  };
  return {
    async init({ path = "" }) {
      folder = path;
      mkdirSync(folder, { recursive: true });
    },
    getVolumeID: async (volume) => (pathOf(volume).startsWith(`/${behaviour}/`) ? pathOf(volume) : ""),
    setVolumeID: async (volume, id) => ({
      ...volume,
      spec: { ...(volume["spec"] as object), hostPath: { path: `/${id}` } },
    }),
    getVolumeInfo: async () => ({ type: "file" }),
    createSnapshot: ({ volumeID, tags }) =>
      made(`snap-${crypto.randomUUID().slice(0, 8)}`, { volumeID, tags }),
    createVolumeFromSnapshot: ({ snapshotID }) =>
      made(`volume-${crypto.randomUUID().slice(0, 8)}`, snapshotID),
    async deleteSnapshot(id) {
      if (existsSync(join(folder, "locked"))) throw new Error("the vault is locked");
      rmSync(join(folder, id), { force: true });
    },
    ...(canFind && { findSnapshot: find }),
  };
}

export const snapshotters: Snapshotters = {
  "test.dev/vault": () => vault("vault", true),
  "test.dev/veil": () => vault("veil", false),
};
