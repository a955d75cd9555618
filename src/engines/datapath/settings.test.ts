import { expect, test } from "vitest";
import { readSettings } from "./settings.ts";

const read = (config: object, labels: Record<string, string> = {}) =>
  readSettings({ config: JSON.stringify(config) }, labels);

test.each([
  ["nothing", {}, undefined],
  ["a number for all", { globalConfig: 4 }, 4],
  ["zero, which is one", { globalConfig: 0 }, 1],
  ["the smallest of those that fit", { globalConfig: 4, perNodeConfig: [fits(3), fits(2), fitsNot(1)] }, 2],
  ["a number of zero, which says nothing", { globalConfig: 4, perNodeConfig: [fits(0)] }, 4],
])("readSettings() takes %s", (_name, loadConcurrency, concurrency) => {
  expect(read({ loadConcurrency }, { pool: "fast" }).settings.concurrency).toBe(concurrency);
});

function fits(number: number) {
  return { nodeSelector: { matchLabels: { pool: "fast" } }, number };
}

function fitsNot(number: number) {
  return { nodeSelector: { matchLabels: { pool: "slow" } }, number };
}

test("readSettings() reads what is heeded, and leaves relabeling to volumes that are only read", () => {
  const { settings, unheeded } = read({
    loadConcurrency: { prepareQueueLength: 7 },
    loadAffinity: [{ nodeSelector: { matchLabels: { a: "b" } }, storageClass: "gold" }],
    backupPVC: {
      gold: { storageClass: "thin", readOnly: true, spcNoRelabeling: true, annotations: { x: "y" } },
      iron: { spcNoRelabeling: true },
    },
    restorePVC: { ignoreDelayBinding: true },
    priorityClassName: "low",
    podLabels: { team: "storage", bad: 7 },
    podResources: { cpuRequest: "100m", memoryLimit: "1Gi" },
  });
  expect(settings).toEqual({
    prepareQueueLength: 7,
    affinity: [{ nodeSelector: { matchLabels: { a: "b" } }, storageClass: "gold" }],
    backupClaims: new Map([
      ["gold", { storageClass: "thin", readOnly: true, spcNoRelabeling: true, annotations: { x: "y" } }],
      ["iron", { readOnly: false, spcNoRelabeling: false, annotations: {} }],
    ]),
    ignoreDelayBinding: true,
    priorityClass: "low",
    podResources: { requests: { cpu: "100m" }, limits: { memory: "1Gi" } },
    podLabels: { team: "storage" },
    podAnnotations: {},
  });
  expect(unheeded).toEqual([]);
});

test("readSettings() names what is without effect", () => {
  const { unheeded } = read({
    podResources: { cpuRequest: "much" },
    privilegedFsBackup: false,
    cachePVC: {},
    backupPVC: { gold: { secretNames: ["s"] } },
    restorePVC: { configMapNames: ["c"] },
    somethingNew: 1,
  });
  expect(unheeded.map((one) => one.split(" ")[0])).toEqual([
    "podResources",
    "cachePVC",
    "backupPVC.secretNames",
    "restorePVC.configMapNames",
    "somethingNew",
  ]);
});

test.each([
  ["no data", undefined],
  ["no key", {}],
  ["two keys", { a: "{}", b: "{}" }],
  ["YAML", { a: "loadConcurrency:\n  globalConfig: 2" }],
  ["a list", { a: "[]" }],
  [
    "a wrong selector",
    { a: '{"loadAffinity":[{"nodeSelector":{"matchExpressions":[{"key":"a","operator":"Is"}]}}]}' },
  ],
] as const)("readSettings() of %s is refused", (_name, data) => {
  expect(() => readSettings(data, {})).toThrow(expect.objectContaining({ code: "AGENT_SETTINGS" }));
});
