import { expect, test } from "vitest";
import { fake, run, world } from "../../../test/harness/backup-world.ts";
import { matesOf, type PodFacts } from "./pod-blocks.ts";
import type { PodVolumes } from "./volumes.ts";

const pod = (name: string, claims: string, hooked = false): PodFacts => ({
  name,
  claims: claims.split(" "),
  hooked,
});

test.each<[string, PodFacts[], Record<string, string[]>]>([
  ["alone", [pod("a", "x", true), pod("b", "y")], {}],
  ["together without hooks", [pod("a", "x"), pod("b", "x")], {}],
  ["together with a hook", [pod("a", "x", true), pod("b", "x")], { a: ["b"], b: ["a"] }],
  [
    "together through a third",
    [pod("a", "x", true), pod("b", "y"), pod("c", "x y")],
    { a: ["b", "c"], b: ["a", "c"], c: ["a", "b"] },
  ],
])("matesOf() pods %s", (_name, pods, want) => expect(Object.fromEntries(matesOf(pods))).toEqual(want));

test("hooks of pods that share a claim run around all of them, and post hooks wait for all their volumes", async () => {
  const shared = {
    spec: {
      volumes: [{ name: "d", persistentVolumeClaim: { claimName: "data" } }],
      containers: [{ name: "c" }],
    },
  };
  const hooked = (when: string) => ({
    ...shared,
    metadata: { annotations: { [`${when}.hook.backup.velero.io/command`]: when } },
  });
  const source = fake({
    ...world,
    "pods a/one": shared,
    "pods a/two": hooked("pre"),
    "pods a/three": hooked("post"),
    "pods a/other": { spec: { containers: [{ name: "c" }] } },
  });
  const told: string[] = [];
  const volumes: PodVolumes = {
    plan: () => [],
    start: async ({ metadata }) => {
      told.push(`start ${metadata.name}`);
      return { copied: [], left: [] };
    },
    settled: async ({ name }) => void told.push(`settled ${name}`),
    finish: async () => undefined,
    list: () => [],
    cancel: async () => undefined,
  };
  const { status, entries } = await run(
    { includedNamespaces: ["a"], includedResources: ["pods"] },
    {
      source,
      openPodVolumes: async () => volumes,
      runInPod: async ({ pod: name }, command) => {
        told.push(`${command.join(" ")} ${name}`);
        return { exitCode: 0, stdout: "", stderr: "" };
      },
    },
  );
  // `web` of that world uses the same claim.
  expect(told.filter((text) => !text.endsWith("other"))).toEqual([
    "pre two",
    "start web",
    "start one",
    "start two",
    "start three",
    "settled web",
    "settled one",
    "settled two",
    "settled three",
    "post three",
  ]);
  expect(status).toMatchObject({ phase: "Completed", hookStatus: { hooksAttempted: 2 } });
  const stored = entries.filter((name) => name.startsWith("resources/pods/namespaces"));
  expect(stored).toHaveLength(5);
  expect(new Set(stored).size).toBe(5);
  expect(status.progress?.totalItems).toBe(status.progress?.itemsBackedUp);
});

test("a pod of a block whose fatal hook fails is left out alone", async () => {
  const shared = {
    spec: {
      volumes: [{ name: "d", persistentVolumeClaim: { claimName: "data" } }],
      containers: [{ name: "c" }],
    },
  };
  const annotations = {
    "pre.hook.backup.velero.io/command": "freeze",
    "pre.hook.backup.velero.io/on-error": "Fail",
  };
  const source = fake({
    "namespaces a": {},
    "pods a/one": shared,
    "pods a/two": { ...shared, metadata: { annotations } },
  });
  const { status, entries } = await run(
    { includedNamespaces: ["a"], includedResources: ["pods"] },
    { source, runInPod: async () => ({ exitCode: 1, stdout: "", stderr: "" }) },
  );
  expect(status).toMatchObject({ phase: "PartiallyFailed", progress: { totalItems: 2, itemsBackedUp: 1 } });
  expect(entries).toContain("resources/pods/namespaces/a/one.json");
  expect(entries).not.toContain("resources/pods/namespaces/a/two.json");
});
