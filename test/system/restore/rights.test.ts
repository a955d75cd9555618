import { afterAll, beforeAll, expect, test } from "vitest";
import type { RestoreDeps } from "../../../src/engines/restore/index.ts";
import { builtIn, connectTo } from "../../../src/kube/index.ts";
import { FaultProxy } from "../../harness/fault-proxy.ts";
import { archiveOf, RestoreStage } from "../../harness/restore-stage.ts";

let stage: RestoreStage;
let shop: string;
let proxy: FaultProxy;
beforeAll(async () => {
  stage = await RestoreStage.open();
  shop = stage.named("shop");
  const metadata = { name: "goods", namespace: shop };
  const thing = { apiVersion: "v1", kind: "ConfigMap", metadata, data: {} };
  await stage.backup("b", archiveOf([{ type: "configmaps", thing }]));
  await stage.create(builtIn.serviceAccounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "headway-restore", namespace: stage.namespace },
  });
  proxy = await FaultProxy.open(await stage.access());
});
afterAll(async () => {
  await proxy.close();
  await stage.close();
});

const account = { mode: "account", account: "headway-restore" } as const;

async function restored(
  name: string,
  restoreRights: RestoreDeps["restoreRights"],
  annotations: Readonly<Record<string, string>> = {},
) {
  const client = connectTo({ server: proxy.url });
  await stage.request(name, { backupName: "b" }, annotations);
  const { status } = await stage.run(name, { client, restoreRights });
  client.close();
  return status;
}

test("a restore acts as its account on what it restores, and as itself on its own objects", async () => {
  expect(await restored("acts", account)).toMatchObject({ phase: "Completed" });
  const of = (path: string) =>
    new Set(proxy.seen.filter((one) => one.path.startsWith(path)).map(({ as }) => as));
  const user = `system:serviceaccount:${stage.namespace}:headway-restore`;
  expect(of(`/api/v1/namespaces/${shop}`)).toEqual(new Set([user]));
  expect(of("/apis/velero.io/v1/namespaces/")).toEqual(new Set([undefined]));
});

test("an item that the account may not write is an error that says how to give it the right", async () => {
  await stage.client.delete(builtIn.configMaps, "goods", { namespace: shop });
  const user = `system:serviceaccount:${stage.namespace}:headway-restore`;
  const message = `configmaps is forbidden: User "${user}" cannot create resource "configmaps" in API group "" in the namespace "${shop}"`;
  proxy.fault = ({ method, path }) =>
    method === "POST" && path.endsWith("/configmaps")
      ? { kind: "status", code: 403, reason: "Forbidden", message }
      : undefined;
  expect(await restored("lacks", account)).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
  proxy.fault = () => undefined;
  const to = `--clusterrole=cluster-admin --serviceaccount=${stage.namespace}:headway-restore`;
  expect(JSON.stringify(await stage.stored("lacks", "results"))).toContain(
    `\`kubectl create rolebinding headway-restore -n ${shop} ${to}\``,
  );
});

test.each([
  ["none", { ...account, mode: "none" }, {}, /installed with --restore-rights=none/],
  [
    "missing",
    account,
    { "headway.dev/service-account": "nobody" },
    /there is no service account ".*\/nobody"/,
  ],
  ["odd", account, { "headway.dev/service-account": "kube-system:admin" }, /names no service account/],
] as const)(
  "a restore that nobody may do is refused with the reason: %s",
  async (name, rights, annotations, why) => {
    expect(await restored(name, rights, annotations)).toMatchObject({
      phase: "FailedValidation",
      validationErrors: [expect.stringMatching(why)],
    });
  },
);
