import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../../src/api/index.ts";
import { run } from "../../../src/cli/index.ts";
import { builtIn, isNotFound } from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { eventually } from "../../harness/eventually.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await openCluster();
});
afterAll(() => cluster.close());

async function headway(...argv: string[]) {
  const seen = { out: "", err: "" };
  const io = {
    out: (text: string) => void (seen.out += text),
    err: (text: string) => void (seen.err += text),
    env: {},
    terminal: undefined,
    color: false,
  };
  return { code: await run(argv, new AbortController().signal, io), ...seen };
}

const networkPolicies = {
  group: "networking.k8s.io",
  version: "v1",
  plural: "networkpolicies",
  kind: "NetworkPolicy",
  namespaced: true,
};
const deployments = {
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  namespaced: true,
};
const daemonSets = { ...deployments, plural: "daemonsets", kind: "DaemonSet" };
const rbac = { group: "rbac.authorization.k8s.io", version: "v1", namespaced: false };
const clusterRoles = { ...rbac, plural: "clusterroles", kind: "ClusterRole" };
const definitions = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};
/** Roles of this installation; other tests may have theirs in the same cluster. */
const ours = ({ metadata }: KubeObject) => metadata.name.endsWith(`:${cluster.namespace}`);

test("install prints YAML that a cluster takes, and refuses a controller that does not exist", async () => {
  const { code, out } = await headway("install", "-n", "here", "--controllers", "backup", "--no-agent");
  expect(code).toBe(0);
  const objects = parseAllDocuments(out).map((one) => one.toJS() as KubeObject);
  expect(objects.map(({ kind }) => kind)).toContain("Deployment");
  expect(objects.map(({ kind }) => kind)).not.toContain("DaemonSet");
  const wrong = await headway("install", "--controllers", "nonsense");
  expect(wrong).toMatchObject({ code: 2, out: "" });
  expect(wrong.err).toContain('there is no controller "nonsense"');
});

test("install --apply makes everything, twice does no harm, and uninstall leaves what people own", async () => {
  const { client, namespace, kubeconfig } = cluster;
  const where = ["--kubeconfig", kubeconfig, "-n", namespace];
  for (let i = 0; i < 2; i++) {
    expect(
      await headway("install", ...where, "--apply", "--no-wait", "--image", "headway:test"),
    ).toMatchObject({
      code: 0,
    });
  }
  expect((await client.list(deployments, { namespace })).map(({ metadata }) => metadata.name)).toEqual([
    "headway",
  ]);
  expect(await client.list(daemonSets, { namespace })).toHaveLength(1);
  expect((await client.list(clusterRoles)).filter(ours)).toHaveLength(3);
  expect(await client.list(networkPolicies, { namespace })).toHaveLength(2);
  // What was given once goes when it is not given any more.
  const all = ["--restore-rights=cluster", "--migration-rights=cluster", "--action-rights=cluster"];
  expect(await headway("install", ...where, "--apply", "--no-wait", ...all)).toMatchObject({ code: 0 });
  expect((await client.list(clusterRoles)).filter(ours)).toHaveLength(5);
  expect(await headway("install", ...where, "--apply", "--no-wait", "--restore-rights=none")).toMatchObject({
    code: 0,
  });
  expect((await client.list(clusterRoles)).filter(ours)).toHaveLength(3);
  expect(await client.get(builtIn.serviceAccounts, "headway-restore", { namespace }).catch(isNotFound)).toBe(
    true,
  );
  expect(await headway("uninstall", ...where)).toMatchObject({ code: 0 });
  await eventually(
    async () => [
      ...(await client.list(deployments, { namespace })),
      ...(await client.list(daemonSets, { namespace })),
    ],
    (left) => left.length === 0,
  );
  expect((await client.list(clusterRoles)).filter(ours)).toEqual([]);
  const kinds = (await client.list(definitions)).map(({ metadata }) => metadata.name);
  expect(kinds).toContain("backups.velero.io");
  expect(kinds).toContain("operations.headway.dev");
});

test("install looks first, leaves the kinds of others alone, and tells what does not run", async () => {
  const { client, namespace, kubeconfig } = cluster;
  const where = ["--kubeconfig", kubeconfig, "-n", namespace];
  const server = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "velero", namespace, labels: { component: "velero" } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "v", image: "v" }] } },
    },
  };
  await client.create(deployments, server, { namespace });
  const refused = await headway("install", ...where, "--apply");
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("both would take the same Backups");
  expect(await client.list(daemonSets, { namespace })).toEqual([]);
  await client.delete(deployments, "velero", { namespace });

  expect(await headway("install", ...where, "--apply", "--crds-only")).toMatchObject({ code: 0 });
  const other = { metadata: { labels: { "app.kubernetes.io/part-of": "another" }, managedFields: [{}] } };
  const patch = { type: "merge", body: other } as const;
  await client.patch(definitions, "backups.velero.io", patch, {});
  const kinds = await headway("install", ...where, "--apply", "--crds-only");
  expect(kinds.code).toBe(0);
  expect(kinds.err).toContain("left alone CustomResourceDefinition backups.velero.io");
  expect(kinds.err).toContain("applied CustomResourceDefinition operations.headway.dev");
  const taken = await headway("install", ...where, "--apply", "--crds-only", "--take-over-crds");
  expect(taken.err).toContain("applied CustomResourceDefinition backups.velero.io");

  const ended = await headway(
    "install",
    ...where,
    "--apply",
    "--image",
    "headway:missing",
    "--timeout",
    "2s",
  );
  expect(ended.code).toBe(1);
  expect(ended.err).toContain('of the pods of "headway" run');
  expect(await headway("uninstall", ...where)).toMatchObject({ code: 0 });
});
