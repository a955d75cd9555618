// The chart as Helm itself reads it: the objects of `headway install`, and a certificate that an upgrade keeps.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../../src/api/index.ts";
import { run } from "../../../src/cli/index.ts";
import { builtIn, isNotFound } from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { findPart } from "../../harness/parts.ts";

const found = findPart("helm", "HEADWAY_HELM");
const withHelm = test.skipIf("missing" in found);
const why = "missing" in found ? ` (skipped: ${found.missing})` : "";
const chart = join(import.meta.dirname, "../../../deploy/chart");
const folder = mkdtempSync(join(tmpdir(), "headway-chart-"));
let cluster: TestCluster;

beforeAll(async () => void (cluster = await openCluster()));
afterAll(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

function helm(...args: string[]): string {
  const all = [...args, "--namespace", cluster.namespace, "--kubeconfig", cluster.kubeconfig];
  const own = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  const said = spawnSync("program" in found ? found.program : "", all, {
    encoding: "utf8",
    env: { ...process.env, ...own },
  });
  expect(said.status, said.stderr || said.error?.message).toBe(0);
  return said.stdout;
}

function objects(text: string): KubeObject[] {
  return parseAllDocuments(text)
    .map((one) => one.toJS() as KubeObject | null)
    .filter((one) => one !== null);
}

const label = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;

async function installed(...flags: string[]): Promise<KubeObject[]> {
  let printed = "";
  const io = { out: (text: string) => void (printed += text), err: () => undefined, env: {}, color: false };
  const argv = ["install", "--no-crds", "-n", cluster.namespace, ...flags];
  expect(await run(argv, new AbortController().signal, { ...io, terminal: undefined })).toBe(0);
  // A release's namespace is made by whoever installs it.
  return objects(printed).filter(({ kind }) => kind !== "Namespace");
}

/** The chart names the type that a Service has anyway. */
function withType(service: KubeObject): KubeObject {
  const { spec } = service as unknown as { spec: object };
  return { ...service, spec: { type: "ClusterIP", ...spec } } as KubeObject;
}

withHelm(`Helm renders what headway install prints${why}`, async () => {
  const image = "registry.example/headway:seven";
  const where = "/kubelet/pods";
  const flags = ["--image", image, "--image-pull-policy", "Never", "--host-pods", where];
  const values = `image.repository=registry.example/headway,image.tag=seven,image.pullPolicy=Never,agent.hostPods=${where},crds.upgrade=false`;
  // Validated by the server, so that its version counts.
  const template = (...more: string[]) =>
    objects(helm("template", "headway", chart, "--validate", "--set", [values, ...more].join(",")));
  const sorted = (all: readonly KubeObject[]) => all.toSorted((a, b) => label(a).localeCompare(label(b)));
  const typed = (all: readonly KubeObject[]) =>
    all.map((one) => (label(one) === "Service headway" ? withType(one) : one));
  expect(sorted(template())).toEqual(typed(sorted(await installed(...flags))));
  expect(sorted(template("agent.enabled=false"))).toEqual(
    typed(sorted(await installed(...flags, "--no-agent"))),
  );
  expect(template("webhook=true").map(label).toSorted()).toEqual(
    (await installed(...flags, "--webhook")).map(label).toSorted(),
  );
});

withHelm(`a release is installed, keeps its certificate over an upgrade, and goes${why}`, async () => {
  const { client, namespace } = cluster;
  const release =
    `upgrade --install headway ${chart} --set webhook=true,image.repository=headway,image.tag=test,crds.upgrade=false`.split(
      " ",
    );
  const secret = () =>
    client.get<KubeObject & { data: Record<string, string> }>(builtIn.secrets, "headway-webhook", {
      namespace,
    });
  try {
    helm(...release);
    const { data } = await secret();
    helm(...release, "--set", "agent.enabled=false");
    expect((await secret()).data).toEqual(data);
    const ours = objects(helm("get", "manifest", "headway")).find(
      ({ kind }) => kind === builtIn.validatingWebhooks.kind,
    );
    const { webhooks } = await client.get<
      KubeObject & { webhooks: readonly { clientConfig: { caBundle: string } }[] }
    >(builtIn.validatingWebhooks, ours?.metadata.name ?? "");
    expect(webhooks.length).toBeGreaterThan(0);
    for (const { clientConfig } of webhooks) expect(clientConfig.caBundle).toBe(data["tls.crt"]);
    expect(await client.list(builtIn.daemonSets, { namespace })).toEqual([]);
  } finally {
    helm("uninstall", "headway", "--wait", "--ignore-not-found");
  }
  expect(await secret().catch(isNotFound)).toBe(true);
});
