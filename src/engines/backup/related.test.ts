import { expect, test } from "vitest";
import { Bindings, claimNeeds, podNeeds, storedClaim } from "./related.ts";

test("podNeeds() names claims and the priority class", () => {
  const volumes = [
    { name: "a", persistentVolumeClaim: { claimName: "c1" } },
    { name: "b", emptyDir: {} },
  ];
  expect(podNeeds({ metadata: { namespace: "n" }, spec: { volumes, priorityClassName: "high" } })).toEqual([
    { group: "", plural: "persistentvolumeclaims", namespace: "n", name: "c1" },
    { group: "scheduling.k8s.io", plural: "priorityclasses", name: "high" },
  ]);
  expect(podNeeds({ metadata: {} })).toEqual([]);
});

test("claimNeeds() names the volume of a bound claim only", () => {
  expect(claimNeeds({ spec: { volumeName: "v" }, status: { phase: "Bound" } })).toEqual([
    { group: "", plural: "persistentvolumes", name: "v" },
  ]);
  expect(claimNeeds({ spec: { volumeName: "v" }, status: { phase: "Lost" } })).toEqual([]);
});

test.each([
  ["nothing to take out", { volumeName: "v" }, {}, undefined],
  [
    "a data source",
    { volumeName: "v", dataSource: { name: "s" }, dataSourceRef: { name: "s" } },
    {},
    { volumeName: "v" },
  ],
  [
    "a selector",
    { selector: { matchLabels: {} }, storageClassName: "fast" },
    {},
    { storageClassName: "fast" },
  ],
  [
    "a selector that is needed",
    { selector: { matchLabels: { a: "b" } }, storageClassName: "", dataSource: {} },
    {},
    { selector: { matchLabels: { a: "b" } }, storageClassName: "" },
  ],
  ["a stale label", { volumeName: "v" }, { "velero.io/restore-name": "r", app: "x" }, { volumeName: "v" }],
])("storedClaim(): %s", (_name, spec, labels, want) => {
  const stored = storedClaim({ metadata: { name: "c", labels }, spec, status: { phase: "Bound" } });
  expect(stored?.["spec"]).toEqual(want);
  if (stored) expect(JSON.stringify(stored["metadata"])).not.toContain("velero.io/restore-name");
});

test("storedClaim() leaves a claim alone that is not bound", () => {
  expect(storedClaim({ spec: { dataSource: {} }, status: { phase: "Pending" } })).toBeUndefined();
});

test("Bindings knows which roles a service account has", () => {
  const bindings = new Bindings();
  const subjects = [
    { kind: "ServiceAccount", namespace: "n", name: "a" },
    { kind: "ServiceAccount", namespace: "n", name: "a" },
    { kind: "Group", name: "a" },
  ];
  bindings.add({ metadata: { name: "b" }, roleRef: { name: "r" }, subjects });
  expect(bindings.needs("n", "a").map(({ plural, name }) => `${plural} ${name}`)).toEqual([
    "clusterrolebindings b",
    "clusterroles r",
  ]);
  expect(bindings.needs("m", "a")).toEqual([]);
});
