import { expect, test } from "vitest";
import { settle, TestClock } from "../../test/harness/clock.ts";
import type { Backup, KubeObject, OperationObject } from "../api/index.ts";
import { ApiError, type MergePatch, type Resource, type StatusTarget } from "../kube/index.ts";
import { type Observation, type Tracked, track } from "../progress/index.ts";
import type { Frame } from "./observer.ts";
import type { Stored } from "./operation-store.ts";
import { operationName, Publisher } from "./publisher.ts";

const id = "backup/velero/b";
const root = (uid: string): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b", namespace: "velero", uid },
});
const fault = (code: number, reason: string) =>
  new ApiError("create operations", { code, reason, message: reason });

/** An observer of one backup, a server that holds one Operation, a writer that counts. */
function world() {
  const clock = new TestClock();
  const stop = new AbortController();
  const told: string[] = [];
  const offers: { target: StatusTarget; patch: MergePatch; final: boolean }[] = [];
  const state: {
    object?: OperationObject;
    tracked?: Tracked;
    stored?: Stored | undefined;
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
    object: () => root(state.tracked?.operation.ref.uid ?? ""),
  };
  const status = {
    offer: (target: StatusTarget, patch: MergePatch) => void offers.push({ target, patch, final: false }),
    finish: async (target: StatusTarget, patch: MergePatch) =>
      void offers.push({ target, patch, final: true }),
  };
  const publisher = new Publisher({
    client,
    observer,
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

test("operationName() is readable and never too long", () => {
  expect(operationName("Backup", "nightly")).toBe("backup-nightly");
  const long = operationName("MigMigration", "x".repeat(253));
  expect(long).toHaveLength(253);
  expect(long).not.toBe(operationName("MigMigration", `${"x".repeat(252)}y`));
});
