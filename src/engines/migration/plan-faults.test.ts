import { expect, test } from "vitest";
import type { MigCluster, MigHook, MigPlan, MigStorage } from "../../api/index.ts";
import { hookConditions } from "./hook-faults.ts";
import { planFaults } from "./plan-faults.ts";

const v = "migration.openshift.io/v1alpha1";
const readiness = (isReady: boolean) => ({
  conditions: [
    isReady
      ? { type: "Ready", status: "True", category: "Required", lastTransitionTime: "" }
      : {
          type: "TestConnectFailed",
          status: "True",
          category: "Critical",
          message: "no answer",
          lastTransitionTime: "",
        },
  ],
});
const cluster = (name: string, spec: object = {}, isReady = true): MigCluster => ({
  apiVersion: v,
  kind: "MigCluster",
  metadata: { name, namespace: "om" },
  spec: { isHostCluster: false, url: `https://${name}`, ...spec },
  status: readiness(isReady),
});
const storage: MigStorage = {
  apiVersion: v,
  kind: "MigStorage",
  metadata: { name: "s", namespace: "om" },
  status: readiness(true),
};
const hook = (name: string, isReady = true): MigHook => ({
  apiVersion: v,
  kind: "MigHook",
  metadata: { name, namespace: "om" },
  status: readiness(isReady),
});
const plan = (spec: object = {}, name = "p"): MigPlan => ({
  apiVersion: v,
  kind: "MigPlan",
  metadata: { name, namespace: "om", uid: name },
  spec: {
    srcMigClusterRef: { name: "blue" },
    destMigClusterRef: { name: "green" },
    migStorageRef: { name: "s" },
    namespaces: ["shop"],
    ...spec,
  },
});
const parts = {
  source: cluster("blue"),
  destination: cluster("green"),
  storage,
  hooks: [hook("h")],
  plans: [],
};
const entry = (phase: string, name = "h") => ({
  reference: { name },
  phase,
  executionNamespace: "hooks",
  serviceAccount: "runner",
});
const ten = Array.from({ length: 11 }, (_, i) => `n${i}`);

test.each([
  ["nothing wrong", plan(), parts, []],
  [
    "nothing set",
    plan({ srcMigClusterRef: {}, destMigClusterRef: {}, migStorageRef: {}, namespaces: [] }),
    { ...parts, source: undefined, destination: undefined, storage: undefined },
    [
      "InvalidSourceClusterRef NotSet",
      "InvalidDestinationClusterRef NotSet",
      "InvalidStorageRef NotSet",
      "NamespaceListEmpty NotFound",
    ],
  ],
  [
    "a cluster that is not there",
    plan(),
    { ...parts, source: undefined },
    ["InvalidSourceClusterRef NotFound"],
  ],
  [
    "a cluster that is not ready",
    plan(),
    { ...parts, destination: cluster("green", {}, false) },
    ["DestinationClusterNotReady"],
  ],
  [
    "a storage that is not ready",
    plan(),
    { ...parts, storage: { ...storage, status: readiness(false) } },
    ["StorageNotReady"],
  ],
  [
    "one cluster twice",
    plan(),
    { ...parts, destination: cluster("green", { url: "https://blue" }) },
    ["InvalidDestinationCluster NotDistinct"],
  ],
  [
    "the host twice",
    plan(),
    {
      ...parts,
      source: cluster("a", { isHostCluster: true }),
      destination: cluster("b", { isHostCluster: true }),
    },
    ["InvalidDestinationCluster NotDistinct"],
  ],
  ["too many namespaces", plan({ namespaces: ten }), parts, ["NamespaceLimitExceeded LimitExceeded"]],
  [
    "a namespace twice",
    plan({ namespaces: ["a", "a:b"] }),
    parts,
    ["DuplicateNamespaceOnSourceCluster DuplicateNamespaces"],
  ],
  [
    "two into one",
    plan({ namespaces: ["a:c", "b:c"] }),
    parts,
    ["DuplicateNamespaceOnDestinationCluster DuplicateNamespaces"],
  ],
  [
    "a hook that is not there",
    plan({ hooks: [entry("PreBackup", "none")] }),
    parts,
    ["InvalidHookRef NotFound"],
  ],
  [
    "a hook that is not ready",
    plan({ hooks: [entry("PreBackup")] }),
    { ...parts, hooks: [hook("h", false)] },
    ["HookNotReady"],
  ],
  [
    "a hook without a place",
    plan({ hooks: [{ ...entry("PreBackup"), executionNamespace: "", serviceAccount: "" }] }),
    parts,
    ["InvalidHookNSName NotSet", "InvalidHookSAName NotSet"],
  ],
  [
    "odd and double hooks",
    plan({ hooks: [entry("Never"), entry("Never")] }),
    parts,
    ["HookPhaseUnknown", "HookPhaseUnknown", "HookPhaseDuplicate"],
  ],
  [
    "another plan's namespace",
    plan(),
    { ...parts, plans: [plan({}, "p"), plan({ namespaces: ["shop:x"] }, "q")] },
    ["PlanConflict Conflict"],
  ],
  ["a closed plan's namespace", plan(), { ...parts, plans: [plan({ closed: true }, "q")] }, []],
] as const)("planFaults() with %s", (_what, given, on, want) => {
  expect(planFaults(given, on).map(({ type, reason }) => [type, reason].filter(Boolean).join(" "))).toEqual(
    want,
  );
});

test("planFaults() tells why a cluster is not ready", () => {
  const [fault] = planFaults(plan(), { ...parts, source: cluster("blue", {}, false) });
  expect(fault?.message).toBe('MigCluster "blue" is not ready: no answer.');
});

test.each([
  [{ custom: true, image: "i", targetCluster: "source" }, ["Ready"]],
  [{ custom: false, image: "i", playbook: "LS0t", targetCluster: "destination" }, ["Ready"]],
  [
    { custom: true, image: "", playbook: "LS0t", targetCluster: "both" },
    ["InvalidImage", "InvalidTarget", "InvalidCustomHook"],
  ],
  [{ custom: false, image: "i", targetCluster: "source" }, ["InvalidAnsibleHook"]],
  [{ custom: false, image: "i", playbook: "- hosts: all", targetCluster: "source" }, ["InvalidPlaybookData"]],
])("hookConditions() of %j", (spec, want) => {
  expect(hookConditions({ ...hook("h"), spec }).map(({ type }) => type)).toEqual(want);
});
