import { afterEach, expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import { eventually } from "../../test/harness/eventually.ts";
import { anOperation, FakeObserver } from "../../test/harness/fake-observer.ts";
import { type Said, type SeenRequest, startScripted } from "../../test/harness/scripted-http.ts";
import type { KubeObject } from "../api/index.ts";
import type { RootObject } from "../kinds/index.ts";
import { ApiError, type Client } from "../kube/index.ts";
import type { Operation } from "../progress/index.ts";
import { Notifier } from "./notifier.ts";

const startMs = Date.parse("2026-11-18T04:00:00Z");
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

type Data = Record<string, string>;

/** ConfigMaps and Secrets by name. */
class FakeCluster {
  readonly maps = new Map<string, KubeObject & { data?: Data }>();
  readonly secrets = new Map<string, Data>();
  readonly client = {
    get: async ({ plural }: { plural: string }, name: string) => {
      if (plural === "configmaps") return this.maps.get(name) ?? missing();
      const data = this.secrets.get(name) ?? missing();
      const coded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
      return { metadata: { name }, data: Object.fromEntries(coded) as Data };
    },
    create: async (_: unknown, object: KubeObject) => void this.maps.set(object.metadata.name, object),
    patch: async (_: unknown, name: string, { body }: { body: { data: Data } }) => {
      const before = this.maps.get(name) ?? missing();
      this.maps.set(name, { ...before, data: { ...before.data, ...body.data } });
    },
  } as unknown as Pick<Client, "get" | "create" | "patch">; // what a notifier uses of it

  configure(text: string, annotations: Data = {}): void {
    const metadata = { name: "headway-notifications", annotations };
    this.maps.set(metadata.name, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { "config.yaml": text },
    });
  }

  stored(key: string): string {
    return this.maps.get("headway-notified")?.data?.[key] ?? "";
  }
}

function missing(): never {
  throw new ApiError("not found", { code: 404, reason: "NotFound", message: "not found" });
}

class Watched extends FakeObserver {
  object(id: string): RootObject | undefined {
    const found = this.operation(id);
    if (!found) return undefined;
    const creationTimestamp = new Date(startMs).toISOString();
    return {
      kind: "Backup",
      metadata: { ...found.ref, creationTimestamp },
      spec: { includedNamespaces: ["shop"] },
    } as unknown as RootObject;
  }
  isAuthor(id: string): boolean {
    return !id.includes("theirs");
  }
  isOpen(id: string): boolean {
    return id.includes("open");
  }
}

async function receiver(answer: (request: SeenRequest) => Said = () => ({})) {
  const server = await startScripted(answer);
  cleanups.push(server.stop);
  return {
    ...server,
    bodies: () => server.seen.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
  };
}

function start(cluster: FakeCluster, observer: Watched, clock: TestClock) {
  const stop = new AbortController();
  const logged: string[] = [];
  const running = new Notifier({
    client: cluster.client,
    observer,
    namespace: "velero",
    clock,
    random: () => 1,
    log: (_level, message) => void logged.push(message),
  }).run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
  };
  cleanups.push(end);
  return { logged, end };
}

const begun: Partial<Operation> = { startedAt: startMs + 5_000, fraction: 0.1 };
const stall: Partial<Operation> = { ...begun, stall: { since: startMs + 6_000, cause: "agent-missing" } };
const done: Partial<Operation> = { ...begun, state: "completed", finishedAt: startMs + 60_000, fraction: 1 };

/** Sets a state and waits until the receiver heard so much. */
async function heard(server: { seen: readonly unknown[] }, count: number): Promise<void> {
  await eventually(
    () => server.seen.length,
    (length) => length >= count,
  );
}

/** An answer that is still on its way would be asked for again after a restart. */
async function written(cluster: FakeCluster, clock: TestClock, words: string): Promise<void> {
  await eventually(
    () => clock.advance(2_000).then(() => cluster.stored("status")),
    (text) => text.includes(words),
  );
}

async function waiting(clock: TestClock): Promise<void> {
  await eventually(
    () => clock.waiting,
    (timers) => timers > 0,
  );
}

test("started, stalled, resumed and completed arrive once each and in order, as CloudEvents", async () => {
  const [cluster, observer, clock, server] = [
    new FakeCluster(),
    new Watched(),
    new TestClock(startMs),
    await receiver(),
  ];
  cluster.configure(`sinks: [{name: bus, type: cloudevents, url: "${server.origin}/in"}]`);
  start(cluster, observer, clock);
  await waiting(clock);
  const states = [begun, stall, begun, done];
  for (const [i, state] of states.entries()) {
    observer.set(anOperation("a", state));
    observer.set(anOperation("a", state)); // nothing new is no news
    await heard(server, i + 1);
  }
  observer.set(anOperation("a", done));
  await clock.advance(60_000);
  const types = server.bodies().map(({ type }) => String(type).split(".").at(-1));
  expect(types).toEqual(["started", "stalled", "resumed", "completed"]);
  expect(new Set(server.bodies().map(({ id }) => id)).size).toBe(4);
});

test("Slack's message is edited in place while the bar moves, and told where it ended", async () => {
  const [cluster, observer, clock] = [new FakeCluster(), new Watched(), new TestClock(startMs)];
  const server = await receiver(() => ({ body: JSON.stringify({ ok: true, channel: "C9", ts: "17.1" }) }));
  cluster.secrets.set("slack", { token: "xoxb-very-secret\n" });
  cluster.configure(
    `sinks: [{name: chat, type: slack, url: "${server.origin}/api", tokenFrom: {name: slack, key: token}, channel: C1}]`,
  );
  start(cluster, observer, clock);
  await waiting(clock);
  observer.set(anOperation("a", begun));
  await heard(server, 1);
  observer.set(anOperation("a", { ...begun, fraction: 0.3 })); // too soon for an edit
  await clock.advance(16_000);
  observer.set(anOperation("a", { ...begun, fraction: 0.5 }));
  await heard(server, 2);
  observer.set(anOperation("a", { ...stall, fraction: 0.5 }));
  await heard(server, 3);
  observer.set(anOperation("a", { ...done, message: "the token is xoxb-very-secret" }));
  await heard(server, 4);
  expect(server.seen.map(({ path }) => path)).toEqual([
    "/api/chat.postMessage",
    ...Array.from({ length: 3 }, () => "/api/chat.update"),
  ]);
  expect(server.seen.map(({ headers }) => headers["authorization"])).toContain("Bearer xoxb-very-secret");
  expect(server.bodies().slice(1)).toMatchObject(
    Array.from({ length: 3 }, () => ({ channel: "C9", ts: "17.1" })),
  );
  expect(server.bodies().map(({ text }) => String(text))).toEqual([
    expect.stringMatching(/█░.* 10%/),
    expect.stringMatching(/█░.* 50%/),
    expect.stringMatching(/:warning:.*stalled for/s),
    expect.stringMatching(/:white_check_mark:.*completed in 55s/s),
  ]);
  expect(JSON.stringify(server.bodies())).not.toContain("xoxb");
});

test("a restart repeats nothing, tells what ended meanwhile, and edits the same message", async () => {
  const [cluster, observer, clock] = [new FakeCluster(), new Watched(), new TestClock(startMs)];
  const server = await receiver(() => ({ body: JSON.stringify({ ok: true, channel: "C9", ts: "17.1" }) }));
  cluster.secrets.set("slack", { token: "t" });
  cluster.configure(
    `sinks: [{name: chat, type: slack, url: "${server.origin}", tokenFrom: {name: slack, key: token}, channel: C1}]`,
  );
  for (let i = 0; i < 50; i += 1)
    observer.set(
      anOperation(`old-${i}`, {
        state: "completed",
        startedAt: startMs - 90_000,
        finishedAt: startMs - 80_000,
      }),
    );
  const first = start(cluster, observer, clock);
  await waiting(clock);
  observer.set(anOperation("a", begun));
  observer.set(anOperation("b", { ...begun, state: "failed", finishedAt: startMs + 8_000 }));
  await heard(server, 3);
  await written(cluster, clock, '"sent":3');
  await first.end();
  expect(server.seen).toHaveLength(3);
  observer.set(anOperation("a", done));
  const second = start(cluster, observer, clock);
  await heard(server, 4);
  expect(server.bodies()[3]).toMatchObject({
    channel: "C9",
    ts: "17.1",
    text: expect.stringContaining("completed"),
  });
  await written(cluster, clock, '"sent":1');
  await second.end();
  const third = start(cluster, observer, clock);
  await waiting(clock);
  await third.end();
  expect(server.seen).toHaveLength(4);
});

test("a receiver that is away is asked again ever later, and then told the newest", async () => {
  const [cluster, observer, clock] = [new FakeCluster(), new Watched(), new TestClock(startMs)];
  let isAway = true;
  const server = await receiver(() => (isAway ? { status: 503, body: "later" } : {}));
  cluster.configure(`sinks: [{name: hook, type: webhook, url: "${server.origin}"}]`);
  const { logged } = start(cluster, observer, clock);
  await waiting(clock);
  observer.set(anOperation("a", begun));
  await heard(server, 1);
  await eventually(
    () => logged.length,
    (count) => count > 0,
  );
  expect(logged[0]).toBe('the receiver "hook" cannot be told: it answered 503: later');
  observer.set(anOperation("a", stall));
  await eventually(
    () => clock.waiting,
    (timers) => timers >= 2,
  );
  await clock.advance(1_000);
  await heard(server, 2);
  observer.set(anOperation("a", done));
  isAway = false;
  await eventually(
    () => clock.advance(10_000).then(() => server.seen.length),
    (count) => count >= 4,
  );
  // The stall came and went while nobody could be told.
  expect(server.bodies().map(({ event }) => event)).toEqual(["started", "started", "started", "completed"]);
});

test("what a receiver will never take is dropped, and the next is told; redirects lead nowhere", async () => {
  const [cluster, observer, clock, elsewhere] = [
    new FakeCluster(),
    new Watched(),
    new TestClock(startMs),
    await receiver(),
  ];
  const server = await receiver(({ body }) =>
    body.includes('"started"') ? { status: 302, headers: { location: elsewhere.origin } } : {},
  );
  cluster.configure(`sinks: [{name: hook, type: webhook, url: "${server.origin}"}]`);
  start(cluster, observer, clock);
  await waiting(clock);
  observer.set(anOperation("a", done));
  await heard(server, 2);
  expect(server.bodies().map(({ event }) => event)).toEqual(["started", "completed"]);
  expect(elsewhere.seen).toEqual([]);
});

test("a rate limit holds back and loses no end", async () => {
  const [cluster, observer, clock, server] = [
    new FakeCluster(),
    new Watched(),
    new TestClock(startMs),
    await receiver(),
  ];
  cluster.configure(
    `sinks: [{name: hook, type: webhook, url: "${server.origin}", perMinute: 3, events: [completed]}]`,
  );
  start(cluster, observer, clock);
  await waiting(clock);
  for (let i = 0; i < 5; i += 1) observer.set(anOperation(`a${i}`, done));
  await heard(server, 3);
  await eventually(
    () => clock.waiting,
    (timers) => timers >= 2,
  );
  expect(server.seen).toHaveLength(3);
  await eventually(
    () => clock.advance(10_000).then(() => server.seen.length),
    (count) => count >= 5,
  );
  expect(new Set(server.bodies().map(({ name }) => name)).size).toBe(5);
});

test("filters, other operators' operations, and a configuration that goes", async () => {
  const [cluster, observer, clock, server] = [
    new FakeCluster(),
    new Watched(),
    new TestClock(startMs),
    await receiver(),
  ];
  cluster.configure(`sinks:
- {name: hook, type: webhook, url: "${server.origin}/shop", namespaces: [shop], events: [failed, completed]}
- {name: other, type: webhook, url: "${server.origin}/bank", namespaces: [bank]}
- {name: wrong, type: webhook}`);
  const { logged } = start(cluster, observer, clock);
  await waiting(clock);
  expect(logged).toEqual(['ConfigMap headway-notifications: sink "wrong": it needs url or urlFrom']);
  observer.set(anOperation("a", begun));
  observer.set(anOperation("a", done));
  await heard(server, 1);
  observer.set(anOperation("theirs", done));
  cluster.maps.delete("headway-notifications");
  await written(cluster, clock, '"sinks":{}');
  observer.set(anOperation("b", done));
  await clock.advance(10_000);
  expect(server.seen.map(({ path }) => path)).toEqual(["/shop"]);
});

test("a test is sent once to each receiver, and its result is written down without secrets", async () => {
  const [cluster, observer, clock, server] = [
    new FakeCluster(),
    new Watched(),
    new TestClock(startMs),
    await receiver(),
  ];
  const broken = await receiver(({ headers }) => ({
    status: 401,
    body: `bad key ${String(headers["x-key"])}`,
  }));
  cluster.secrets.set("hooks", { key: "hunter2-hunter2" });
  const config = `sinks:
- {name: good, type: cloudevents, url: "${server.origin}"}
- {name: bad, type: webhook, url: "${broken.origin}", headersFrom: [{header: X-Key, name: hooks, key: key}]}
- {name: lost, type: webhook, urlFrom: {name: nowhere, key: url}}`;
  cluster.configure(config, { "headway.dev/notify-test": "/1" });
  start(cluster, observer, clock);
  const text = await eventually(
    () => cluster.stored("test"),
    (found) => found !== "",
  );
  expect(JSON.parse(text)).toEqual({
    id: "/1",
    results: [
      { sink: "good" },
      { sink: "bad", error: "it answered 401: bad key ***" },
      { sink: "lost", error: 'the Secret "nowhere" is not there' },
    ],
  });
  await clock.advance(30_000);
  expect(server.bodies()).toMatchObject([{ type: "dev.headway.operation.test" }]);
  cluster.configure(config, { "headway.dev/notify-test": "good/2" });
  await clock.advance(10_000);
  await eventually(
    () => cluster.stored("test"),
    (found) => found.includes('"good/2"'),
  );
  expect([server.seen.length, broken.seen.length]).toEqual([2, 1]);
});
