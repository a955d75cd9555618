import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../kube/index.ts";
import { Plugins } from "../plugins.ts";

const { signal } = new AbortController();
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "actions-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const plugins = () =>
  new Plugins({
    folders: [folder],
    namespace: "velero",
    clock: systemClock,
    log: () => undefined,
    actionMs: 2_000,
  });
const item = Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}');
const owner = Buffer.from('{"metadata":{"name":"b"}}');

test("a module offers item actions beside snapshotters, and is called in a thread of its own", async () => {
  write(
    "all.mjs",
    `const appliesTo = async () => ({ includedResources: ["configmaps"] });
    export const backupItemActions = { "example.com/b": () => ({ appliesTo,
      async execute(item, backup) {
        const metadata = { ...item.metadata, annotations: { backup: backup.metadata.name } };
        return { item: { ...item, metadata }, additionalItems: [{ resource: "pods", name: "p" }], operationID: "op" };
      },
      async progress(id) { return { completed: true, nCompleted: 3, nTotal: 3, description: id }; } }) };
    export const restoreItemActions = { "example.com/r": () => ({ appliesTo,
      async execute(item, before) { return { skipRestore: before.metadata.name === "a" }; } }) };
    export const deleteItemActions = { "example.com/d": () => ({ appliesTo, async execute() { throw new Error("no"); } }) };
    export const itemBlockActions = { "example.com/i": () => ({ appliesTo, async getRelatedItems() { return "odd"; } }) };`,
  );
  const all = plugins();
  expect((await all.list(signal)).slice(1).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    "BackupItemActionV2 example.com/b",
    "RestoreItemActionV2 example.com/r",
    "DeleteItemAction example.com/d",
    "ItemBlockAction example.com/i",
  ]);
  const kinds = ["BackupItemActionV2", "RestoreItemActionV2", "DeleteItemAction", "ItemBlockAction"] as const;
  const opened = await all.openActions(kinds, signal);
  const [backup, restore, remove, block] = opened.all.map(({ calls }) => calls);
  expect(opened.all[0]?.selector).toEqual({ includedResources: ["configmaps"] });
  const output = await backup?.execute({ item, owner }, signal);
  expect(JSON.parse(Buffer.from(output?.item ?? []).toString())).toMatchObject({
    metadata: { name: "a", annotations: { backup: "b" } },
  });
  expect(output).toMatchObject({
    additionalItems: [{ group: "", resource: "pods", namespace: "", name: "p" }],
    operationID: "op",
  });
  expect(await backup?.progress("op", owner, signal)).toMatchObject({ completed: true, description: "op" });
  expect(await restore?.execute({ item, owner, itemFromBackup: item }, signal)).toMatchObject({
    skipRestore: true,
  });
  await expect(remove?.execute({ item, owner }, signal)).rejects.toThrow(
    'execute of plugin "example.com/d" failed: no',
  );
  await expect(block?.getRelatedItems({ item, owner }, signal)).rejects.toThrow("items that are no list");
  await opened.close();
});

test("an action that hangs is given up with its name, and the others go on", async () => {
  write(
    "hangs.mjs",
    `export const deleteItemActions = { "example.com/h": () => ({ async appliesTo() { return {}; },
      async execute(item) { if (item.metadata.name === "a") await new Promise(() => undefined); } }) };`,
  );
  const opened = await plugins().openActions(["DeleteItemAction"], signal);
  const calls = opened.all[0]?.calls;
  const other = Buffer.from('{"metadata":{"name":"other"}}');
  const [hung, fine] = await Promise.allSettled([
    calls?.execute({ item, owner }, signal),
    calls?.execute({ item: other, owner }, signal),
  ]);
  expect(hung).toMatchObject({
    reason: { code: "PLUGIN_TIMEOUT", message: expect.stringContaining("example.com/h") },
  });
  expect(fine.status).toBe("fulfilled");
  await opened.close();
});

test("an action that two files offer is refused, and one that cannot say what it wants ends the run", async () => {
  const text = (body: string) =>
    `export const deleteItemActions = { "example.com/x": () => ({ async appliesTo() { ${body} }, async execute() {} }) };`;
  write("a.mjs", text("return {};"));
  write("b.mjs", text("return {};"));
  await expect(plugins().openActions(["DeleteItemAction"], signal)).rejects.toMatchObject({
    code: "PLUGIN_DUPLICATE",
  });
  rmSync(join(folder, "b.mjs"));
  write("a.mjs", text('throw new Error("no cluster");'));
  await expect(plugins().openActions(["DeleteItemAction"], signal)).rejects.toThrow("no cluster");
});
