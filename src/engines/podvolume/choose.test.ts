import { expect, test } from "vitest";
import { type ChoosingRules, chooseVolumes } from "./choose.ts";
import type { PodObject, PodVolume } from "./pod.ts";

const optIn: ChoosingRules = { all: false, claimsIncluded: true };
const optOut: ChoosingRules = { all: true, claimsIncluded: true };
const volumes: readonly PodVolume[] = [
  { name: "scratch", emptyDir: {} },
  { name: "data", persistentVolumeClaim: { claimName: "db" } },
  { name: "node", hostPath: { path: "/var" } },
  { name: "keys", secret: { secretName: "s" } },
  { name: "settings", configMap: { name: "c" } },
  { name: "token", projected: { sources: [] } },
  { name: "labels", downwardAPI: {} },
  { name: "default-token-x", emptyDir: {} },
];

function pod(annotations: Record<string, string> = {}, phase = "Running"): PodObject {
  return {
    metadata: { name: "web", namespace: "shop", uid: "u1", annotations },
    spec: {
      nodeName: "n1",
      volumes,
      containers: [{ name: "c", volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })) }],
    },
    status: { phase },
  };
}

const named = "backup.velero.io/backup-volumes";
const excluded = "backup.velero.io/backup-volumes-excludes";

test.each<[string, PodObject, ChoosingRules, readonly string[], readonly string[]]>([
  ["nothing is named", pod(), optIn, [], []],
  ["named ones, with spaces", pod({ [named]: "data, scratch," }), optIn, ["scratch", "data"], []],
  ["a named one that is not there", pod({ [named]: "gone" }), optIn, [], ["gone"]],
  ["a named folder of the node", pod({ [named]: "node" }), optIn, [], ["node"]],
  ["a named secret is taken when asked for", pod({ [named]: "keys" }), optIn, ["keys"], []],
  ["all that hold data", pod(), optOut, ["scratch", "data"], []],
  ["all but the excluded", pod({ [excluded]: "scratch" }), optOut, ["data"], []],
  ["all without claims", pod(), { ...optOut, claimsIncluded: false }, ["scratch"], []],
  ["a pod that does not run", pod({}, "Pending"), optOut, [], ["scratch", "data"]],
  ["a pod that does not run and asks for nothing", pod({}, "Pending"), optIn, [], []],
  [
    "a policy says yes",
    pod(),
    { ...optIn, verdict: (v) => (v.name === "data" ? "fs-backup" : undefined) },
    ["data"],
    [],
  ],
  [
    "a policy says no to what is named",
    pod({ [named]: "data,scratch" }),
    { ...optIn, verdict: (v) => (v.name === "data" ? "snapshot" : undefined) },
    ["scratch"],
    [],
  ],
  [
    "a claim of a hostPath volume",
    pod(),
    { ...optOut, hostPathVolumes: new Set(["data"]) },
    ["scratch"],
    ["data"],
  ],
])("chooseVolumes(): %s", (_name, given, rules, want, skipped) => {
  const chosen = chooseVolumes(given, rules);
  expect(chosen.volumes.map(({ name }) => name)).toEqual(want);
  expect(chosen.skipped.map(({ volume }) => volume)).toEqual(skipped);
});

test("chooseVolumes() leaves block devices and unmounted volumes, and says why", () => {
  const given: PodObject = {
    ...pod(),
    spec: {
      volumes: [
        { name: "raw", persistentVolumeClaim: { claimName: "r" } },
        { name: "idle", emptyDir: {} },
      ],
      containers: [{ name: "c", volumeDevices: [{ name: "raw", devicePath: "/dev/x" }] }],
    },
  };
  expect(chooseVolumes(given, optOut)).toEqual({
    volumes: [],
    unwanted: [],
    skipped: [
      { volume: "raw", reason: "it is a raw block device" },
      { volume: "idle", reason: "no container mounts it" },
    ],
  });
});

test("chooseVolumes() tells what a policy or the pod itself asks to leave alone", () => {
  const asked = pod({ [excluded]: "data" });
  expect(chooseVolumes(asked, optOut).unwanted).toEqual([
    { volume: "data", reason: expect.stringContaining(excluded) },
  ]);
  expect(chooseVolumes(asked, optIn).unwanted, "opting out of what nobody asked for is no wish").toEqual([]);
  const skips: ChoosingRules = { ...optIn, verdict: ({ name }) => (name === "data" ? "skip" : undefined) };
  expect(chooseVolumes(pod(), skips).unwanted).toEqual([{ volume: "data", reason: "a policy skips it" }]);
});
