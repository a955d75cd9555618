// The real API server asks the operator's webhook before it stores Blueprints and ActionSets, and tells users what it said.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { selfSigned } from "../../../packages/wire/index.ts";
import type { KubeObject } from "../../../src/api/index.ts";
import { webhookConfiguration } from "../../../src/cli/install/webhook.ts";
import { builtIn } from "../../../src/kube/index.ts";
import { startOperator } from "../../../src/operator/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";

const configurations = builtIn.validatingWebhooks;
const folder = mkdtempSync(join(tmpdir(), "webhook-"));
const stop = new AbortController();
let cluster: TestCluster;
let operator: Promise<void>;

beforeAll(async () => {
  cluster = await openCluster();
  const { client, namespace } = cluster;
  await installDefinitions(client);
  const { cert, key } = selfSigned("webhook", Date.now());
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key);
  const said: string[] = [];
  const log = (_level: string, message: string) => void said.push(message);
  const webhook = { certificates: folder, listen: "127.0.0.1:0" };
  operator = startOperator(
    { client, namespace, controllers: ["actionset"], tempDir: folder, log, webhook },
    stop.signal,
  );
  const told = await eventually(() => said.find((line) => line.includes("on port")) ?? "", Boolean);
  const url = `https://127.0.0.1:${/\d+$/.exec(told)?.[0]}`;
  const caBundle = Buffer.from(cert).toString("base64");
  const configuration = webhookConfiguration(namespace, {}, (path) => ({ caBundle, url: `${url}${path}` }));
  // On a busy machine an answer may take longer than the few seconds after which a user is let through.
  const webhooks = (configuration["webhooks"] as object[]).map((one) => ({
    ...one,
    failurePolicy: "Fail",
    timeoutSeconds: 30,
  }));
  await client.create(configurations, { ...configuration, webhooks } as KubeObject);
  // An API server learns of a new webhook a moment later.
  let probes = 0;
  await eventually(
    () => kubectl(blueprint(`probe-${(probes += 1)}`, { func: "Nope", name: "p" })),
    ({ code }) => code !== 0,
  );
});
afterAll(async () => {
  await cluster.client.delete(configurations, `headway-${cluster.namespace}`);
  stop.abort();
  await operator;
  await cluster.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a user does. Not in one go: this process answers the API server meanwhile. */
async function kubectl(object: object): Promise<{ code: number | null; out: string; err: string }> {
  const args = ["--kubeconfig", cluster.kubeconfig, "-n", cluster.namespace, "apply", "-f", "-"];
  const child = spawn("kubectl", args);
  const closed = once(child, "close");
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => void (err += chunk.toString()));
  child.stdin.end(stringify(object));
  const [code] = (await closed) as [number | null];
  return { code, out, err };
}

function blueprint(name: string, ...phases: object[]): object {
  return {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "Blueprint",
    metadata: { name },
    actions: { backup: { phases } },
  };
}

function actionSet(name: string, action: object): object {
  return {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "ActionSet",
    metadata: { name },
    spec: { actions: [action] },
  };
}

const command = ["true"];
const good = { func: "KubeTask", name: "p", args: { image: "i", command } };

test.each<[string, () => object, string]>([
  ["an unknown function", () => blueprint("a", { func: "Nope", name: "p" }), 'there is no function "Nope"'],
  [
    "an unknown argument",
    () => blueprint("b", { func: "KubeTask", name: "p", args: { image: "i", command, colour: "red" } }),
    '"colour"',
  ],
  [
    "a missing argument",
    () => blueprint("c", { func: "KubeTask", name: "p", args: { image: "i" } }),
    'needs the argument "command"',
  ],
  ["a phase name twice", () => blueprint("d", good, good), '"p"'],
  ["a cloud function", () => blueprint("e", { func: "DeleteRDSSnapshot", name: "p", args: {} }), "AWS RDS"],
  [
    "an action without a blueprint",
    () => actionSet("f", { name: "backup", object: { kind: "Namespace", name: "x", namespace: "x" } }),
    'action 0 ("backup") names no blueprint',
  ],
  [
    "an object of a kind that nobody can find",
    () => actionSet("g", { name: "backup", blueprint: "b", object: { kind: "Thing", name: "x" } }),
    'kind "Thing" needs apiVersion and resource',
  ],
])("%s is refused at the door, with words", async (_what, make, want) => {
  const { code, err } = await kubectl(make());
  expect(err).toContain(want);
  expect(err).toContain("admission webhook");
  expect(code).toBe(1);
});

test("what is good is stored, what a template may get wrong is a warning, and a change is judged as well", async () => {
  const odd = { ...good, args: { image: "{{ .Phases.none.Output.image }}", command } };
  const warned = await kubectl(blueprint("fine", odd));
  expect(warned).toMatchObject({ code: 0, out: "blueprint.cr.kanister.io/fine created\n" });
  expect(warned.err).toMatch(/^Warning: .*none/);
  expect(await kubectl(blueprint("fine", good))).toEqual({
    code: 0,
    out: "blueprint.cr.kanister.io/fine configured\n",
    err: "",
  });
  expect(await kubectl(blueprint("fine", { ...good, func: "Nope" }))).toMatchObject({ code: 1 });
  const object = { kind: "Namespace", name: cluster.namespace, namespace: cluster.namespace };
  expect(await kubectl(actionSet("fine", { name: "none", blueprint: "fine", object }))).toMatchObject({
    code: 0,
  });
});
