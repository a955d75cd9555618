import { expect, test } from "vitest";
import { settle, TestClock } from "../../test/harness/clock.ts";
import type { Backup, KubeObject, OperationObject } from "../api/index.ts";
import { ApiError, type MergePatch, type Resource, type StatusTarget } from "../kube/index.ts";
import { type Observation, type Tracked, track } from "../progress/index.ts";
import type { Frame } from "./observer.ts";
import type { Stored } from "./operation-store.ts";
import { operationName, Publisher } from "./publisher.ts";

const id = "backup/velero/b";
const root = (uid: string, creationTimestamp?: string): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b", namespace: "velero", uid, ...(creationTimestamp && { creationTimestamp }) },
});
const fault = (code: number, reason: string) =>
  new ApiError("create operations", { code, reason, message: reason });

/** An observer of one backup, a server that holds one Operation, a writer that counts. */
function world() {
  const clock = new TestClock();
  const stop = new AbortController();
  const told: string[] = [];
  const dropped: string[] = [];
  const offers: { target: StatusTarget; patch: MergePatch; final: boolean }[] = [];
  const state: {
    object?: OperationObject;
    tracked?: Tracked;
    stored?: Stored | undefined;
    isAuthor?: boolean;
    isTold?: boolean;
    createdAt?: string;
    refuse?: ApiError | undefined;
  } = {};
  let listener: (frame: Frame) => void = () => undefined;
  let creates = 0;
  const client = {
    create: async <T extends KubeObject>(_: Resource, given: unknown): Promise<T> => {
      creates += 1;
      if (state.refuse) throw state.refuse;
      if (state.object) throw fault(409, "AlreadyExists");
      const object = given as OperationObject;
      state.object = { ...object, metadata: { ...object.metadata, uid: `op${creates}` } };
      return state.object as unknown as T;
    },
    get: async <T extends KubeObject>(): Promise<T> => state.object as unknown as T,
    delete: async () => {
      delete state.object;
      return {};
    },
  };
  const observer = {
    subscribe: (given: typeof listener) => {
      listener = given;
      return () => undefined;
    },
    operations: () => [],
    tracked: () => state.tracked,
    stored: () => state.stored,
    isTold: () => state.isTold ?? false,
    isAuthor: () => state.isAuthor ?? true,
    object: () => root(state.tracked?.operation.ref.uid ?? "", state.createdAt),
  };
  const status = {
    drop: (target: StatusTarget) => void dropped.push(target.name),
    offer: (target: StatusTarget, patch: MergePatch) => void offers.push({ target, patch, final: false }),
    finish: async (target: StatusTarget, patch: MergePatch) =>
      void offers.push({ target, patch, final: true }),
  };
  const publisher = new Publisher({
    client,
    observer,
    author: "velero",
    status,
    clock,
    log: (_, message) => void told.push(message),
  });
  const running = publisher.run(stop.signal);
  const see = async (given: Partial<Observation>, uid = "u1") => {
    const ref = { apiVersion: "velero.io/v1", kind: "Backup", namespace: "velero", name: "b", uid };
    const seen = { id, ref, kind: "backup", title: "b", state: "running" as const, ...given };
    state.tracked = track(state.tracked, seen, clock.now());
    listener({ id, operation: state.tracked.operation });
    await settle();
  };
  /** The observer learns of what the server holds. */
  const tell = () => {
    const { object } = state;
    state.stored = object?.status && {
      object,
      operation: object.status,
      memory: object.status.memory,
      seenAt: 0,
    };
  };
  return {
    clock,
    state,
    told,
    dropped,
    offers,
    see,
    tell,
    creates: () => creates,
    end: () => (stop.abort(), running),
  };
}

test("Publisher creates the object with its first status, offers the rest, and finishes once", async () => {
  const { state, offers, see, tell, end } = world();
  await see({ progress: { unit: "bytes", done: 1, total: 4 } });
  tell();
  expect(state.object?.metadata).toMatchObject({ name: "backup-b", ownerReferences: [{ uid: "u1" }] });
  expect(state.object?.status?.fraction).toBe(0.25);
  await see({ progress: { unit: "bytes", done: 2, total: 4 } });
  await see({ state: "completed" });
  await see({ state: "completed" });
  const last = offers.at(-1);
  expect(offers.filter(({ final }) => final)).toHaveLength(1);
  expect(last?.target).toMatchObject({ name: "backup-b", namespace: "velero", uid: "op1" });
  expect(last?.patch).toMatchObject({ status: { state: "completed", fraction: 1, eta: null } });
  await end();
});

test("Publisher does not write what was over before anybody looked, but ends what an earlier process left", async () => {
  const first = world();
  await first.see({ state: "completed" });
  expect(first.creates()).toBe(0);
  await first.end();

  const next = world();
  await next.see({});
  next.tell();
  const { stored, tracked } = next.state;
  const restarted = world();
  Object.assign(restarted.state, { stored, tracked });
  await restarted.see({ state: "failed" });
  expect(restarted.offers).toMatchObject([{ final: true, target: { uid: "op1" } }]);
  await next.end();
  await restarted.end();
});

// The clock of these worlds begins at 00:16:40.
const short: [
  what: string,
  isTold: boolean,
  createdAt: string,
  startedAt: number | undefined,
  creates: number,
][] = [
  ["an engine of this process did it", true, "1970-01-01T00:00:00Z", 0, 1],
  ["it was made in the second in which the publisher began", false, "1970-01-01T00:16:40Z", 1_000_000, 1],
  ["it was refused before it began", false, "1970-01-01T00:16:40Z", undefined, 1],
  ["it was over before", false, "1970-01-01T00:16:39Z", 999_000, 0],
  ["it was refused before", false, "1970-01-01T00:16:39Z", undefined, 0],
  ["it came from a bucket", false, "1970-01-01T00:16:41Z", 1_000_000, 0],
];
test.each(short)("Publisher and a run that is first seen ended: %s", async (...given) => {
  const [, isTold, createdAt, startedAt, creates] = given;
  const seen = world();
  Object.assign(seen.state, { isTold, createdAt });
  await seen.see({ state: "completed", ...(startedAt !== undefined && { startedAt }) });
  expect(seen.creates()).toBe(creates);
  expect(seen.state.object?.status?.state).toBe(creates === 1 ? "completed" : undefined);
  await seen.end();
});

test("Publisher tries again to write an end of which no other news comes", async () => {
  const { clock, state, see, creates, end } = world();
  state.isTold = true;
  state.refuse = fault(500, "InternalError");
  await see({ state: "completed" });
  state.refuse = undefined;
  await clock.advance(4_000);
  expect(creates()).toBe(1);
  await clock.advance(1_000);
  expect(creates()).toBe(2);
  expect(state.object?.status?.state).toBe("completed");
  await clock.advance(60_000);
  expect(creates()).toBe(2);
  await end();
});

test("Publisher leaves no timer behind", async () => {
  const { clock, state, see, end } = world();
  state.refuse = fault(500, "InternalError");
  await see({});
  expect(clock.waiting).toBe(1);
  await end();
  expect(clock.waiting).toBe(0);
});

test("Publisher says once that the kind is not installed, and goes on when it is", async () => {
  const { clock, state, told, see, creates, end } = world();
  state.refuse = fault(404, "NotFound");
  await see({});
  await clock.advance(10_000);
  await see({});
  expect(creates()).toBe(1);
  await clock.advance(51_000);
  await see({});
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("operations.headway.dev is not installed");
  state.refuse = undefined;
  await clock.advance(61_000);
  await see({});
  expect(state.object).toBeDefined();
  await end();
});

test("Publisher replaces the Operation of an earlier object of the same name", async () => {
  const { clock, state, see, tell, end } = world();
  await see({}, "u1");
  tell();
  state.stored = undefined; // the observer does not give what belongs to another uid
  delete state.tracked;
  await see({}, "u2");
  await clock.advance(1_000);
  await see({}, "u2");
  expect(state.object?.status?.ref.uid).toBe("u2");
  await end();
});

test("Publisher makes an Operation again that somebody deleted", async () => {
  const { clock, state, see, tell, creates, end } = world();
  await see({});
  delete state.object;
  tell();
  await see({});
  expect(creates(), "the watch may be late").toBe(1);
  await clock.advance(3_000);
  await see({});
  expect(creates()).toBe(2);
  expect(state.object).toBeDefined();
  await end();
});

test("Publisher leaves an Operation to its new author, and takes it over again when that one is gone", async () => {
  const { state, offers, dropped, see, tell, end } = world();
  await see({});
  tell();
  expect(state.object?.status?.author).toBe("velero");
  const before = offers.length;
  state.isAuthor = false;
  await see({ progress: { unit: "bytes", done: 1, total: 4 } });
  expect(dropped).toEqual(["backup-b"]);
  expect(offers).toHaveLength(before);
  state.isAuthor = true;
  await see({ progress: { unit: "bytes", done: 2, total: 4 } });
  expect(offers.at(-1)?.patch).toMatchObject({ status: { author: "velero", progress: { done: 2 } } });
  await end();
});

test("operationName() is readable and never too long", () => {
  expect(operationName("Backup", "nightly")).toBe("backup-nightly");
  const long = operationName("MigMigration", "x".repeat(253));
  expect(long).toHaveLength(253);
  expect(long).not.toBe(operationName("MigMigration", `${"x".repeat(252)}y`));
});
