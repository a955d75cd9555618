// Receivers on loopback are told by a real operator of what another program does, as the configuration in the cluster names them.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../../src/api/index.ts";
import type { Input } from "../../../src/cli/command.ts";
import type { Io } from "../../../src/cli/io.ts";
import { testNotifications } from "../../../src/cli/notify/run.ts";
import { builtIn } from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";
import { eventually } from "../../harness/eventually.ts";
import { startHeadway } from "../../harness/headway-process.ts";
import { startScripted } from "../../harness/scripted-http.ts";
import { Upstream } from "../../harness/upstream.ts";

type Stored = KubeObject & { readonly data: Readonly<Record<string, string>> };
const token = "xoxb-a-token-for-nobody";
let cluster: TestCluster;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  cluster = await openCluster();
  await installDefinitions(cluster.client);
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
  await cluster.close();
});

function operator() {
  const run = startHeadway(
    "operator",
    "--no-serve",
    "--no-leader-election",
    "--controllers",
    "schedule",
    ...place(),
  );
  const end = async () => {
    run.signal("SIGTERM");
    await run.ended;
  };
  ends.push(end);
  return { end, said: () => run.said() };
}

const place = () => ["-n", cluster.namespace, "--kubeconfig", cluster.kubeconfig];

async function receiver(body = "") {
  const server = await startScripted(() => ({ body }));
  ends.push(server.stop);
  const bodies = () => server.seen.map((one) => JSON.parse(one.body) as Record<string, unknown>);
  return { ...server, bodies };
}

async function headway(...args: string[]) {
  const run = startHeadway(...args, ...place());
  return { code: await run.ended, out: run.lines(), said: run.said() };
}

async function configure(sinks: readonly object[]): Promise<void> {
  const { client, namespace } = cluster;
  const metadata = { name: "headway-notifications", namespace };
  const data = { "config.yaml": JSON.stringify({ cluster: "blue", sinks }) };
  await client.create(builtIn.configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
}

/** A command in this process, for its code. */
async function ask(command: typeof testNotifications, flags: Input["flags"] = {}): Promise<unknown> {
  const { kubeconfig, namespace } = cluster;
  const io: Io = { out: () => {}, err: () => {}, env: {}, terminal: undefined, color: false };
  return command({ args: [], flags: { kubeconfig, namespace, ...flags } }, io, new AbortController().signal);
}

test("without a configuration nobody is told, and the command says so", async () => {
  await expect(ask(testNotifications)).rejects.toMatchObject({ code: "NOTIFY_CONFIG" });
});

test("started, stalled and completed arrive once each and in order, edited in place for Slack, over a restart", async () => {
  const { client, namespace } = cluster;
  const [bus, chat, traces] = [
    await receiver(),
    await receiver(JSON.stringify({ ok: true, channel: "C9", ts: "17.1" })),
    await receiver("{}"),
  ];
  await client.create(builtIn.secrets, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "slack", namespace },
    stringData: { token },
  });
  await configure([
    { name: "bus", type: "cloudevents", url: bus.origin, mode: "binary" },
    {
      name: "chat",
      type: "slack",
      url: chat.origin,
      tokenFrom: { name: "slack", key: "token" },
      channel: "C1",
      every: "1h",
    },
    { name: "traces", type: "otlp", url: traces.origin },
  ]);
  const first = operator();
  const tried = await headway("notify", "test");
  expect(tried, first.said()).toMatchObject({ code: 0, out: ["bus: told", "chat: told", "traces: told"] });

  const upstream = new Upstream(client, namespace);
  await upstream.backup("b1");
  const startTimestamp = new Date().toISOString();
  await upstream.write("Backup", "b1", { phase: "InProgress", startTimestamp });
  await upstream.volume("b1-v1", "b1", "data"); // nobody copies it: there is no agent on its node
  const types = () => bus.seen.map(({ headers }) => String(headers["ce-type"]).split(".").at(-1));
  await eventually(types, (all) => all.length >= 3, 120_000);
  expect(types()).toEqual(["test", "started", "stalled"]);
  const told = () =>
    client.get<Stored>(builtIn.configMaps, "headway-notified", {
      namespace,
    });
  await eventually(told, ({ data }) => (data["told"] ?? "").includes('"stalled":'));
  await first.end();

  const second = operator();
  await upstream.write("PodVolumeBackup", "b1-v1", { phase: "Completed", startTimestamp });
  await upstream.write("Backup", "b1", { phase: "Completed", completionTimestamp: new Date().toISOString() });
  await eventually(types, (all) => all.includes("completed"), 120_000);
  await eventually(
    () => [chat.seen.length, traces.seen.length],
    ([texts = 0, spans = 0]) => texts >= 4 && spans >= 2,
  );
  await second.end();
  expect(types().filter((type) => type !== "resumed")).toEqual(["test", "started", "stalled", "completed"]);
  expect(chat.seen.map(({ path }) => path).slice(0, 3)).toEqual([
    "/chat.postMessage",
    "/chat.postMessage",
    "/chat.update",
  ]);
  expect(
    chat.seen.slice(2).every(({ path, body }) => path === "/chat.update" && body.includes('"17.1"')),
  ).toBe(true);
  expect(String(chat.bodies().at(-1)?.["text"])).toContain("completed");
  expect(chat.seen.every(({ headers }) => headers["authorization"] === `Bearer ${token}`)).toBe(true);
  const { metadata } = await client.get(
    { group: "velero.io", version: "v1", plural: "backups", kind: "Backup", namespaced: true },
    "b1",
    { namespace },
  );
  expect(traces.seen.at(-1)?.path).toBe("/v1/traces");
  expect(traces.seen.at(-1)?.body).toContain(`"traceId":"${metadata.uid?.replaceAll("-", "")}"`);

  const everything = [...bus.seen, ...traces.seen, ...chat.seen].map(({ body }) => body).join("");
  expect(everything + first.said() + second.said() + JSON.stringify(await told())).not.toContain(token);
  const { out } = await headway("notify", "get");
  expect(out[0]).toMatch(/^NAME +SENT +DROPPED/);
  expect(out.slice(1).map((line) => line.split(" ")[0])).toEqual(["bus", "chat", "traces"]);
});

test("a test that no operator answers is told", async () => {
  await expect(ask(testNotifications, { timeout: "1s" })).rejects.toMatchObject({ code: "NOTIFY_NO_ANSWER" });
});
