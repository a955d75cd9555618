import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import about from "../../package.json" with { type: "json" };
import { allKinds, type KubeObject } from "../../src/api/index.ts";
import { program } from "../../src/cli/install/manifests.ts";
import { merged, operatorPermissions, type Rule } from "../../src/cli/install/permissions.ts";
import { parseConfig } from "../../src/notify/config.ts";
import { objectsOf, renderChart } from "../../test/harness/helm-render.ts";
import { alerts } from "./alerts.ts";
import { chart } from "./chart.ts";
import { dashboard } from "./dashboard.ts";
import { valuesPage } from "./value-tree.ts";
import { values } from "./values.ts";

const folder = join(import.meta.dirname, "../../deploy/chart");
const files = chart("1.2.3", { dashboard, alerts });
const label = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;
const sorted = (all: readonly KubeObject[]) => all.toSorted((a, b) => label(a).localeCompare(label(b)));
const render = (given: Readonly<Record<string, unknown>> = {}) => objectsOf(renderChart(files, given));
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("deploy/chart and docs/values.md are what `npm run gen` makes", () => {
  const want = chart(about.version, { dashboard, alerts });
  const have = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  expect(have.toSorted()).toEqual([...want.keys()].toSorted());
  for (const [path, text] of want) expect(readFileSync(join(folder, path), "utf8"), path).toBe(text);
  expect(readFileSync(join(folder, "../../docs/values.md"), "utf8")).toBe(valuesPage(values));
});

test("every kind has its definition in the chart, and nowhere else", () => {
  const names = [...files].filter(([path]) => path.startsWith("crds/"));
  expect(names.map(([path]) => path).toSorted()).toEqual(
    allKinds.map(({ plural, group }) => `crds/${plural}.${group}.yaml`).toSorted(),
  );
  for (const [path, text] of names) {
    expect((parse(text) as KubeObject).metadata.labels, path).toEqual({
      "app.kubernetes.io/part-of": "headway",
    });
  }
  const deploy = readdirSync(join(folder, ".."), { recursive: true, encoding: "utf8" });
  expect(deploy.filter((file) => /(^|\/)crds$/.test(file))).toEqual(["chart/crds"]);
});

const same = { namespace: "velero", image: "headway:1.2.3", imagePullPolicy: "IfNotPresent" };
const service = { type: "ClusterIP" };

test.each([
  ["nothing", {}, {}],
  ["no agents", { agent: { enabled: false } }, { agent: false }],
  [
    "every right",
    { restoreRights: "cluster", actionRights: "cluster", migrationRights: "cluster" },
    { rights: { restore: "cluster", action: "cluster", migration: "cluster" } },
  ],
  ["no restores", { restoreRights: "none" }, { rights: { restore: "none" } }],
  ["two accounts", { restoreAccounts: ["a", "b"] }, { rights: { restoreAccounts: ["a", "b"] } }],
  ["the webhook", { webhook: true }, { webhook: { cert: "Y2VydA==", key: "a2V5" } }],
] as const)("the chart holds the same objects as headway install: %s", (_, given, options) => {
  // The Job for the kinds runs in upgrades alone.
  const have = render({ crds: { upgrade: false }, ...given });
  expect(sorted(have)).toEqual(plain(sorted(program({ ...same, service, ...options }))));
});

test.each([[["backup", "restore"]], [["server-status"]], [["actionset", "location", "migration"]]])(
  "controllers %j get the rights of headway install --controllers, and no others",
  (controllers) => {
    const have = render({ crds: { upgrade: false }, controllers });
    const want = program({ ...same, service, controllers });
    expect(sorted(have).map(label)).toEqual(sorted(want).map(label));
    const rules = (name: string) =>
      merged((have.find((one) => label(one) === name) as unknown as { rules: Rule[] }).rules);
    expect(rules("Role headway")).toEqual(operatorPermissions(controllers).own);
    expect(rules("ClusterRole headway:velero")).toEqual(operatorPermissions(controllers).cluster);
    expect(JSON.stringify(have)).toContain(`--controllers=${controllers.join(",")}`);
  },
);

test("every value that a pod can be given arrives where it belongs", () => {
  const pod = {
    resources: { limits: { memory: "7Gi" } },
    nodeSelector: { disk: "fast" },
    tolerations: [{ operator: "Exists" }],
    affinity: { nodeAffinity: { a: 1 } },
    priorityClassName: "high",
    podAnnotations: { a: "b" },
    podLabels: { "azure.workload.identity/use": "true" },
    podSecurityContext: { fsGroup: 7 },
    securityContext: { readOnlyRootFilesystem: false },
    extraArgs: ["--concurrency=4"],
    extraEnv: [{ name: "A", value: "1" }],
    extraEnvFrom: [{ secretRef: { name: "s" } }],
    extraVolumes: [{ name: "v", emptyDir: {} }],
    extraVolumeMounts: [{ name: "v", mountPath: "/v" }],
    serviceAccountAnnotations: { "eks.amazonaws.com/role-arn": "arn" },
  };
  const all = render({
    operator: { ...pod, replicas: 2, podDisruptionBudget: true },
    agent: { ...pod, updateStrategy: { type: "OnDelete" } },
    imagePullSecrets: [{ name: "registry" }],
    image: { repository: "r.example/h", digest: `sha256:${"a".repeat(64)}`, pullPolicy: "Always" },
  });
  for (const [kind, name] of [
    ["Deployment", "headway"],
    ["DaemonSet", "headway-agent"],
  ] as const) {
    const { spec } = all.find((one) => one.kind === kind) as unknown as {
      spec: { template: { metadata: object; spec: Record<string, unknown> & { containers: object[] } } };
    };
    expect(spec.template.metadata).toMatchObject({ labels: pod.podLabels, annotations: pod.podAnnotations });
    const { resources, extraEnvFrom: envFrom, nodeSelector, tolerations, affinity, priorityClassName } = pod;
    expect(spec.template.spec).toMatchObject({
      nodeSelector,
      tolerations,
      affinity,
      priorityClassName,
      imagePullSecrets: [{ name: "registry" }],
      securityContext: { fsGroup: 7, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(spec.template.spec["volumes"]).toContainEqual({ name: "v", emptyDir: {} });
    const [container] = spec.template.spec.containers as [Record<string, unknown[]>];
    expect(container).toMatchObject({ resources, envFrom, image: `r.example/h@sha256:${"a".repeat(64)}` });
    expect(container["args"]?.at(-1)).toBe("--concurrency=4");
    expect(container["env"]).toContainEqual({ name: "A", value: "1" });
    expect(container["volumeMounts"]).toContainEqual({ name: "v", mountPath: "/v" });
    const account = all.find((one) => label(one) === `ServiceAccount ${name}`);
    expect(account?.metadata.annotations).toEqual(pod.serviceAccountAnnotations);
  }
  expect(all.find(({ kind }) => kind === "Deployment")).toMatchObject({ spec: { replicas: 2 } });
  expect(all.map(label)).toContain("PodDisruptionBudget headway");
});

test("what clusters have beside pods is made when it is asked for", () => {
  const base = render().map(label);
  const all = render({
    openshift: true,
    networkPolicy: { from: [{ podSelector: {} }] },
    ingress: { enabled: true, host: "h.example", tlsSecret: "tls", className: "nginx" },
    metrics: {
      serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
      prometheusRule: { enabled: true, alertLabels: { team: "a" } },
      dashboard: { enabled: true },
    },
    credentials: { cloud: "[default]" },
    locations: [
      {
        name: "default",
        provider: "aws",
        bucket: "b",
        default: true,
        config: { region: "eu", s3ForcePathStyle: true },
      },
    ],
    snapshotLocations: [{ name: "snaps", provider: "aws", credential: { name: "n", key: "k" } }],
  });
  const find = (name: string) => all.find((one) => label(one) === name);
  expect(all.map(label).filter((one) => !base.includes(one))).toEqual(
    expect.arrayContaining([
      "RoleBinding headway-agent-scc",
      "Ingress headway",
      "ServiceMonitor headway",
      "PrometheusRule headway",
      "ConfigMap headway-dashboard",
      "Secret headway-credentials",
    ]),
  );
  expect(find("BackupStorageLocation default")).toMatchObject({
    spec: {
      default: true,
      config: { region: "eu", s3ForcePathStyle: "true" },
      credential: { name: "headway-credentials", key: "cloud" },
    },
  });
  expect(find("VolumeSnapshotLocation snaps")).toMatchObject({
    spec: { credential: { name: "n", key: "k" } },
  });
  expect(JSON.stringify(find("Deployment headway"))).not.toContain("runAsUser");
  expect(find("NetworkPolicy headway")).toMatchObject({
    spec: { ingress: [{ from: [{ podSelector: {} }] }, {}] },
  });
  const board = find("ConfigMap headway-dashboard") as unknown as { data: Record<string, string> };
  expect(JSON.parse(board.data["headway.json"] ?? "")).toEqual(plain(dashboard));
});

test("the kinds are brought up to date before an upgrade, with the right to these alone", () => {
  const all = render({ crds: { takeOver: true } });
  const job = all.find(({ kind }) => kind === "Job");
  expect(job?.metadata.annotations?.["helm.sh/hook"]).toBe("pre-upgrade");
  expect(JSON.stringify(job)).toContain('["install","--apply","--crds-only","--take-over-crds"]');
  const role = all.find((one) => label(one) === "ClusterRole headway-crds:velero") as unknown as {
    rules: Rule[];
  };
  expect(role.rules[1]?.resourceNames).toHaveLength(allKinds.length);
});

test("receivers of notifications become a ConfigMap, and just their Secrets may be read", () => {
  const sinks = [
    { name: "chat", type: "slack", channel: "C1", tokenFrom: { name: "slack", key: "token" } },
    {
      name: "hook",
      type: "webhook",
      urlFrom: { name: "hooks", key: "url" },
      headersFrom: [{ header: "X", name: "slack", key: "x" }],
    },
  ];
  const all = render({ notifications: { cluster: "blue", sinks } });
  const find = (name: string) =>
    all.find((one) => label(one) === name) as unknown as Record<string, Record<string, string>>;
  const config = parseConfig(find("ConfigMap headway-notifications")?.["data"]?.["config.yaml"] ?? "");
  expect(config).toMatchObject({ cluster: "blue", faults: [], sinks: [{ name: "chat" }, { name: "hook" }] });
  expect(find("Role headway-notifications")?.["rules"]).toMatchObject([
    { resources: ["secrets"], resourceNames: ["slack", "hooks"], verbs: ["get"] },
  ]);
  expect(
    render()
      .map(label)
      .filter((one) => one.includes("notifications")),
  ).toEqual([]);
});

test("a note tells what is still to do", () => {
  const notes = (given: object) =>
    renderChart(files, given as Record<string, unknown>).get("templates/NOTES.txt");
  expect(notes({})).toContain("There is no location");
  expect(notes({ locations: [{ name: "a" }], restoreRights: "cluster" })).not.toMatch(
    /no location|has none yet/,
  );
});
