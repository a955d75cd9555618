import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../test/harness/eventually.ts";
import { fillTree, treeLines } from "../../../test/harness/tree.ts";
import type { VolumeSnapshotter } from "../contract.ts";
import { folderPlugin, snapshotters } from "./folder-snapshotter.ts";

const { signal } = new AbortController();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "folder-snapshotter-"));
  mkdirSync(join(folder, "volumes", "pv"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

async function open(config: Record<string, string> = {}): Promise<VolumeSnapshotter> {
  const plugin = await snapshotters[folderPlugin]?.({
    name: folderPlugin,
    namespace: "velero",
    log: () => undefined,
  });
  if (!plugin) throw new Error("no plugin");
  await plugin.init({ path: join(folder, "snapshots"), ...config }, signal);
  return plugin;
}
const volume = () => join(folder, "volumes", "pv");
const pv = (path: string) => ({ metadata: { name: "pv" }, spec: { local: { path }, nodeAffinity: {} } });
const request = () => ({ volumeID: volume(), volumeAZ: "", tags: { "velero.io/pv": "pv" } });
const done = (ask: () => Promise<{ phase: string }> | undefined) =>
  eventually(
    async () => (await ask())?.phase,
    (phase) => phase !== "InProgress",
  );

test("a process goes on with what another one left half done, snapshot and volume", async () => {
  fillTree(volume(), [3_000_000, 1_000]);
  const slow = await open({ method: "copy", bytesPerSecond: "1000" });
  const id = await slow.createSnapshot(request(), signal);
  await eventually(
    () => slow.progress?.(id, signal),
    (now) => (now?.bytesDone ?? 0) > 0,
  );
  // As if its process were killed: nothing is told to it.
  const next = await open();
  expect(await done(() => next.progress?.(id, signal))).toBe("Completed");
  expect(treeLines(join(folder, "snapshots", id, "data"))).toEqual(treeLines(volume()));
  const path = await slow.createVolumeFromSnapshot(
    { snapshotID: id, volumeType: "folder", volumeAZ: "" },
    signal,
  );
  expect(path).toMatch(/\/pv-[0-9a-f]{8}$/);
  await eventually(
    () => slow.restoreProgress?.(path, signal),
    (now) => (now?.bytesDone ?? 0) > 0,
  );
  const last = await open();
  expect(await done(() => last.restoreProgress?.(path, signal))).toBe("Completed");
  expect(treeLines(path)).toEqual(treeLines(volume()));
  await slow.deleteSnapshot(id, signal);
  expect(existsSync(join(folder, "snapshots", id))).toBe(false);
});

test("volumes that are no folder of this machine, or not where they should be, are not its own", async () => {
  const plugin = await open({ volumes: join(folder, "volumes") });
  expect(await plugin.getVolumeID(pv(volume()), signal)).toBe(volume());
  expect(await plugin.getVolumeID(pv("/"), signal)).toBe("");
  expect(await plugin.getVolumeID(pv(join(folder, "volumes", "gone")), signal)).toBe("");
  expect(await plugin.getVolumeID({ spec: { nfs: { path: "/x" } } }, signal)).toBe("");
});

test("setVolumeID() moves the volume and ties it to the node that is set", async () => {
  const plugin = await open({ node: "n2" });
  expect(await plugin.setVolumeID(pv("/old"), "/new", signal)).toMatchObject({
    spec: {
      local: { path: "/new" },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ values: ["n2"] }] }] } },
    },
  });
});

test("ids from elsewhere do not lead out of the folder", async () => {
  const plugin = await open();
  for (const id of ["../volumes/pv", "", "a/b", "A"]) {
    await expect(plugin.deleteSnapshot(id, signal)).rejects.toThrow("is not an id of a folder snapshot");
  }
  expect(existsSync(volume())).toBe(true);
  await expect(
    plugin.createVolumeFromSnapshot({ snapshotID: "unknown", volumeType: "", volumeAZ: "" }, signal),
  ).rejects.toThrow('there is no snapshot "unknown"');
});

test("a snapshot of a folder that vanished fails, and says so again later", async () => {
  const plugin = await open();
  const id = await plugin.createSnapshot({ ...request(), volumeID: join(folder, "gone") }, signal);
  expect(await done(() => plugin.progress?.(id, signal))).toBe("Failed");
  const next = await open();
  expect(await next.progress?.(id, signal)).toMatchObject({
    phase: "Failed",
    message: expect.stringContaining("ENOENT"),
  });
});
