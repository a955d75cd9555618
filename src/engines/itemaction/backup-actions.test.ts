import { expect, test } from "vitest";
import { TestClock } from "../../../test/harness/clock.ts";
import type { Backup } from "../../api/index.ts";
import type { OpenedAction } from "../../plugins/index.ts";
import { MemoryStore } from "../../store/index.ts";
import { backupItemActions } from "./backup-actions.ts";

const { signal } = new AbortController();
type Execute = OpenedAction["calls"]["execute"];
type Output = Awaited<ReturnType<Execute>>;
const nothing: Output = {
  additionalItems: [],
  operationID: "",
  postOperationItems: [],
  skipRestore: false,
  waitForAdditionalItems: false,
};
const action = (name: string, execute: Execute, labelSelector?: string): OpenedAction =>
  ({
    name,
    kind: "BackupItemActionV2",
    selector: labelSelector === undefined ? {} : { labelSelector },
    calls: { execute, progress: async () => ({ completed: false }), cancel: async () => undefined },
  }) as unknown as OpenedAction; // what a backup calls

async function open(actions: readonly OpenedAction[], store = new MemoryStore(), uid = "u-1") {
  const metadata = { name: "b", namespace: "velero", uid };
  const backup: Backup = {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata,
    status: { phase: "InProgress" },
  };
  const plugins = { openActions: async () => ({ all: actions, close: async () => undefined }) };
  const given = {
    backup,
    store,
    resolve: (word: string) => word,
    moved: () => undefined,
    waiting: () => undefined,
  };
  return backupItemActions({ plugins, clock: new TestClock() })(given, signal);
}

const item = (more: object = {}) => ({
  groupResource: "configmaps",
  namespace: "shop",
  name: "cm",
  labels: {},
  json: Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm","namespace":"shop"}}'),
  ...more,
});
const text = (acted: unknown) => Buffer.from((acted as { json: Uint8Array }).json).toString();
const marked =
  (mark: string): Execute =>
  async ({ item: bytes }) => ({
    ...nothing,
    item: Buffer.from(Buffer.from(bytes).toString().replace('"metadata":{', `"metadata":{"${mark}":1,`)),
  });

test("actions work one after the other, each on what the one before gave back, chosen by the first labels", async () => {
  const odd = action("example.com/c", marked("c"), "late=yes");
  const actions = await open([
    action("example.com/a", marked("a")),
    action("example.com/b", marked("b")),
    odd,
  ]);
  const acted = await actions.act(item(), async () => undefined, signal);
  expect(text(acted)).toContain('"metadata":{"b":1,"a":1,');
});

test("items that a plugin names come first, each as often as it is named; whoever stores them keeps one", async () => {
  const other = { group: "", resource: "pods", namespace: "shop", name: "p" };
  const named: Execute = async () => ({ ...nothing, additionalItems: [other, other] });
  const brought: string[] = [];
  const actions = await open([action("example.com/a", named)]);
  await actions.act(item(), async ({ name }, must) => void brought.push(`${name} ${must}`), signal);
  expect(brought).toEqual(["p false", "p false"]);
});

test("an operation that another backup of this name began is none of ours", async () => {
  const store = new MemoryStore();
  let calls = 0;
  const begins: Execute = async () => ({ ...nothing, operationID: `op-${(calls += 1)}` });
  const first = await open([action("example.com/a", begins)], store, "u-old");
  await first.act(item(), async () => undefined, signal);
  const same = await open([action("example.com/a", begins)], store, "u-old");
  await same.act(item(), async () => undefined, signal);
  expect([calls, same.list().map(({ stored }) => stored.spec.operationID)]).toEqual([1, ["op-1"]]);
  const other = await open([action("example.com/a", begins)], store, "u-new");
  expect(other.list()).toEqual([]);
  await other.act(item(), async () => undefined, signal);
  expect(other.list().map(({ stored }) => stored.spec.operationID)).toEqual(["op-2"]);
});

test("an action that begins an operation at the very end is refused", async () => {
  const actions = await open([action("example.com/a", async () => ({ ...nothing, operationID: "x" }))]);
  await expect(actions.act(item({ isFinal: true }), async () => undefined, signal)).rejects.toThrow(
    'plugin "example.com/a" began an operation when all of them had ended',
  );
});

test("a selector that cannot be read ends the run before it begins", async () => {
  await expect(open([action("example.com/a", marked("a"), "a b")])).rejects.toMatchObject({
    code: "PLUGIN_FAILED",
    message: expect.stringContaining('plugin "example.com/a" cannot say which items it wants'),
  });
});
