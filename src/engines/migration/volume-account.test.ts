import { expect, test } from "vitest";
import type {
  Backup,
  DataDownload,
  DataUpload,
  MigPlan,
  PodVolumeBackup,
  PodVolumeRestore,
  Restore,
} from "../../api/index.ts";
import type { Pod } from "./shapes.ts";
import { account, claimOfCopy, notCopied, notRestored } from "./volume-account.ts";

const supported = { actions: ["copy", "move", "skip"], copyMethods: ["filesystem", "snapshot"] };
const volume = (name: string, selection: object) => ({
  name: `pv-${name}`,
  pvc: { namespace: "shop", name },
  supported,
  selection,
});
const plan = (...volumes: readonly object[]) =>
  ({ spec: { namespaces: ["shop:moved"], persistentVolumes: volumes } }) as Pick<MigPlan, "spec">; // the part that is read
const head = { apiVersion: "velero.io/v1", metadata: { namespace: "velero", name: "m-stage" } } as const;
const backup = (status: object = {}) => ({ ...head, kind: "Backup", status }) as Backup; // the part that is read
const restore = { ...head, kind: "Restore" } as Restore;

function copy<K extends "PodVolumeBackup" | "PodVolumeRestore">(
  kind: K,
  space: string,
  status: object,
  claim?: string,
) {
  const annotations = claim === undefined ? {} : { "velero.io/pvc-name": claim };
  const spec = { volume: "v", pod: { namespace: space, name: "stage-a" } };
  const metadata = { namespace: "velero", name: "m-stage-x", annotations };
  return {
    apiVersion: "velero.io/v1",
    kind,
    metadata,
    spec,
    status,
  } as unknown as K extends "PodVolumeBackup" ? PodVolumeBackup : PodVolumeRestore; // the part that is read
}

const holder = (namespace: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace, name: "stage-a" },
  spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] },
});
const done = { phase: "Completed", snapshotID: "s" };
const files = volume("data", { action: "copy" });

test("claimOfCopy() is what the copy says, or what its pod holds", () => {
  expect(claimOfCopy(copy("PodVolumeBackup", "shop", {}, "other"), [holder("shop")])).toBe("shop/other");
  expect(claimOfCopy(copy("PodVolumeBackup", "shop", {}), [holder("shop")])).toBe("shop/data");
  expect(claimOfCopy(copy("PodVolumeBackup", "shop", {}), [holder("elsewhere")])).toBeUndefined();
});

test.each([
  ["no copy", [], "no PodVolumeBackup of Backup velero/m-stage is for it; look whether a node agent runs"],
  ["a failed one", [{ phase: "Failed", message: "disk on fire" }], "failed: disk on fire"],
  ["a canceled one", [{ phase: "Canceled" }], "was canceled"],
  ["one that has not ended", [{ phase: "InProgress" }], "had not ended, it is InProgress"],
  ["one that no agent took", [{}], "had not ended, it is New"],
])("notCopied() of %s says which and why", (_name, statuses, words) => {
  const copies = statuses.map((status) => copy("PodVolumeBackup", "shop", status, "data"));
  const lost = notCopied(plan(files), backup(), copies, []);
  expect(lost).toEqual([{ claim: "shop/data", why: expect.stringContaining(words) }]);
});

test("notCopied() is content with one good copy, and does not ask for what the plan skips or moves", () => {
  const copies = [
    copy("PodVolumeBackup", "shop", { phase: "Failed" }),
    copy("PodVolumeBackup", "shop", done),
  ];
  const others = [volume("a", { action: "skip" }), volume("b", { action: "move" })];
  expect(notCopied(plan(files, ...others), backup(), copies, [holder("shop")])).toEqual([]);
});

test("notCopied() counts the snapshots where volumes are copied by those", () => {
  expect(notCopied(plan(snapped), backup({ csiVolumeSnapshotsCompleted: 1 }), [], [])).toEqual([]);
  expect(notCopied(plan(snapped), backup(), [], [])).toEqual([
    { claim: "shop/data", why: expect.stringContaining("took 0 of 1 snapshots") },
  ]);
});

const snapped = volume("data", { action: "copy", copyMethod: "snapshot" });
const movement = (kind: "DataUpload" | "DataDownload", spec: object, status: object) => ({
  ...head,
  kind,
  spec,
  status,
});

test.each([
  ["completed", { phase: "Completed" }, []],
  [
    "failed",
    { phase: "Failed", message: "no room" },
    ["not copied: DataUpload velero/m-stage failed: no room"],
  ],
  ["was canceled", { phase: "Canceled" }, ["not copied: DataUpload velero/m-stage was canceled"]],
])("notCopied() of a snapshot whose data movement %s", (_name, status, words) => {
  const spec = { sourceNamespace: "shop", sourcePVC: "data" };
  const upload = movement("DataUpload", spec, status) as unknown as DataUpload; // the part that is read
  const lost = notCopied(plan(snapped), backup(), [], [], [upload]);
  expect(lost).toEqual(words.map((why) => ({ claim: "shop/data", why })));
});

test.each([
  ["completed", "data", { phase: "Completed" }, []],
  ["failed", "data", { phase: "Failed", message: "no room" }, ["failed: no room"]],
  [
    "is for another claim",
    "other",
    { phase: "Completed" },
    ["no DataDownload of Restore velero/m-stage is for it"],
  ],
])("notRestored() of a snapshot whose download %s", (_name, pvc, status, words) => {
  const spec = { targetVolume: { namespace: "moved", pvc, pv: "" } };
  const downloads = [movement("DataDownload", spec, status) as unknown as DataDownload]; // likewise
  const lost = notRestored(plan(snapped), restore, { ...found, restored: [], downloads });
  expect(lost).toEqual(words.map((why) => ({ claim: "moved/data", why: expect.stringContaining(why) })));
});

const found = {
  copies: [copy("PodVolumeBackup", "shop", done, "data")],
  pods: [holder("moved")],
  claims: new Set<string>(),
};

test.each([
  ["is there", [done], []],
  ["was not begun", [], ["no PodVolumeRestore"]],
  ["failed", [{ phase: "Failed", message: "full" }], ["failed: full"]],
])("notRestored() of files whose restore %s", (_name, statuses, words) => {
  const restored = statuses.map((status) => copy("PodVolumeRestore", "moved", status));
  const lost = notRestored(plan(files), restore, { ...found, restored });
  expect(lost).toEqual(words.map((why) => ({ claim: "moved/data", why: expect.stringContaining(why) })));
});

test("notRestored() does not ask for files of an empty volume, nor for those that were not copied", () => {
  for (const copies of [[copy("PodVolumeBackup", "shop", { phase: "Completed" }, "data")], []]) {
    expect(notRestored(plan(files), restore, { ...found, copies, restored: [] })).toEqual([]);
  }
});

test("notRestored() asks for the claim of what is moved", () => {
  const moved = plan(volume("library", { action: "move" }));
  expect(notRestored(moved, restore, { ...found, restored: [] })).toMatchObject([{ claim: "moved/library" }]);
  const claims = new Set(["moved/library"]);
  expect(notRestored(moved, restore, { ...found, restored: [], claims })).toEqual([]);
});

const lost = [{ claim: "shop/data", why: "not copied: no agent" }];

test("account() fails a run over lost data, unless its owner accepts that", () => {
  expect(account({ do: "advance" }, lost, { acceptMissing: false })).toEqual({
    do: "fail",
    errors: [
      "PersistentVolumeClaim shop/data: not copied: no agent.",
      expect.stringContaining("headway.dev/accept-missing-volumes"),
    ],
  });
  expect(account({ do: "advance" }, lost, { acceptMissing: true })).toMatchObject({
    do: "advance",
    warnings: [{ type: "VolumesNotCopied", message: expect.stringContaining("shop/data") }],
  });
  expect(account({ do: "advance" }, [], { acceptMissing: false })).toEqual({ do: "advance" });
  expect(account({ do: "fail", errors: ["Backup: failed."] }, lost, { acceptMissing: true })).toMatchObject({
    errors: ["PersistentVolumeClaim shop/data: not copied: no agent.", "Backup: failed."],
  });
});
