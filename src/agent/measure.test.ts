import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { isWholeDevice, measureFolder } from "./measure.ts";

const root = await mkdtemp(join(tmpdir(), "measure-"));
afterAll(() => rm(root, { recursive: true, force: true }));
await mkdir(join(root, "a/b"), { recursive: true });
await writeFile(join(root, "a/one"), Buffer.alloc(1_000));
await writeFile(Buffer.from(`${root}/a/b/\xff`, "latin1"), Buffer.alloc(234));
await symlink("/", join(root, "a/link"));
const forever = new AbortController().signal;

test("measureFolder() adds up what the files hold, and follows no link", async () => {
  expect(await measureFolder(root, { entries: 5, ms: 10, now: () => 0 }, forever)).toBe(1_234);
});

test.each([
  ["entries", { entries: 4, ms: 10, now: () => 0 }],
  ["time", { entries: 100, ms: 10, now: ticking(4) }],
])(
  "measureFolder() of a folder for which there are not enough %s is unknown, not less",
  async (_what, bounds) => {
    expect(await measureFolder(root, bounds, forever)).toBeUndefined();
  },
);

test("measureFolder() ends with its signal, and fails where there is no folder", async () => {
  const bounds = { entries: 100, ms: 10, now: () => 0 };
  await expect(measureFolder(root, bounds, AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
  await expect(measureFolder(join(root, "none"), bounds, forever)).rejects.toThrow("ENOENT");
});

const path = "/pods/u/volumes/kubernetes.io~csi/pv 1/mount";
const row = (mountRoot: string, type: string, source: string, at = path.replace(" ", "\\040")) =>
  `600 31 8:17 ${mountRoot} ${at} rw,relatime shared:2 master:3 - ${type} ${source} rw`;
test.each([
  ["a device of its own", row("/", "ext4", "/dev/sdb"), true],
  ["a folder of the node's disk", row("/opt/local-path/pv", "ext4", "/dev/sda1"), false],
  ["a share of a server", row("/", "nfs4", "10.0.0.1:/export"), false],
  ["memory", row("/", "tmpfs", "tmpfs"), false],
  ["a mount elsewhere", row("/", "ext4", "/dev/sdb", "/pods/u"), false],
  ["no mount at all", "", false],
  ["one that covers another", `${row("/", "ext4", "/dev/sdb")}\n${row("/x", "ext4", "/dev/sda1")}`, false],
])("isWholeDevice() of %s", (_what, info, want) => {
  expect(isWholeDevice(info, path)).toBe(want);
});

function ticking(step: number): () => number {
  let now = 0;
  return () => (now += step);
}
