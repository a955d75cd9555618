import { expect, test } from "vitest";
import { fakeCall } from "../../../../test/harness/action-call.ts";
import { ApiError, type Resource } from "../../../kube/index.ts";
import {
  createSnapshot,
  createStaticSnapshot,
  deleteSnapshot,
  deleteSnapshotContent,
  restoreSnapshot,
} from "./csi-snapshot.ts";

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A cluster whose snapshots go through some states, one a look. */
function cluster(...states: readonly object[]) {
  const made: Made[] = [];
  const deleted: string[] = [];
  let looks = 0;
  const client = {
    create: async (_resource: Resource, object: Made) => void made.push(object),
    delete: async (_resource: Resource, name: string) => void deleted.push(name),
    get: async ({ kind }: Resource, name: string) => {
      if (kind === "VolumeSnapshotClass") return { metadata: { name }, deletionPolicy: "Retain" };
      const status = states[Math.min(looks, states.length - 1)];
      looks += 1;
      if (status) return { metadata: { name }, status };
      throw new ApiError("get", { code: 404, reason: "NotFound", message: "gone" });
    },
  };
  return { client, made, deleted };
}
const done = {
  readyToUse: true,
  creationTime: "2026-11-15T10:00:00Z",
  restoreSize: "1Gi",
  boundVolumeSnapshotContentName: "c",
};

test("createSnapshot() waits until the snapshot can be used, and passes over errors that go away", async () => {
  const { client, made } = cluster(
    {},
    { error: { message: "the object has been modified; try again" } },
    done,
  );
  const { call, kept, progress } = fakeCall(
    "CreateCSISnapshot",
    { pvc: "data", namespace: "n", snapshotClass: "fast", labels: { a: "b" } },
    { client },
  );
  const output = await createSnapshot(call);
  expect(output).toEqual({
    pvc: "data",
    name: made[0]?.metadata.name,
    namespace: "n",
    restoreSize: "1Gi",
    snapshotContent: "c",
  });
  expect(made[0]).toMatchObject({
    kind: "VolumeSnapshot",
    metadata: { name: expect.stringMatching(/^data-snapshot-\w{5}$/), labels: { a: "b" } },
    spec: { volumeSnapshotClassName: "fast", source: { persistentVolumeClaimName: "data" } },
  });
  expect(kept[0]).toMatchObject({ name: made[0]?.metadata.name });
  expect(progress.work.progress).toEqual({ unit: "steps", done: 6_666, total: 10_000 });
});

test("createSnapshot() goes on with the snapshot that an earlier process asked for", async () => {
  const { client, made } = cluster(done);
  const before = { output: { name: "data-snapshot-x" }, step: "" };
  const { call } = fakeCall(
    "CreateCSISnapshot",
    { pvc: "data", namespace: "n", snapshotClass: "fast" },
    { client, before },
  );
  expect(await createSnapshot(call)).toMatchObject({ name: "data-snapshot-x" });
  expect(made[0]?.metadata.name).toBe("data-snapshot-x");
});

test("a snapshot that fails is told", async () => {
  const { client } = cluster({ error: { message: "no space" } });
  const { call } = fakeCall(
    "CreateCSISnapshot",
    { pvc: "data", namespace: "n", snapshotClass: "fast" },
    { client },
  );
  await expect(createSnapshot(call)).rejects.toMatchObject({
    code: "ACTION_COMMAND",
    message: expect.stringContaining("no space"),
  });
});

test("createStaticSnapshot() makes content and snapshot, with the policy of the class", async () => {
  const { client, made } = cluster(done);
  const args = { name: "s", namespace: "n", driver: "d", snapshotHandle: "h", snapshotClass: "fast" };
  expect(await createStaticSnapshot(fakeCall("CreateCSISnapshotStatic", args, { client }).call)).toEqual({
    name: "s",
    namespace: "n",
    restoreSize: "1Gi",
    snapshotContent: "c",
  });
  const [content, snapshot] = made;
  expect(content?.spec).toMatchObject({
    driver: "d",
    deletionPolicy: "Retain",
    source: { snapshotHandle: "h" },
  });
  expect(snapshot?.spec?.["source"]).toEqual({ volumeSnapshotContentName: content?.metadata.name });
});

test("restoreSnapshot() makes a claim with the snapshot as its source", async () => {
  const { client, made } = cluster();
  const args = {
    name: "s",
    pvc: "new",
    namespace: "n",
    storageClass: "fast",
    restoreSize: "1Gi",
    accessModes: "ReadWriteMany",
  };
  await restoreSnapshot(fakeCall("RestoreCSISnapshot", args, { client }).call);
  expect(made[0]?.spec).toMatchObject({
    accessModes: ["ReadWriteMany"],
    dataSource: { kind: "VolumeSnapshot", name: "s" },
    resources: { requests: { storage: "1Gi" } },
  });
});

test.each([
  ["no size", { restoreSize: "0" }],
  ["an odd mode", { accessModes: ["ReadSometimes"] }],
  ["an odd volume mode", { volumeMode: "Tape" }],
])("restoreSnapshot() refuses %s", async (_what, odd) => {
  const args = { name: "s", pvc: "new", namespace: "n", storageClass: "fast", restoreSize: "1Gi", ...odd };
  await expect(restoreSnapshot(fakeCall("RestoreCSISnapshot", args).call)).rejects.toMatchObject({
    code: "ACTION_ARGUMENTS",
  });
});

test("deleting waits until it is gone; what is not there is gone", async () => {
  const { client, deleted } = cluster();
  await deleteSnapshot(fakeCall("DeleteCSISnapshot", { name: "s", namespace: "n" }, { client }).call);
  await deleteSnapshotContent(fakeCall("DeleteCSISnapshotContent", { name: "c" }, { client }).call);
  expect(deleted).toEqual(["s", "c"]);
});
