import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BackupStage, core, tarNames } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { archivedObjects, ItemPlugin, markedMap, missingItemPlugin } from "../../harness/item-plugin.ts";

const configMaps = core("configmaps", "ConfigMap");

describe.skipIf(missingItemPlugin)(`backups with a real plugin program ${missingItemPlugin ?? ""}`, () => {
  let stage: BackupStage;
  let plugin: ItemPlugin;
  let shop: string;
  let other: string;
  const entry = (namespace: string, name: string) =>
    `resources/configmaps/namespaces/${namespace}/${name}.json`;

  beforeAll(async () => {
    plugin = new ItemPlugin();
    stage = await BackupStage.open();
    [shop, other] = [await stage.app("shop"), await stage.app("other")];
    stage.operator(undefined, undefined, { plugins: { folders: [plugin.folder], actionMs: 15_000 } });
  });
  afterAll(async () => {
    await stage?.close();
    plugin?.close();
  });

  /** Backs up what one test made; the archive, and how it ended. */
  const backedUp = async (label: string, more: object = {}) => {
    const name = `b-${crypto.randomUUID().slice(0, 8)}`;
    const spec = {
      includedNamespaces: [shop],
      labelSelector: { matchLabels: { [`fixture.example/case`]: label } },
      ...more,
    };
    await stage.create(name, spec);
    const { status } = await stage.ended(name);
    const files = stage.files(name);
    const archive = files.includes(`${name}.tar.gz`) ? stage.read(name, `${name}.tar.gz`) : undefined;
    const entries = archive ? tarNames(archive) : [];
    expect(new Set(entries).size, "no entry twice").toBe(entries.length);
    const objects = archive ? archivedObjects(archive) : new Map();
    const results = files.includes(`${name}-results.gz`)
      ? JSON.stringify(stage.json(name, `${name}-results.gz`))
      : "";
    return { name, status, objects, results, files };
  };
  const map = (
    name: string,
    label: string,
    labels: Record<string, string>,
    says: Record<string, string> = {},
  ) => markedMap(stage, shop, name, { labels: { case: label, ...labels }, says });

  test("an action changes items, and brings others past the filters only where it says so", async () => {
    await markedMap(stage, other, "beside", {});
    await markedMap(stage, shop, "near", {});
    const needs = `configmaps/${other}/beside,cm/${shop}/near,configmaps/${shop}/near,configmaps/${shop}/gone`;
    await map("plain", "change", { mark: "" }, { needs });
    await map("must", "must", { mark: "" }, { needs, must: "yes" });
    const plain = await backedUp("change");
    expect(plain.status, plain.results).toMatchObject({ phase: "Completed", warnings: 1 });
    const stored = plain.objects.get(entry(shop, "plain"));
    expect(stored?.metadata.annotations).toMatchObject({ "fixture.example/marked": plain.name });
    expect([...plain.objects.keys()].filter((key) => /near|beside/.test(key))).toEqual([
      entry(shop, "near"),
      `resources/configmaps/v1-preferredversion/namespaces/${shop}/near.json`,
    ]);
    expect(plain.results).toContain("is needed by another item and does not exist");
    const must = await backedUp("must");
    expect(must.objects.has(entry(other, "beside"))).toBe(true);
    const annotations = must.objects.get(entry(shop, "must"))?.metadata.annotations ?? {};
    expect(Object.keys(annotations)).not.toContain("backup.velero.io/must-include-additional-items");
  });

  test.each([
    ["fail", 'execute of plugin "fixture.example/a-mark" failed: the disk of bad-fail is away'],
    ["panic", "plugin panicked: a panic of the plugin"],
    ["die", 'execute of plugin "fixture.example/a-mark" failed'],
    ["million", "it names 1000000 items, 50000 are the most that are taken"],
    ["rename=../../etc", "gave back something that is no Kubernetes object"],
    ["hang", 'execute of plugin "fixture.example/a-mark" gave no answer within 15 s'],
  ])("an action that does %s loses its item alone, in its own words", async (behave, words) => {
    const [word = ""] = behave.split(/[^a-z]/);
    await map(`bad-${word}`, word, { mark: "" }, { behave });
    await map(`good-${word}`, word, { mark: "" });
    const { status, objects, results } = await backedUp(word);
    expect(status).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
    expect(results).toContain(words.replaceAll('"', '\\"'));
    expect(objects.has(entry(shop, `bad-${word}`))).toBe(false);
    expect(objects.has(entry(shop, `good-${word}`))).toBe(true);
  });

  test("an item that gets another name or namespace is stored under it, and takes nobody's place", async () => {
    await map("first", "names", { mark: "" }, { behave: "rename=second" });
    await map("nothing", "names", { mark: "" }, { behave: "nothing" });
    await map("mover", "names", { mark: "" }, { behave: `move=${other}` });
    const moved = await backedUp("names");
    expect(moved.status, moved.results).toMatchObject({ phase: "Completed" });
    expect(moved.objects.get(entry(shop, "second"))?.metadata.name).toBe("second");
    expect(moved.objects.has(entry(shop, "first"))).toBe(false);
    expect(moved.objects.has(entry(shop, "nothing"))).toBe(true);
    expect(moved.objects.has(entry(other, "mover"))).toBe(true);
    await map("second", "names", {});
    const taken = await backedUp("names");
    expect(taken.status).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
    expect(taken.results).toMatch(/a plugin gave (it the|its) name/);
  });

  test("an operation goes on after its item: phases, numbers, files, and the item as it is at the end", async () => {
    await map("work", "operation", { operation: "" }, { operation: "3s" });
    const name = `b-${crypto.randomUUID().slice(0, 8)}`;
    const spec = {
      includedNamespaces: [shop],
      labelSelector: { matchLabels: { "fixture.example/case": "operation" } },
    };
    await stage.create(name, { ...spec, snapshotVolumes: false });
    const waiting = await eventually(
      () => stage.get(name),
      ({ status }) => status?.phase === "WaitingForPluginOperations",
    );
    expect(waiting.status).toMatchObject({ backupItemOperationsAttempted: 1 });
    const patch = { type: "merge", body: { data: { name: "changed meanwhile" } } } as const;
    await stage.client.patch(configMaps, "work", patch, { namespace: shop });
    const { status } = await stage.ended(name);
    expect(status).toMatchObject({
      phase: "Completed",
      backupItemOperationsAttempted: 1,
      backupItemOperationsCompleted: 1,
    });
    const stored = archivedObjects(stage.read(name, `${name}.tar.gz`));
    const work = stored.get(entry(shop, "work")) as
      | { data?: object; metadata: { annotations?: object } }
      | undefined;
    expect(work).toMatchObject({
      data: { name: "changed meanwhile" },
      metadata: { annotations: { "fixture.example/finalized": "Finalizing" } },
    });
    expect(stage.json(name, `${name}-itemoperations.json.gz`)).toMatchObject([
      {
        spec: {
          backupName: name,
          backupItemAction: "fixture.example/b-operation",
          resourceIdentifier: { Group: "", Resource: "configmaps", Namespace: shop, Name: "work" },
          postOperationItems: [{ Group: "", Resource: "configmaps", Namespace: shop, Name: "work" }],
        },
        status: {
          phase: "Completed",
          nCompleted: 1000,
          nTotal: 1000,
          operationUnits: "chunks",
          description: "copying work",
        },
      },
    ]);
    expect(stage.files(name)).not.toContain("begun");
  });

  test.each([
    ["fail=1s", "the copy of op-fail broke"],
    ["die=1s", 'progress of plugin \\"fixture.example/b-operation\\" failed'],
    ["foreign=1s", 'no operation \\"another|op-foreign|foreign=1s|'],
    ["endless=1s", "Asynchronous action timed out"],
  ])("an operation that ends badly (%s) fails the backup in part", async (operation, words) => {
    const [word = ""] = operation.split("=");
    await map(`op-${word}`, `op-${word}`, { operation: "" }, { operation });
    const { status, results, objects, name } = await backedUp(`op-${word}`, { itemOperationTimeout: "4s" });
    expect(status, results).toMatchObject({
      phase: "PartiallyFailed",
      errors: 1,
      backupItemOperationsFailed: 1,
    });
    expect(results).toContain(words);
    expect(objects.has(entry(shop, `op-${word}`))).toBe(true);
    if (word === "endless") expect(plugin.calls(`cancel ${name}|op-endless`)).toHaveLength(1);
  });

  test.each(["once=2s", "fall=2s"])("an operation ends well all the same (%s)", async (operation) => {
    const [word = ""] = operation.split("=");
    await map(`op-${word}`, `op-${word}`, { operation: "" }, { operation });
    const { status, results, name } = await backedUp(`op-${word}`);
    expect(status, results).toMatchObject({ phase: "Completed", backupItemOperationsCompleted: 1 });
    const begun = plugin.calls("operation").filter((line) => line.includes(`/op-${word} InProgress`));
    expect(begun, "begun once").toHaveLength(1);
    expect(stage.json(name, `${name}-itemoperations.json.gz`)).toMatchObject([
      { status: { phase: "Completed", nCompleted: 1000, nTotal: 1000 } },
    ]);
  });

  test("a block brings what belongs together, each item once, and errors of it are told", async () => {
    await map(
      "block-a",
      "block",
      { block: "" },
      { related: `configmaps/${shop}/block-b,configmaps/${other}/beside` },
    );
    await map("block-b", "block", { block: "" }, { related: `configmaps/${shop}/block-a` });
    await map("block-c", "block", { block: "" }, { behave: "block-fail" });
    const { status, objects, results } = await backedUp("block");
    expect(status, results).toMatchObject({
      phase: "PartiallyFailed",
      errors: 1,
      progress: { itemsBackedUp: expect.any(Number) },
    });
    expect(results).toContain(`no block for ${shop}/block-c`);
    for (const name of ["block-a", "block-b", "block-c"])
      expect(objects.has(entry(shop, name)), name).toBe(true);
    expect(objects.has(entry(other, "beside")), "a block forces nothing in").toBe(false);
    expect(plugin.calls("block").toSorted()).toEqual(
      ["a", "b", "c"].map((one) => `block ${shop}/block-${one}`),
    );
  });

  test("a plugin of which nothing is called is not started", async () => {
    await markedMap(stage, shop, "alone", { labels: { case: "alone" } });
    const before = plugin.calls().length;
    expect((await backedUp("alone")).status).toMatchObject({ phase: "Completed" });
    expect(plugin.calls()).toHaveLength(before);
  });
});
