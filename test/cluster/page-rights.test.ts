import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, kinds } from "../../src/api/index.ts";
import { operatorPermissions, type Rule } from "../../src/cli/install/permissions.ts";
import { type Client, isForbidden, isNotFound, resourceOf } from "../../src/kube/index.ts";
import { openClusterView } from "../../src/observe/index.ts";
import { clusterAuthorizer, listen } from "../../src/server/index.ts";
import { openCluster, type TestCluster } from "../harness/cluster.ts";
import { installDefinitions } from "../harness/definitions.ts";
import { eventually } from "../harness/eventually.ts";
import { clusterRoleBindings, clusterRoles, grantedAccount } from "../harness/granted-account.ts";

// Who may do what is decided by a real API server: the embedded one knows no roles.
const backups = resourceOf(kinds.Backup);
const stop = new AbortController();
const roles: string[] = [];
let cluster: TestCluster;
let operator: Client;
let url: string;
let watching: Promise<void>;

/** A service account with these rights in the whole cluster, and a token of it. */
async function account(name: string, rules: readonly Rule[]): Promise<string> {
  const made = await grantedAccount(cluster, name, rules);
  roles.push(made.role);
  return made.token;
}

const look: Rule = { apiGroups: ["headway.dev"], resources: ["operations"], verbs: ["get", "list", "watch"] };
const own = (verbs: readonly string[]): Rule => ({ apiGroups: ["velero.io"], resources: ["backups"], verbs });

beforeAll(async () => {
  cluster = await openCluster();
  await installDefinitions(cluster.client);
  // The least that an operator has: it reads what it shows and may ask who somebody is.
  const { cluster: wide, own: narrow } = operatorPermissions(["location"]);
  operator = cluster.client.withToken(await account("operator", [...wide, ...narrow]));
  const { observer, run } = openClusterView({ client: operator, serverNamespace: cluster.namespace });
  watching = run(stop.signal);
  const page = { client: operator, as: (token: string) => operator.withToken(token), writes: true };
  const authorizer = clusterAuthorizer(operator);
  ({ url } = await listen({ observer, authorizer, address: "127.0.0.1:0", cluster: page }, stop.signal));
  await observer.synced(stop.signal);
});
afterAll(async () => {
  stop.abort();
  await watching;
  for (const role of roles) {
    await cluster.client.delete(clusterRoles, role);
    await cluster.client.delete(clusterRoleBindings, role).catch(ignoreMissing);
  }
  operator.close();
  await cluster.close();
});

/** A test may have taken the binding away itself. */
function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function manifest(name: string) {
  const metadata = { name, namespace: cluster.namespace };
  return { apiVersion: "velero.io/v1", kind: "Backup", metadata, spec: { ttl: "1h" } };
}

async function ask(token: string, path: string, body?: object): Promise<number> {
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

test("the operator's page does for each person what the cluster lets that person do, and lends none of its own rights", async () => {
  const { namespace } = cluster;
  const viewer = await account("viewer", [look, own(["get"])]);
  const keeper = await account("keeper", [look, own(["get", "list", "create", "patch"])]);
  const objects = `/api/objects/Backup/${namespace}`;
  const cancel = `/api/operations/${namespace}/backup/kept/cancel`;
  // Bindings take a moment to be known to the API server.
  const ready = (token: string) =>
    eventually(
      () => ask(token, "/api/operations"),
      (status) => status === 200,
      60_000,
    );
  await Promise.all([ready(viewer), ready(keeper)]);
  await expect(operator.create(backups, manifest("by-operator"))).rejects.toSatisfy(isForbidden);
  expect(await ask(viewer, objects, manifest("by-viewer"))).toBe(403);
  expect(await ask(keeper, objects, manifest("kept"))).toBe(201);
  await eventually(
    () => ask(viewer, `/api/operations/${namespace}/backup/kept`),
    (status) => status === 200,
    60_000,
  );
  expect(await ask(viewer, `${objects}/kept`)).toBe(200);
  expect(await ask(viewer, `/api/choices/Backup`)).toBe(403);
  expect(await ask(keeper, `/api/choices/Backup`)).toBe(200);
  expect(await ask(viewer, `/api/operations/${namespace}/backup/kept/events`)).toBe(403);
  expect(await ask(viewer, cancel, {})).toBe(403);
  expect(await ask(keeper, cancel, {})).toBe(200);
  const kept = await cluster.client.get<Backup>(backups, "kept", { namespace });
  expect(kept.metadata.annotations?.["headway.dev/cancel"]).toBe("true");
  expect(await ask("no-token-at-all", "/api/operations")).toBe(401);
  // A right that is granted for operations alone gives nothing else.
  const onlooker = await account("onlooker", [look]);
  await ready(onlooker);
  expect(await ask(onlooker, `${objects}/kept`)).toBe(403);
});

test("an open stream ends with the binding that allowed it", async () => {
  const { namespace, client } = cluster;
  const token = await account("follower", [look]);
  await eventually(
    () => ask(token, "/api/operations"),
    (status) => status === 200,
    60_000,
  );
  const response = await fetch(`${url}/api/stream`, { headers: { authorization: `Bearer ${token}` } });
  let [text, isOver] = ["", false];
  const reading = (async () => {
    for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
    isOver = true;
  })();
  await client.delete(clusterRoleBindings, `${namespace}-follower`);
  await eventually(
    () => isOver,
    (over) => over,
    90_000,
  );
  await reading;
  expect(text).toContain("event: reset");
  expect(await ask(token, "/api/operations")).toBe(403);
});
