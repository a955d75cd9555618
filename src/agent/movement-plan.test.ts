import { expect, test } from "vitest";
import type { DataUpload } from "../api/index.ts";
import { planMovement } from "./movement-plan.ts";

const finalizers = ["velero.io/data-upload-download-finalizer"];
const base: DataUpload = {
  apiVersion: "velero.io/v2alpha1",
  kind: "DataUpload",
  metadata: { name: "d", namespace: "velero", uid: "u" },
  spec: {
    snapshotType: "CSI",
    csiSnapshot: { volumeSnapshot: "s", storageClass: "c" },
    sourceNamespace: "shop",
    sourcePVC: "data",
    backupStorageLocation: "default",
    operationTimeout: "10m0s",
  },
};
type Status = NonNullable<DataUpload["status"]>;
const at = (status: Status, more: Partial<DataUpload["metadata"]> = {}, spec: object = {}): DataUpload => ({
  ...base,
  metadata: { ...base.metadata, ...more },
  spec: { ...base.spec, ...spec } as NonNullable<DataUpload["spec"]>,
  status,
});
const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const cancel = { cancel: true };

test.each([
  ["a new one is taken", base, false, "accept"],
  ["one of another mover is left alone", at({}, {}, { datamover: "other" }), false, "ignore"],
  ["the built-in one has several names", at({}, {}, { datamover: "velero-fs" }), false, "accept"],
  ["one with a bad name fails", at({}, {}, { sourceNamespace: "../x" }), false, "end failed"],
  ["a snapshot that is not CSI's fails", at({}, {}, { snapshotType: "other" }), false, "end failed"],
  ["one that we took is prepared", at({ phase: "Accepted", acceptedByNode: "n1" }), false, "prepare"],
  ["one that we prepare is let be", at({ phase: "Accepted", acceptedByNode: "n1" }), true, "wait"],
  ["another's preparation is watched", at({ phase: "Accepted", acceptedByNode: "n2" }), false, "watch n2"],
  [
    "one that is on our node is copied",
    at({ phase: "Prepared", node: "n1", acceptedByNode: "n2" }),
    false,
    "move",
  ],
  ["a copy of an earlier life goes on", at({ phase: "InProgress", node: "n1" }), false, "move"],
  [
    "a copy elsewhere is not ours",
    at({ phase: "InProgress", node: "n2", acceptedByNode: "n1" }),
    false,
    "wait",
  ],
  ["a cancel before anybody took it", at({}, {}, cancel), false, "end canceled"],
  ["a cancel of what runs", at({ phase: "InProgress", node: "n1" }, {}, cancel), true, "stop"],
  ["a cancel of what does not run", at({ phase: "Canceling", node: "n1" }), false, "end canceled"],
  ["a cancel that another must see", at({ phase: "InProgress", node: "n2" }, {}, cancel), false, "watch n2"],
  ["deleting is a cancel", at({ phase: "Accepted", acceptedByNode: "n1" }, deleted), true, "stop"],
  ["an end that is held is released", at({ phase: "Failed", node: "n1" }, { finalizers }), false, "release"],
  [
    "an end that another holds is watched",
    at({ phase: "Failed", node: "n2" }, { finalizers }),
    false,
    "watch n2",
  ],
  ["an end is an end", at({ phase: "Completed", node: "n1" }, {}, cancel), false, "wait"],
  ["a phase of a later release is let be", at({ phase: "Dreaming" as "New" }), false, "wait"],
])("%s", (_rule, movement, running, step) => {
  const { do: what, ...more } = planMovement(movement, { node: "n1", running });
  const detail = "state" in more ? more.state : "node" in more ? more.node : "";
  expect(`${what} ${detail}`.trim()).toBe(step);
});
