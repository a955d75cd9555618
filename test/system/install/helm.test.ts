// The chart as Helm itself renders it, without a cluster: the unit tier believes its own templates, and this shows that it may.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { KubeObject } from "../../../src/api/index.ts";
import { objectsOf, renderChart } from "../../harness/helm-render.ts";
import { findPart } from "../../harness/parts.ts";

const found = findPart("helm", "HEADWAY_HELM");
const withHelm = test.skipIf("missing" in found);
const why = "missing" in found ? ` (skipped: ${found.missing})` : "";
const chart = join(import.meta.dirname, "../../../deploy/chart");
const folder = mkdtempSync(join(tmpdir(), "headway-helm-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = new Map(
  readdirSync(chart, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(chart.length + 1), readFileSync(path, "utf8")] as const),
);

function helm(...args: string[]) {
  const own = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  return spawnSync("program" in found ? found.program : "", args, {
    encoding: "utf8",
    env: { ...process.env, ...own },
  });
}

function template(values: object) {
  const file = join(folder, "values.json");
  writeFileSync(file, JSON.stringify(values));
  return helm("template", "headway", chart, "-n", "velero", "--kube-version", "v1.34.0", "-f", file);
}

const sorted = (all: readonly KubeObject[]) =>
  all.toSorted((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`));

/** YAML inside of a text may be written in two ways. */
function readConfig(object: KubeObject): KubeObject {
  const { data } = object as { readonly data?: Readonly<Record<string, string>> };
  const text = data?.["config.yaml"];
  return text === undefined ? object : Object.assign({}, object, { data: parse(text) as unknown });
}

const pod = {
  nodeSelector: { a: "b" },
  tolerations: [{ operator: "Exists" }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  priorityClassName: "high",
  podLabels: { c: "d" },
  podAnnotations: { e: "f" },
  extraArgs: ["--x"],
  extraEnv: [{ name: "A", value: "1" }],
  extraVolumes: [{ name: "v", emptyDir: {} }],
  extraVolumeMounts: [{ name: "v", mountPath: "/v" }],
  resources: { limits: { cpu: 2 } },
};

withHelm.each([
  ["nothing", {}],
  [
    "pods",
    {
      operator: { ...pod, replicas: 2, podDisruptionBudget: true },
      agent: pod,
      imagePullSecrets: [{ name: "r" }],
    },
  ],
  [
    "few controllers",
    { controllers: ["backup", "location"], restoreRights: "cluster", agent: { enabled: false } },
  ],
  [
    "every right",
    { restoreRights: "cluster", actionRights: "cluster", migrationRights: "cluster", openshift: true },
  ],
  [
    "surroundings",
    {
      metrics: {
        serviceMonitor: { enabled: true, labels: { release: "p" } },
        prometheusRule: { enabled: true, alertLabels: { team: "t" } },
        dashboard: { enabled: true },
      },
      ingress: { enabled: true, className: "nginx", tlsSecret: "t" },
      networkPolicy: { from: [{ podSelector: {} }] },
      credentials: { cloud: "[default]\n" },
      locations: [{ name: "a", provider: "aws", bucket: "b", config: { s3ForcePathStyle: true } }],
      snapshotLocations: [{ name: "s", provider: "aws" }],
      crds: { takeOver: true },
      notifications: {
        cluster: "blue",
        sinks: [
          { name: "chat", type: "slack", channel: "C1", tokenFrom: { name: "slack", key: "token" } },
          {
            name: "bus",
            type: "cloudevents",
            url: "http://bus",
            headersFrom: [{ header: "X", name: "b", key: "k" }],
          },
        ],
      },
    },
  ],
])(`Helm renders what the unit tier believes: %s${why}`, (_, values) => {
  const said = template(values);
  expect(said.status, said.stderr).toBe(0);
  const have = parseAllDocuments(said.stdout)
    .map((one) => one.toJS() as KubeObject | null)
    .filter((one) => one !== null);
  expect(have.length).toBeGreaterThan(10);
  const want = objectsOf(renderChart(files, values));
  expect(sorted(have.map(readConfig))).toEqual(sorted(want.map(readConfig)));
});

withHelm(`Helm finds no fault, and refuses a misspelt value${why}`, () => {
  const said = helm("lint", "--strict", chart);
  expect(said.status, said.stdout + said.stderr).toBe(0);
  const odd = template({ operator: { resource: {} } });
  expect(odd.status).not.toBe(0);
  expect(odd.stderr).toContain("'resource' not allowed");
  expect(template({ controllers: ["nonsense"] }).status).not.toBe(0);
});
