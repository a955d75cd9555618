import { expect, test } from "vitest";
import type { Backup, Restore } from "../api/index.ts";
import { askedHooks, hookCounts } from "./hooks.ts";

const metadata = { name: "shop", namespace: "velero" };

function backup(hooks: NonNullable<NonNullable<Backup["spec"]>["hooks"]>): Backup {
  return { apiVersion: "velero.io/v1", kind: "Backup", metadata, spec: { hooks } };
}

test("askedHooks() names what a backup runs, where and when", () => {
  const exec = { command: ["fsfreeze", "--freeze", "/data"] };
  const run = backup({
    resources: [
      {
        name: "freeze",
        includedNamespaces: ["shop"],
        labelSelector: { matchLabels: { app: "db" } },
        pre: [{ exec: { ...exec, container: "tools" } }],
        post: [{ exec: { command: ["fsfreeze", "--unfreeze", "/data"] } }],
      },
      { name: "note", includedNamespaces: ["*"], excludedNamespaces: ["blog"], pre: [{ exec }] },
      {
        name: "odd",
        labelSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
        pre: [{ exec }],
      },
    ],
  });
  const { container, command } = { container: "the first container", command: "fsfreeze --freeze /data" };
  const [before, after] = ["before the pod is stored", "after the pod is stored"];
  const pods = "pods with app=db in shop";
  expect(askedHooks(run)).toEqual([
    { name: "freeze", when: before, pods, container: "tools", command },
    { name: "freeze", when: after, pods, container, command: "fsfreeze --unfreeze /data" },
    { name: "note", when: before, pods: "all pods not in blog", container, command },
    { name: "odd", when: before, pods: "pods with some labels", container, command },
  ]);
  expect(askedHooks(backup({ resources: null }))).toEqual([]);
});

test("askedHooks() names what a restore runs, init containers first", () => {
  const run: Restore = {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata,
    spec: {
      hooks: {
        resources: [
          {
            name: "warm",
            postHooks: [
              { init: { initContainers: [{ name: "fill", command: ["cp", "-a", "/seed", "/data"] }, {}] } },
              { exec: { container: "db", command: ["psql", "-f", "warm.sql"] } },
            ],
          },
        ],
      },
    },
  };
  const [pods, name] = ["all pods", "warm"];
  const first = { name, pods, when: "before the pod's own containers" };
  expect(askedHooks(run)).toEqual([
    { ...first, container: "fill", command: "cp -a /seed /data" },
    { ...first, container: "an init container", command: "" },
    { name, pods, when: "when the container runs", container: "db", command: "psql -f warm.sql" },
  ]);
});

test.each([
  [undefined, ""],
  [{ hooksAttempted: 1 }, "1 hook run, none failed"],
  [{ hooksAttempted: 3, hooksFailed: 1 }, "3 hooks run, 1 failed"],
])("hookCounts() of %j is %j", (hookStatus, words) => {
  const run: Backup = { apiVersion: "velero.io/v1", kind: "Backup", metadata };
  expect(hookCounts(hookStatus ? { ...run, status: { hookStatus } } : run)).toBe(words);
});
