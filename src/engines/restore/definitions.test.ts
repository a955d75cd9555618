import { expect, onTestFinished, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import { AppError } from "../../errors.ts";
import type { Item } from "./archive/item-json.ts";
import { establish } from "./definitions.ts";
import { RunLog } from "./run-log.ts";
import { type Cluster, Served } from "./served.ts";

const conditions = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: "True" })) });
const definition = (status: object): Item => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  status,
});
const signal = new AbortController().signal;
const widgets = { group: "example.com", version: "v1", plural: "widgets", kind: "Widget", namespaced: true };

async function contextOf(looks: Item[], clock: TestClock) {
  const log = await RunLog.open("velero/r", () => 0);
  onTestFinished(async () => await log.close());
  const more = {
    singular: "widget",
    verbs: [],
    shortNames: [],
    categories: [],
    subresources: [],
    preferred: true,
  };
  const cluster = {
    get: async () => (looks.length > 1 ? looks.shift() : looks[0]),
    discover: async () => ({ resources: [{ ...widgets, ...more }], failed: [] }),
  };
  const served = new Served({ resources: [], failed: [] });
  return { cluster: cluster as unknown as Cluster, clock, served, log, resourceTimeoutMs: 600_000 };
}

test("establish() waits until a definition is established and its names are taken, then looks again", async () => {
  const clock = new TestClock();
  const looks = [
    definition({}),
    definition(conditions("NamesAccepted")),
    definition(conditions("NamesAccepted", "Established")),
  ];
  const context = await contextOf(looks, clock);
  const done = establish([definition({})], context, signal);
  await clock.advance(5_000);
  await done;
  expect(context.served.find({ apiVersion: "example.com/v1", kind: "Widget" })).toMatchObject({
    plural: "widgets",
  });
  expect(context.log.errors.count).toBe(0);
});

test("establish() looks again until the server lists the type, and not for ever", async () => {
  const clock = new TestClock();
  const context = await contextOf([definition(conditions("NamesAccepted", "Established"))], clock);
  const { discover } = context.cluster;
  let asked = 0;
  context.cluster.discover = async (...args) =>
    (asked += 1) < 4 ? { resources: [], failed: [] } : discover(...args);
  const done = establish([definition({})], context, signal);
  await clock.advance(5_000);
  await done;
  expect(asked).toBe(4);
  expect(context.served.typed("widgets.example.com")).toBeDefined();
  context.cluster.discover = async () => ({ resources: [], failed: [] });
  const never = establish([definition({})], context, signal);
  await clock.advance(40_000);
  await never;
  expect(context.served.typed("widgets.example.com")).toBeUndefined();
});

test("establish() writes down a definition that is never established", async () => {
  const clock = new TestClock();
  const context = await contextOf([definition({})], clock);
  const done = establish([definition({})], context, signal);
  for (let n = 0; n < 10; n += 1) await clock.advance(100_000);
  await done;
  const error = new AppError(
    "DEFINITION_NOT_READY",
    'wait for CustomResourceDefinition "widgets.example.com": it is not established',
  );
  expect(error).toMatchObject({ code: "DEFINITION_NOT_READY" });
  expect(context.log.errors.result().cluster).toEqual([error.message]);
});
