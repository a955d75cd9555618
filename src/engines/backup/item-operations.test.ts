import { expect, test } from "vitest";
import { fake, run, world } from "../../../test/harness/backup-world.ts";
import type { StoredOperationStatus } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import type { ItemOperations, OpenItemOperations } from "./item-operations.ts";

/** A source with one operation, which ends as it is told to. */
function source(end: NonNullable<StoredOperationStatus["phase"]>, calls: string[] = []): OpenItemOperations {
  return async ({ moved, backup }) => {
    let phase: NonNullable<StoredOperationStatus["phase"]> = "InProgress";
    const ref = { apiVersion: "velero.io/v1", kind: "Backup", name: "b" };
    const operations: ItemOperations = {
      list: () => [
        {
          stored: {
            spec: {
              backupName: backup.metadata.name,
              backupUID: "u",
              backupItemAction: "example.com/act",
              resourceIdentifier: { Group: "", Resource: "configmaps", Namespace: "a", Name: "cm" },
              operationID: "op-1",
              postOperationItems: null,
            },
            status: { phase },
          },
          seen: {
            id: "op-1",
            ref,
            kind: "operation",
            title: "a/cm",
            state: phase === "InProgress" ? "running" : "completed",
          },
        },
      ],
      async finish(found) {
        calls.push("finish");
        phase = end;
        if (end === "Failed")
          found.errors.add({ resource: "configmaps", namespace: "a" }, "the operation failed");
        moved();
      },
      lateItems: () => [{ group: "example.com", plural: "gadgets", name: "g1" }],
      settle: async () => void calls.push("settle"),
      cancel: async () => void calls.push("cancel"),
    };
    return operations;
  };
}

const spec = { includedNamespaces: ["b"], snapshotVolumes: false };

test("operations are awaited, counted, stored, and shown as parts of the tree", async () => {
  const told: { step: string; facts: object; parts: number }[] = [];
  const { status, json, entries } = await run(spec, {
    openOperations: [source("Completed"), source("Completed")],
    onProgress: ({ step, operations = [] }, facts) => told.push({ step, facts, parts: operations.length }),
  });
  expect(status).toMatchObject({
    phase: "Completed",
    backupItemOperationsAttempted: 2,
    backupItemOperationsCompleted: 2,
  });
  expect(await json("itemOperations")).toMatchObject([{ status: { phase: "Completed" } }, {}]);
  expect(entries).toContain("resources/gadgets.example.com/cluster/g1.json");
  const phases = told.map(({ facts }) => (facts as { phase?: string }).phase);
  expect([...new Set(phases)]).toEqual([undefined, "WaitingForPluginOperations", "Finalizing"]);
  expect(told.at(-1)?.parts).toBe(2);
});

test("an operation that fails makes the backup partial", async () => {
  const { status } = await run(spec, { openOperations: [source("Failed")] });
  expect(status).toMatchObject({
    phase: "PartiallyFailed",
    backupItemOperationsAttempted: 1,
    backupItemOperationsFailed: 1,
  });
});

test("a late item that is gone is a warning", async () => {
  const { "gadgets.example.com g1": _gone, ...rest } = world;
  const more = { source: fake(rest), openOperations: [source("Completed")] };
  expect((await run(spec, more)).status).toMatchObject({ phase: "Completed", warnings: 1 });
});

test("a run that fails cancels every source; a run that ends well cancels none, and settles none itself", async () => {
  const calls: string[] = [];
  await run(spec, { openOperations: [source("Completed", calls)] });
  expect(calls).toEqual(["finish"]);
  const broken: OpenItemOperations = async (context, signal) => ({
    ...(await source("Completed", calls)(context, signal)),
    finish: async () => {
      throw new AppError("KUBE_UNREACHABLE", "gone");
    },
  });
  await expect(run(spec, { openOperations: [source("Completed", calls), broken] })).rejects.toThrow("gone");
  expect(calls).toEqual(["finish", "finish", "cancel", "cancel"]);
});
