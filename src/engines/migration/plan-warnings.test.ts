import { expect, test } from "vitest";
import { planWarnings, versionWarning } from "./plan-warnings.ts";
import type { Pod } from "./shapes.ts";

const pod = (name: string, more: object = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop" },
  ...more,
});
const waiting = (reason: string) => ({
  status: { phase: "Pending", containerStatuses: [{ name: "c", state: { waiting: { reason } } }] },
});
const types = (pods: readonly Pod[], volumes = 0) =>
  planWarnings(pods, volumes).wanted.map(({ type, category, reason }) => `${category} ${type} ${reason}`);

test.each([
  ["Failed", { status: { phase: "Failed" } }],
  ["CrashLoopBackOff", waiting("CrashLoopBackOff")],
  ["ImagePullBackOff", waiting("ImagePullBackOff")],
  [
    "no node fits",
    {
      status: {
        phase: "Pending",
        conditions: [
          { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no node fits" },
        ],
      },
    },
  ],
])("planWarnings() names a pod that is not well: %s", (why, more) => {
  const { wanted, unhealthy } = planWarnings([pod("a"), pod("b", more)], 0);
  expect(wanted).toEqual([
    {
      type: "SourcePodsNotHealthy",
      status: "True",
      category: "Warn",
      reason: "NotHealthy",
      message: `Pods of the source are not well: shop/b (${why}).`,
    },
  ]);
  expect(unhealthy).toEqual([{ name: "shop", workloads: [{ name: "Pods", resources: [`shop/b: ${why}`] }] }]);
});

test("planWarnings() is silent about pods that run, start or go", () => {
  const going = {
    metadata: { name: "c", deletionTimestamp: "2026-11-15T10:00:00Z" },
    status: { phase: "Failed" },
  };
  expect(
    types([
      pod("a", { status: { phase: "Running" } }),
      pod("b", waiting("ContainerCreating")),
      pod("c", going),
    ]),
  ).toEqual([]);
});

test("planWarnings() warns of many pods, many volumes and of pods that are bound to nodes", () => {
  const many = Array.from({ length: 101 }, (_, i) => pod(`p${i}`));
  expect(types(many, 101)).toEqual([
    "Warn PodLimitExceeded LimitExceeded",
    "Warn PvLimitExceeded LimitExceeded",
  ]);
  expect(types(many.slice(1), 100)).toEqual([]);
  expect(types([pod("a", { spec: { nodeSelector: { disk: "fast" } } })])).toEqual([
    "Warn NamespacesHaveNodeSelectors NodeSelectorsDetected",
  ]);
});

test.each([
  ["v1.34.1", "v1.34.9+k3s1", []],
  ["v1.29.0", "v1.34.1", ["Conflict"]],
  ["v1.3.0", "v1.34.0", ["Conflict"]],
  ["unknown", "v1.34.0", []],
])("versionWarning() from %s to %s", (here, there, want) => {
  const found = versionWarning({ name: "blue", gitVersion: here }, { name: "green", gitVersion: there });
  expect(found.map(({ reason }) => reason)).toEqual(want);
  for (const one of found) {
    expect(one).toMatchObject({ type: "ClusterVersionMismatch", category: "Warn" });
    expect(one.message).toContain('"blue"');
  }
});
