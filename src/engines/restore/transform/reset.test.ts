import { expect, test } from "vitest";
import type { Item } from "../archive/item-json.ts";
import { comparable, labelled, placed, reset, withoutAnnotations } from "./reset.ts";

const item: Item = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "a",
    namespace: "shop",
    generateName: "a-",
    selfLink: "/x",
    uid: "u",
    resourceVersion: "1",
    generation: 2,
    creationTimestamp: "2026-01-01T00:00:00Z",
    deletionTimestamp: null,
    deletionGracePeriodSeconds: 1,
    ownerReferences: [{}],
    labels: { app: "a" },
    annotations: { note: "n" },
    finalizers: ["x/y"],
    managedFields: [{ manager: "m" }],
  },
  data: JSON.parse('{"__proto__":"p"}'),
  status: { phase: "x" },
};

test("reset() takes away what belonged to the old object and keeps the rest", () => {
  expect(reset(item)).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: "a",
      namespace: "shop",
      labels: { app: "a" },
      annotations: { note: "n" },
      finalizers: ["x/y"],
      managedFields: [{ manager: "m" }],
    },
    data: item["data"],
  });
  expect(JSON.stringify(reset(item)["data"])).toBe('{"__proto__":"p"}');
});

test("reset() changes nothing of what it was given", () => {
  const before = JSON.stringify(item);
  labelled(placed(withoutAnnotations(reset(item), ["note"]), "x"), { backup: "b", restore: "r" });
  expect(JSON.stringify(item)).toBe(before);
});

test("comparable() leaves out who set which field", () => {
  expect(comparable(item).metadata).not.toHaveProperty("managedFields");
});

test("labelled() adds the two labels to those that are there", () => {
  const labels = { backup: "b", restore: "r" };
  expect(labelled(item, labels).metadata.labels).toEqual({
    app: "a",
    "velero.io/backup-name": "b",
    "velero.io/restore-name": "r",
  });
  const bare = { ...item, metadata: { name: "a" } };
  expect(labelled(bare, labels).metadata.labels).toEqual({
    "velero.io/backup-name": "b",
    "velero.io/restore-name": "r",
  });
});

test.each([
  ["shop-copy", "shop-copy"],
  ["", undefined],
])("placed() in %j", (namespace, want) => {
  expect(placed(item, namespace).metadata.namespace).toBe(want);
});

test("withoutAnnotations() takes an empty map away", () => {
  expect(withoutAnnotations(item, ["other"]).metadata.annotations).toEqual({ note: "n" });
  expect(withoutAnnotations(item, ["note"]).metadata).not.toHaveProperty("annotations");
});
