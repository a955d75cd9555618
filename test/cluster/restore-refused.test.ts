import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { selfSigned } from "../../packages/wire/index.ts";
import { ApiError, builtIn, type Resource } from "../../src/kube/index.ts";
import { eventually } from "../harness/eventually.ts";
import { archiveOf, RestoreStage, type Thing } from "../harness/restore-stage.ts";

// What a real API server's own admission refuses: a policy, a webhook, a quota. Each is bound to a namespace of its own.

let stage: RestoreStage;
const made: [Resource, string][] = [];
beforeAll(async () => {
  stage = await RestoreStage.open();
});
afterAll(async () => {
  for (const [resource, name] of made) await stage.client.delete(resource, name);
  await stage.close();
});

const { configMaps, namespaces, secrets } = builtIn;
const admission = (plural: string, kind: string): Resource => ({
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural,
  kind,
  namespaced: false,
});

async function add(resource: Resource, name: string, rest: object): Promise<void> {
  const apiVersion = `${resource.group === "" ? "" : `${resource.group}/`}${resource.version}`;
  await stage.create(resource, { apiVersion, kind: resource.kind, metadata: { name }, ...rest });
  if (!resource.namespaced) made.push([resource, name]);
}

async function space(name: string): Promise<string> {
  const shop = stage.named(name);
  await stage.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: shop } });
  return shop;
}

function thing(resource: Resource, namespace: string, name: string) {
  const type = resource.plural;
  return {
    type,
    thing: { apiVersion: "v1", kind: resource.kind, metadata: { name, namespace }, data: {} } as Thing,
  };
}

/** Waits until the API server refuses a creation that it would not keep anyway. */
async function refused(resource: Resource, namespace: string, words: RegExp): Promise<void> {
  const probe = thing(resource, namespace, "probe").thing;
  await eventually(
    () =>
      stage.client.create(resource, probe, { dryRun: true }).then(
        () => "taken",
        (error: unknown) => (error instanceof ApiError ? error.message : Promise.reject(error as Error)),
      ),
    (answer) => words.test(answer),
  );
}

/** One secret meets the refusal, the ConfigMap beside it comes back. */
async function expectOneRefused(name: string, shop: string, words: RegExp): Promise<void> {
  await stage.backup(name, archiveOf([thing(configMaps, shop, "kept"), thing(secrets, shop, "refused")]));
  await stage.request(name, { backupName: name });
  const { status } = await stage.run(name);
  expect(status).toMatchObject({
    phase: "PartiallyFailed",
    errors: 1,
    progress: { totalItems: 3, itemsRestored: 3 },
  });
  expect(await stage.stored(name, "results")).toMatchObject({
    errors: { namespaces: { [shop]: [expect.stringMatching(words)] } },
  });
  await stage.client.get(configMaps, "kept", { namespace: shop });
  await expect(stage.client.get(secrets, "refused", { namespace: shop })).rejects.toThrow("not found");
}

const secretsOf = (shop: string) => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": shop } },
  rules: { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] },
});

test("an item that an admission policy refuses is an error with the policy's words", async () => {
  const shop = await space("policy");
  const name = stage.named("policy");
  const { namespaceSelector, rules } = secretsOf(shop);
  await add(admission("validatingadmissionpolicies", "ValidatingAdmissionPolicy"), name, {
    spec: {
      matchConstraints: { namespaceSelector, resourceRules: [rules] },
      validations: [{ expression: "false", message: "no secrets on a Sunday" }],
    },
  });
  await add(admission("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"), name, {
    spec: { policyName: name, validationActions: ["Deny"] },
  });
  await refused(secrets, shop, /no secrets on a Sunday/);
  await expectOneRefused("policy", shop, /no secrets on a Sunday/);
});

/** A webhook for the secrets of one namespace. */
async function addWebhook(name: string, shop: string, clientConfig: object): Promise<void> {
  const { namespaceSelector, rules } = secretsOf(shop);
  const webhook = {
    name,
    clientConfig,
    namespaceSelector,
    rules: [rules],
    failurePolicy: "Fail",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 30, // a busy machine may take longer than the few seconds of the default
  };
  const resource = admission("validatingwebhookconfigurations", "ValidatingWebhookConfiguration");
  await add(resource, shop, { webhooks: [webhook] });
}

test("an item whose webhook cannot be asked is an error that names the webhook", async () => {
  const shop = await space("webhook");
  // Nothing listens there.
  await addWebhook("nobody.example.com", shop, { url: "https://127.0.0.1:9/refuse" });
  await refused(secrets, shop, /nobody\.example\.com/);
  await expectOneRefused("webhook", shop, /failed calling webhook.*nobody\.example\.com/);
});

test("an item that a webhook denies is an error with the webhook's words", async () => {
  const { cert, key } = selfSigned("webhook", Date.now());
  const asked: string[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    void json(request).then((review) => {
      const { uid, name } = (review as { request: { uid: string; name: string } }).request;
      asked.push(name);
      const status = { code: 403, reason: "Forbidden", message: `"${name}" has no owner` };
      const answer = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ...answer, response: { uid, allowed: false, status } }));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const shop = await space("denied");
    const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
    const caBundle = Buffer.from(cert).toString("base64");
    await addWebhook("owners.example.com", shop, { url: `https://127.0.0.1:${port}/`, caBundle });
    await refused(secrets, shop, /has no owner/);
    await expectOneRefused(
      "denied",
      shop,
      /secrets.*refused.*admission webhook "owners\.example\.com" denied the request: "refused" has no owner/,
    );
    expect(asked).toContain("refused");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("an item beyond a quota is an error with the quota's name", async () => {
  const shop = await space("quota");
  const quotas: Resource = {
    group: "",
    version: "v1",
    plural: "resourcequotas",
    kind: "ResourceQuota",
    namespaced: true,
  };
  await stage.create(quotas, {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "small", namespace: shop },
    spec: { hard: { "count/secrets": "0" } },
  });
  await refused(secrets, shop, /exceeded quota: small/);
  await expectOneRefused("quota", shop, /exceeded quota: small/);
});
