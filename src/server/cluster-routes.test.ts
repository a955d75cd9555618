import { expect, test } from "vitest";
import { anOperation, FakeObserver } from "../../test/harness/fake-observer.ts";
import type { KubeObject } from "../api/index.ts";
import { AppError } from "../errors.ts";
import type { RestorePlan } from "../kinds/index.ts";
import { ApiError, builtIn, systemClock } from "../kube/index.ts";
import { createApp } from "./app.ts";
import { tokenAuthorizer } from "./authorize.ts";
import type { ClusterPart } from "./cluster-routes.ts";
import { Metrics } from "./metrics.ts";
import { StreamHub } from "./stream-hub.ts";

interface Call {
  readonly what: string;
  readonly args: readonly unknown[];
}

function open(
  more: Partial<ClusterPart> = {},
  answers: Readonly<Record<string, unknown>> = {},
  others: Readonly<Record<string, Partial<ClusterPart>>> = {},
) {
  const calls: Call[] = [];
  const answer =
    (what: string) =>
    async (...args: readonly unknown[]) => {
      calls.push({ what, args });
      const given = answers[what];
      if (given instanceof Error) throw given;
      return given;
    };
  // The four methods are all that the routes use of a client.
  const client = {
    get: answer("get"),
    list: answer("list"),
    create: answer("create"),
    patch: answer("patch"),
  } as unknown as ClusterPart["client"];
  const observer = new FakeObserver();
  const hub = new StreamHub({ observer });
  const metrics = new Metrics(observer, () => 0);
  const app = createApp({
    observer,
    hub,
    metrics,
    authorizer: tokenAuthorizer("secret"),
    clock: systemClock,
    hosts: ["*"],
    isReady: () => true,
    clusters: new Map([
      ["", { client, writes: true, ...more }],
      ...Object.entries(others).map(([name, part]) => [name, { client, writes: true, ...part }] as const),
    ]),
  });
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: "Bearer secret", ...(init.headers as Record<string, string>) };
    const response = await app.request(path, { ...init, headers });
    const text = await response.text();
    return { status: response.status, text, body: text.startsWith("{") ? JSON.parse(text) : undefined };
  };
  const close = () => {
    hub.close();
    metrics.close();
  };
  return { observer, calls, ask, close };
}

const backup = {
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b", namespace: "velero" },
  spec: { ttl: "1h" },
};

test("an object is given without what only the server uses", async () => {
  const { ask, close } = open(
    {},
    { get: { ...backup, metadata: { ...backup.metadata, managedFields: [{}] } } },
  );
  expect(await ask("/api/objects/Backup/velero/b")).toMatchObject({ status: 200, body: backup });
  expect((await ask("/api/objects/Backup/velero/b")).text).not.toContain("managedFields");
  expect(await ask("/api/objects/Secret/velero/b")).toMatchObject({ status: 404 });
  close();
});

test.each([
  ["Backup", { metadata: { annotations: { "headway.dev/cancel": "true" } } }],
  ["MigMigration", { spec: { canceled: true } }],
])("cancel asks the engine of a %s to stop", async (kind, body) => {
  const { observer, calls, ask, close } = open();
  const id = `${kind.toLowerCase()}/velero/b`;
  observer.set(anOperation("b", { id, ref: { apiVersion: "x", kind, namespace: "velero", name: "b" } }));
  expect(await ask(`/api/operations/velero/${kind}/b/cancel`, { method: "POST" })).toMatchObject({
    status: 200,
  });
  expect(calls.map(({ what, args }) => [what, ...args.slice(1, 4)])).toEqual([
    ["patch", "b", { type: "merge", body }, { namespace: "velero" }],
  ]);
  close();
});

test("cancel says no to what has ended, to what is not there, and where nothing may be written", async () => {
  const { observer, calls, ask, close } = open();
  observer.set(anOperation("b", { state: "completed" }));
  expect(await ask("/api/operations/velero/backup/b/cancel", { method: "POST" })).toMatchObject({
    status: 409,
  });
  expect(await ask("/api/operations/velero/backup/none/cancel", { method: "POST" })).toMatchObject({
    status: 404,
  });
  expect(calls).toEqual([]);
  close();
  const reads = open({ writes: false });
  reads.observer.set(anOperation("b"));
  expect(await reads.ask("/api/operations/velero/backup/b/cancel", { method: "POST" })).toMatchObject({
    status: 404,
  });
  expect(await reads.ask("/api/about")).toMatchObject({ body: { writes: false } });
  reads.close();
});

test("what changes something needs the token in a header", async () => {
  const { observer, calls, ask, close } = open();
  observer.set(anOperation("b"));
  const path = "/api/operations/velero/backup/b/cancel?token=secret";
  expect(await ask(path, { method: "POST", headers: { authorization: "" } })).toMatchObject({ status: 401 });
  expect(calls).toEqual([]);
  close();
});

test("create takes an object of the path's kind and namespace, and only what a person writes of it", async () => {
  const { calls, ask, close } = open({}, { create: backup });
  const send = (object: unknown, path = "/api/objects/Backup/velero") =>
    ask(path, { method: "POST", body: JSON.stringify(object) });
  expect(await send({ ...backup, status: { phase: "Completed" } })).toMatchObject({
    status: 201,
    body: { name: "b" },
  });
  expect(calls[0]?.args[1]).toEqual(backup);
  const refused = [
    await send({ ...backup, kind: "Restore" }),
    await send({ ...backup, metadata: { name: "b", namespace: "other" } }),
    await send({ ...backup, metadata: { namespace: "velero" } }),
    await send({ ...backup, apiVersion: "velero.io/v2" }),
    await send("text"),
    await send({ ...backup, kind: "Schedule" }, "/api/objects/Schedule/velero"),
  ];
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400]);
  expect(calls).toHaveLength(1);
  close();
});

test("what the cluster says no to is told in its own words; anything else is not told", async () => {
  const no = new ApiError("create", { code: 422, reason: "Invalid", message: "spec.ttl is odd" });
  const { ask, close } = open({}, { create: no, get: new Error("secret detail") });
  const send = { method: "POST", body: JSON.stringify(backup) };
  expect(await ask("/api/objects/Backup/velero", send)).toMatchObject({
    status: 422,
    body: { error: { code: "Invalid", message: "spec.ttl is odd" } },
  });
  const answer = await ask("/api/objects/Backup/velero/b");
  expect(answer).toMatchObject({ status: 500 });
  expect(answer.text).not.toContain("secret detail");
  close();
});

test("events of an operation and of its parts come newest first", async () => {
  const event = (at: string, reason: string) => ({
    metadata: { name: reason },
    type: "Warning",
    reason,
    message: `${reason}!`,
    lastTimestamp: at,
    involvedObject: { kind: "Pod", name: "p" },
  });
  const list = [event("2026-01-01T00:00:00Z", "Old"), event("2026-01-02T00:00:00Z", "New")];
  const { observer, calls, ask, close } = open({}, { list });
  observer.set(anOperation("b", { children: [anOperation("v"), anOperation("v")] }));
  const { body } = await ask("/api/operations/velero/backup/b/events");
  expect(body.events.slice(0, 2)).toMatchObject([{ reason: "New" }, { reason: "New" }]);
  expect(calls.map(({ args }) => (args[1] as { fieldSelector: string }).fieldSelector)).toEqual([
    "involvedObject.uid=b",
    "involvedObject.uid=v",
  ]);
  close();
});

test("choices tell what a form needs, and a log is given where one was kept", async () => {
  const list = [{ metadata: { name: "mysql", namespace: "kanister" }, actions: { backup: {}, restore: {} } }];
  const { observer, ask, close } = open(
    { readFile: async (_client, { name }) => (name === "b" ? "line\n" : undefined) },
    { list },
  );
  expect(await ask("/api/choices/Blueprint")).toMatchObject({
    body: { choices: [{ namespace: "kanister", name: "mysql", notes: ["backup", "restore"] }] },
  });
  expect(await ask("/api/choices/Secret")).toMatchObject({ status: 404 });
  observer.set(anOperation("b"));
  observer.set(anOperation("c"));
  expect(await ask("/api/operations/velero/backup/b/log")).toMatchObject({ status: 200, text: "line\n" });
  expect(await ask("/api/operations/velero/backup/c/log")).toMatchObject({ status: 404 });
  expect(await ask("/api/operations/velero/backup/d/log")).toMatchObject({ status: 404 });
  close();
});

test("what is asked and done, is asked and done with the caller's own token, and nothing of it is kept", async () => {
  const closed: string[] = [];
  const { calls: own, ...app } = open({
    as: (token) => {
      const { client, calls } = recording(token);
      seen.push(calls);
      return Object.assign(client, { close: () => void closed.push(token) });
    },
    readFile: async (client, { name }) => (await client.get<KubeObject>(builtIn.events, name)).metadata.name,
  });
  const seen: Call[][] = [];
  app.observer.set(anOperation("b"));
  await app.ask("/api/objects/Backup/velero/b");
  await app.ask("/api/choices/Backup");
  await app.ask("/api/operations/velero/backup/b/events");
  expect(await app.ask("/api/operations/velero/backup/b/log")).toMatchObject({ text: "secret" });
  await app.ask("/api/operations/velero/backup/b/cancel", { method: "POST" });
  await app.ask("/api/objects/Backup/velero", { method: "POST", body: JSON.stringify(backup) });
  expect(seen.map((calls) => calls.map(({ what }) => what).join())).toEqual([
    "get",
    "list",
    "list",
    "get",
    "patch",
    "create",
  ]);
  expect(closed).toEqual(Array.from({ length: 6 }, () => "secret"));
  expect(own).toEqual([]);
  app.close();
});

/** A client that answers everything with an object named after the token it was made for. */
function recording(token: string) {
  const calls: Call[] = [];
  const object = { ...backup, metadata: { name: token, namespace: "velero" } };
  const answer =
    (what: string, value: unknown) =>
    async (...args: readonly unknown[]) => {
      calls.push({ what, args });
      return value;
    };
  const client = {
    get: answer("get", object),
    list: answer("list", []),
    create: answer("create", object),
    patch: answer("patch", object),
  } as unknown as ClusterPart["client"]; // all that these routes use
  return { client, calls };
}

test("of several clusters the one that is named is asked; one that is away is told with the reason", async () => {
  const green = recording("green");
  const { calls, ask, close } = open(
    { reach: () => Promise.reject(new Error("no route to host")) },
    {},
    {
      green: { client: green.client, reach: async () => undefined },
    },
  );
  expect(await ask("/api/objects/Backup/velero/b?cluster=green")).toMatchObject({
    body: { metadata: { name: "green" } },
  });
  expect(calls).toEqual([]);
  expect(await ask("/api/objects/Backup/velero/b?cluster=red")).toMatchObject({ status: 404 });
  expect((await ask("/api/clusters")).body).toEqual({
    clusters: [{ name: "", error: "no route to host" }, { name: "green" }],
  });
  expect((await ask("/api/about")).body).toEqual({ writes: true, objects: true, several: true });
  close();
});

test("what went wrong is read from the results file; a file that cannot be fetched is told", async () => {
  const results = {
    errors: { velero: ["bad"], namespaces: { shop: ["worse"] } },
    warnings: { cluster: ["hm"] },
  };
  const { observer, ask, close } = open({
    readFile: async (_client, { name }) => {
      if (name === "gone") throw new AppError("DOWNLOAD_FAILED", "nobody answered");
      return name === "b" ? JSON.stringify(results) : undefined;
    },
  });
  for (const name of ["b", "none", "gone"]) observer.set(anOperation(name));
  expect((await ask("/api/operations/velero/backup/b/results")).body).toEqual({
    errors: [
      { where: "server", text: "bad" },
      { where: "shop", text: "worse" },
    ],
    warnings: [{ where: "cluster", text: "hm" }],
    more: 0,
  });
  expect(await ask("/api/operations/velero/backup/none/results")).toMatchObject({ status: 404 });
  expect(await ask("/api/operations/velero/backup/gone/results")).toMatchObject({
    status: 502,
    body: { error: { message: "nobody answered" } },
  });
  close();
});

const engine = {
  upcoming: () => [],
  backupNow: () => backup,
  deleteRequest: () => ({ ...backup, kind: "DeleteBackupRequest" }),
};

test("a schedule is paused, resumed and run as the engine of backups says", async () => {
  const { calls, ask, close } = open({ backups: engine }, { get: backup, create: backup, patch: backup });
  const post = (act: string) => ask(`/api/schedules/velero/nightly/${act}`, { method: "POST" });
  expect(await post("pause")).toMatchObject({ status: 200, body: { paused: true } });
  expect(await post("unpause")).toMatchObject({ status: 200, body: { paused: false } });
  expect(await post("run")).toMatchObject({ status: 201, body: { kind: "Backup", name: "b" } });
  expect(await post("forget")).toMatchObject({ status: 404 });
  const patches = calls.filter(({ what }) => what === "patch").map(({ args }) => args[2]);
  expect(patches).toEqual([true, false].map((paused) => ({ type: "merge", body: { spec: { paused } } })));
  close();
});

test.each([
  ["Completed", 200, 1],
  ["InProgress", 409, 0],
])("a backup that is %s is answered with %s when it is to be deleted", async (phase, status, creates) => {
  const { calls, ask, close } = open(
    { backups: engine },
    { get: { ...backup, status: { phase } }, create: backup },
  );
  expect(await ask("/api/backups/velero/b/delete", { method: "POST" })).toMatchObject({ status });
  expect(calls.filter(({ what }) => what === "create")).toHaveLength(creates);
  close();
});

test("a server that only reads pauses and deletes nothing", async () => {
  const other = { "": { backups: engine, writes: false }, second: { writes: true } };
  const { calls, ask, close } = open({ backups: engine, writes: false }, { get: backup }, other);
  for (const path of ["/api/schedules/velero/nightly/pause", "/api/backups/velero/b/delete"])
    expect(await ask(path, { method: "POST" })).toMatchObject({ status: 403 });
  expect(calls).toEqual([]);
  close();
});

const restore = {
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata: { name: "r", namespace: "velero" },
  spec: { backupName: "b" },
};

function planWith(items: RestorePlan["items"]): RestorePlan {
  const counts = { create: 0, update: 0, skip: 0, conflict: 0, refused: 0, unknown: 0 };
  return {
    restore: "r",
    backup: "b",
    faults: [],
    counts,
    notAsked: 0,
    groups: [],
    items,
    moreItems: 1,
    volumes: [],
    bytes: 0,
    hooks: 0,
    hidden: [],
    notes: [],
  };
}

test("a plan is made with the token of the request, and what needs a look comes first of the items that are sent", async () => {
  const asked: unknown[] = [];
  const items = Array.from({ length: 600 }, (_, i) => ({
    resource: "pods",
    name: `p${i}`,
    verdict: i === 599 ? ("conflict" as const) : ("create" as const),
  }));
  const planRestore: ClusterPart["planRestore"] = async (object, token) => {
    asked.push([object, token]);
    return planWith(items);
  };
  const as = () => ({}) as never; // nobody acts in this test
  const { ask, close } = open({ planRestore, as });
  const init = { method: "POST", body: JSON.stringify(restore) };
  const { status, body } = await ask("/api/plans/restore/velero", init);
  expect(status).toBe(200);
  expect(asked).toEqual([[expect.objectContaining(restore), "secret"]]);
  expect(body.items).toHaveLength(500);
  expect(body.items[0]).toMatchObject({ name: "p599", verdict: "conflict" });
  expect(body.moreItems).toBe(101);
  expect(await ask("/api/plans/restore/elsewhere", init)).toMatchObject({ status: 400 });
  expect(await ask("/api/plans/restore/velero", { ...init, body: "{" })).toMatchObject({ status: 400 });
  close();
  const without = open();
  expect(await without.ask("/api/plans/restore/velero", init)).toMatchObject({ status: 400 });
  without.close();
});
