import { expect, test } from "vitest";
import type { KubeObject } from "../api/index.ts";
import type { VolumeObject } from "../kinds/index.ts";
import { causesOf, type Facts, leaseSeen, nodeReady, type PodFacts, podFacts, renewedAt } from "./facts.ts";

const now = 10_000_000;
const pod = (given: Partial<PodFacts>): PodFacts => ({
  phase: "Running",
  isAgent: false,
  waits: [],
  works: true,
  ...given,
});
const lease = (renewedAt: number, seenAt = renewedAt) => ({ renewedAt, seenAt });
const agent = pod({ isAgent: true, node: "n1" });
const facts = (pods: Record<string, PodFacts>, more: Partial<Facts> = {}): Facts => ({
  pods: new Map(Object.entries(pods)),
  nodes: new Map([
    ["n1", true],
    ["n2", false],
  ]),
  agents: new Map(),
  ...more,
});

function pvb(node = "n1", phase = "InProgress"): VolumeObject {
  const metadata = { name: "v", namespace: "velero" };
  const spec = { node, volume: "data", pod: { namespace: "shop", name: "db-0" } };
  // The fields that matter here; the others are the engine's.
  return {
    apiVersion: "velero.io/v1",
    kind: "PodVolumeBackup",
    metadata,
    spec,
    status: { phase },
  } as VolumeObject;
}

function pvr(phase = "New"): VolumeObject {
  return { ...pvb("", phase), kind: "PodVolumeRestore" } as VolumeObject;
}

const upload = { ...pvb("", "Accepted"), kind: "DataUpload", spec: {} } as unknown as VolumeObject;
const pending = (given: Partial<PodFacts>) => pod({ phase: "Pending", works: false, ...given });
const withAgent = (given: PodFacts) => facts({ "velero/agent": agent, "shop/db-0": given });

test.each([
  ["an agent pod runs on the node", pvb(), facts({ "velero/agent": agent }), []],
  ["no agent anywhere", pvb(), facts({}), ["agent-missing"]],
  [
    "the agent is on another node",
    pvb(),
    facts({ "velero/agent": pod({ isAgent: true, node: "n3" }) }),
    ["agent-missing"],
  ],
  [
    "the agent's pod does not run",
    pvb(),
    facts({ "velero/agent": { ...agent, phase: "Failed" } }),
    ["agent-missing"],
  ],
  [
    "an agent without a pod, by its lease",
    pvb(),
    facts({}, { agents: new Map([["n1", lease(now - 60_000, now - 20_000)]]) }),
    [],
  ],
  [
    "a lease that is old",
    pvb(),
    facts({}, { agents: new Map([["n1", lease(now - 26_000)]]) }),
    ["agent-missing"],
  ],
  ["the node is not ready", pvb("n2"), facts({ a: { ...agent, node: "n2" } }), ["node-not-ready"]],
  ["the node is gone", pvb("n9"), facts({}), ["agent-missing", "node-not-ready"]],
  ["nothing is known", pvb("n2"), {}, []],
  ["it has ended", pvb("n2", "Completed"), facts({}), []],
  ["its pod waits for the volume, as it should", pvr(), withAgent(pod({ phase: "Pending", node: "n1" })), []],
  [
    "its pod has no image",
    pvr(),
    withAgent(pending({ waits: ["ImagePullBackOff"], node: "n1" })),
    ["image-pull"],
  ],
  [
    "its pod has an unbound claim",
    pvr(),
    withAgent(pending({ unscheduled: "pod has unbound immediate PersistentVolumeClaims" })),
    ["volume-not-bound"],
  ],
  [
    "its pod finds no node",
    pvr(),
    withAgent(pending({ unscheduled: "0/3 nodes available" })),
    ["pod-pending"],
  ],
  [
    "its mover pod has failed",
    upload,
    facts({ "velero/v": pod({ phase: "Failed", node: "n1" }), a: agent }),
    ["mover-gone"],
  ],
  [
    "its mover pod has no image",
    upload,
    facts({ "velero/v": pending({ waits: ["ErrImagePull"] }), a: agent }),
    ["image-pull"],
  ],
] as const)("causesOf() when %s", (_name, volume, given, want) => {
  expect(causesOf(volume, given, now)).toEqual(want);
});

test("podFacts() keeps what matters of a pod", () => {
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "velero", labels: { role: "node-agent" } },
    spec: { nodeName: "n1", containers: [{ name: "big" }] },
    status: {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "True" }],
      initContainerStatuses: [{ state: { running: {} } }],
      containerStatuses: [{ state: { waiting: { reason: "PodInitializing" } } }],
    },
  };
  expect(podFacts(object)).toEqual({
    phase: "Pending",
    node: "n1",
    isAgent: true,
    waits: ["PodInitializing"],
    works: true,
  });
  const bare: KubeObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };
  expect(podFacts(bare)).toEqual({ phase: "Pending", isAgent: false, waits: [], works: false });
});

const old = lease(now - 26_000);
test.each([
  [
    "an agent that renewed its lease and is frozen",
    { ...agent, startedAt: now - 900_000 },
    old,
    ["agent-missing"],
  ],
  ["one that started after the lease's last renewal", { ...agent, startedAt: now - 5_000 }, old, []],
  [
    "an agent whose lease was seen to be renewed",
    { ...agent, startedAt: now - 900_000 },
    lease(0, now - 9_000),
    [],
  ],
])("causesOf() sees %s", (_what, found, renewed, want) => {
  const around = facts({ "velero/agent": found }, { agents: new Map([["n1", renewed]]) });
  expect(causesOf(pvb(), around, now)).toEqual(want);
});

test("leaseSeen() goes by the viewer's own clock", () => {
  const at = (time: string) => Object.assign(bareNode(), { spec: { renewTime: time } });
  const first = leaseSeen(at("2026-01-01T00:00:00Z"), undefined, Date.parse("2026-01-01T00:01:00Z"));
  expect(first.seenAt).toBe(Date.parse("2026-01-01T00:01:00Z"));
  // Listed again without a renewal in between.
  expect(leaseSeen(at("2026-01-01T00:00:00Z"), first, Date.parse("2026-01-01T00:02:00Z"))).toBe(first);
  // The agent's clock is behind, and it lives.
  const next = leaseSeen(at("2026-01-01T00:00:10Z"), first, Date.parse("2026-01-01T00:05:00Z"));
  expect(next.seenAt).toBe(Date.parse("2026-01-01T00:05:00Z"));
  // One that a former life left is not believed.
  expect(leaseSeen(at("2026-01-01T00:00:00Z"), undefined, Date.parse("2026-01-01T01:00:00Z")).seenAt).toBe(
    Date.parse("2026-01-01T00:00:00Z"),
  );
});

test("nodeReady() and renewedAt() read what they need, and nothing means no", () => {
  const node = (status: string) =>
    Object.assign(bareNode(), { status: { conditions: [{ type: "Ready", status }] } });
  expect(nodeReady(node("True"))).toBe(true);
  expect(nodeReady(node("Unknown"))).toBe(false);
  expect(nodeReady(bareNode())).toBe(false);
  expect(renewedAt(Object.assign(bareNode(), { spec: { renewTime: "1970-01-01T00:00:05.000000Z" } }))).toBe(
    5_000,
  );
  expect(renewedAt(bareNode())).toBe(0);
});

function bareNode(): KubeObject {
  return { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
}
