import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findVolumeFolder } from "./volume-folder.ts";

const root = mkdtempSync(join(tmpdir(), "volume-folder-"));
const volumes = join(root, "uid-1", "volumes");

beforeAll(() => {
  for (const folder of [
    "kubernetes.io~empty-dir/scratch",
    "kubernetes.io~csi/pvc-1/mount",
    "kubernetes.io~nfs/twice",
    "kubernetes.io~empty-dir/twice",
  ])
    mkdirSync(join(volumes, folder), { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true }));

test("findVolumeFolder() finds the one folder, whatever the plug-in", async () => {
  expect(await findVolumeFolder(root, { podUid: "uid-1", folder: "scratch", csi: false })).toBe(
    join(volumes, "kubernetes.io~empty-dir/scratch"),
  );
  expect(await findVolumeFolder(root, { podUid: "uid-1", folder: "pvc-1", csi: true })).toBe(
    join(volumes, "kubernetes.io~csi/pvc-1/mount"),
  );
});

test.each([
  ["none", { podUid: "uid-1", folder: "gone", csi: false }, "there is no folder"],
  ["no such pod", { podUid: "uid-2", folder: "gone", csi: false }, "no volumes on this node"],
  ["two", { podUid: "uid-1", folder: "twice", csi: false }, "more than once"],
  ["outside", { podUid: "uid-1", folder: "..", csi: false }, "cannot be the name"],
  ["outside", { podUid: "../uid-1", folder: "scratch", csi: false }, "cannot be the name"],
])("findVolumeFolder() refuses: %s", async (_name, place, words) => {
  await expect(findVolumeFolder(root, place)).rejects.toMatchObject({
    code: "VOLUME_FOLDER",
    message: expect.stringContaining(words),
  });
});
