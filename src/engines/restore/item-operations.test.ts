import { expect, test } from "vitest";
import { AllRestoreOperations, type RestoreOperations } from "./item-operations.ts";

const item = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" } };
const way = { groupResource: "persistentvolumeclaims", archived: item, item, target: "shop" };
const idle: RestoreOperations = {
  needs: () => [],
  act: async () => undefined,
  list: () => [],
  finish: async () => undefined,
  volumeInfos: async () => [],
  cancel: async () => undefined,
};
const labels = (key: string): RestoreOperations => ({
  ...idle,
  act: async ({ item: now }) => ({
    item: { ...now, metadata: { ...now.metadata, labels: { ...now.metadata.labels, [key]: "" } } },
  }),
});
const signal = new AbortController().signal;

test("act() passes an item through all sources, and through none when none knows it", async () => {
  const both = await new AllRestoreOperations([labels("a"), idle, labels("b")]).act(way, signal);
  expect(both).toMatchObject({ item: { metadata: { labels: { a: "", b: "" } } } });
  expect(await new AllRestoreOperations([idle]).act(way, signal)).toBeUndefined();
});

test("act() ends with the first source that leaves the item out", async () => {
  const skips: RestoreOperations = { ...idle, act: async () => ({ skip: "no" }) };
  expect(await new AllRestoreOperations([skips, labels("a")]).act(way, signal)).toEqual({ skip: "no" });
});

test("a source that cannot be canceled does not keep the others from it", async () => {
  const calls: string[] = [];
  const broken: RestoreOperations = { ...idle, cancel: () => Promise.reject(new Error("no")) };
  const other: RestoreOperations = { ...idle, cancel: async () => void calls.push("canceled") };
  await new AllRestoreOperations([broken, other]).cancel(signal);
  expect(calls).toEqual(["canceled"]);
});
