import { expect, test } from "vitest";
import { settle, TestClock } from "../../test/harness/clock.ts";
import type { KubeObject } from "../api/index.ts";
import { AppError } from "../errors.ts";
import { ApiError } from "./api-error.ts";
import { LeaderElector } from "./leader.ts";

/** One lease, with the server's optimistic lock. */
class LeaseServer {
  lease: (KubeObject & { readonly spec: Record<string, unknown> }) | undefined;
  down = false;
  #version = 0;

  async get<T extends KubeObject>(): Promise<T> {
    this.#mustBeUp();
    if (!this.lease) throw new ApiError("get", { code: 404, reason: "NotFound", message: "" });
    return structuredClone(this.lease) as unknown as T;
  }
  async create<T extends KubeObject>(_resource: unknown, object: unknown): Promise<T> {
    this.#mustBeUp();
    if (this.lease) throw new ApiError("create", { code: 409, reason: "AlreadyExists", message: "" });
    return this.#store(object as KubeObject & { spec: Record<string, unknown> }) as unknown as T;
  }
  async replace<T extends KubeObject>(_resource: unknown, object: T): Promise<T> {
    this.#mustBeUp();
    if (object.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) {
      throw new ApiError("replace", { code: 409, reason: "Conflict", message: "" });
    }
    return this.#store(object as unknown as KubeObject & { spec: Record<string, unknown> }) as unknown as T;
  }
  #mustBeUp(): void {
    if (this.down) throw new AppError("KUBE_UNREACHABLE", "away");
  }
  #store(object: KubeObject & { readonly spec: Record<string, unknown> }) {
    const resourceVersion = String(++this.#version);
    this.lease = { ...object, metadata: { ...object.metadata, resourceVersion } };
    return structuredClone(this.lease);
  }
}

function candidate(server: LeaseServer, clock: TestClock, identity: string) {
  const stop = new AbortController();
  const log: string[] = [];
  const elector = new LeaderElector({
    client: server,
    namespace: "n",
    name: "lock",
    identity,
    clock,
    random: () => 0.5,
  });
  const over = elector.run(async (signal) => {
    log.push("leads");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    log.push("stepped down");
  }, stop.signal);
  return { elector, stop, log, over };
}

test("one of two leads; when it stops it gives the lease back and the other takes it at once", async () => {
  const server = new LeaseServer();
  const clock = new TestClock();
  const a = candidate(server, clock, "a");
  await clock.advance(10);
  const b = candidate(server, clock, "b");
  await clock.advance(60_000);
  expect([a.log, b.log, a.elector.leads, b.elector.leads]).toEqual([["leads"], [], true, false]);
  a.stop.abort();
  await a.over;
  expect(a.log).toEqual(["leads", "stepped down"]);
  await clock.advance(2_500);
  expect([b.log, server.lease?.spec["holderIdentity"]]).toEqual([["leads"], "b"]);
  expect(server.lease?.spec["leaseTransitions"]).toBe(1);
  b.stop.abort();
  await b.over;
  expect(clock.waiting).toBe(0);
});

test("a leader that cannot renew steps down before its lease can be taken, and leads again afterwards", async () => {
  const server = new LeaseServer();
  const clock = new TestClock();
  const a = candidate(server, clock, "a");
  await clock.advance(5_000);
  server.down = true;
  await clock.advance(8_999); // the last renewal was begun at 4 s
  expect(a.log).toEqual(["leads"]);
  await clock.advance(1);
  expect([a.log, a.elector.leads]).toEqual([["leads", "stepped down"], false]);
  server.down = false;
  await clock.advance(5_000);
  expect(a.log).toEqual(["leads", "stepped down", "leads"]);
  a.stop.abort();
  await a.over;
});

test("a leader whose lease was taken by force steps down at its next look", async () => {
  const server = new LeaseServer();
  const clock = new TestClock();
  const a = candidate(server, clock, "a");
  await clock.advance(1_000);
  const { lease } = server;
  if (lease) await server.replace(undefined, { ...lease, spec: { ...lease.spec, holderIdentity: "thief" } });
  await clock.advance(2_500);
  await settle();
  expect([a.log, a.elector.leads]).toEqual([["leads", "stepped down"], false]);
  a.stop.abort();
  await a.over;
  expect(server.lease?.spec["holderIdentity"], "it gives back only what it holds").toBe("thief");
});

test("run() throws what the leader's work throws, after giving the lease back", async () => {
  const server = new LeaseServer();
  const elector = new LeaderElector({ client: server, namespace: "n", name: "lock", identity: "a" });
  const over = elector.run(() => Promise.reject(new Error("bug")), new AbortController().signal);
  await expect(over).rejects.toThrow("bug");
});

test.each([86_400_000, -86_400_000])(
  "a clock that jumps by %j ms neither ends a reign nor gives a lease away",
  async (byMs) => {
    const server = new LeaseServer();
    const clock = new TestClock(1e12);
    const a = candidate(server, clock, "a");
    await clock.advance(10);
    const b = candidate(server, clock, "b");
    await clock.advance(5_000);
    clock.jump(byMs);
    await clock.advance(60_000);
    expect([a.log, b.log]).toEqual([["leads"], []]);
    server.down = true;
    await clock.advance(10_500);
    expect(a.log, "and it still steps down in time").toEqual(["leads", "stepped down"]);
    server.down = false;
    a.stop.abort();
    b.stop.abort();
    await Promise.all([a.over, b.over]);
  },
);
