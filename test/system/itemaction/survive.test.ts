import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BackupStage } from "../../harness/backup-stage.ts";
import { eventually } from "../../harness/eventually.ts";
import { archivedObjects, ItemPlugin, markedMap, missingItemPlugin } from "../../harness/item-plugin.ts";

describe.skipIf(missingItemPlugin)(
  `operations of plugins and a killed operator ${missingItemPlugin ?? ""}`,
  () => {
    let stage: BackupStage;
    let plugin: ItemPlugin;
    beforeAll(async () => {
      plugin = new ItemPlugin();
      stage = await BackupStage.open();
    });
    afterAll(async () => {
      await stage?.close();
      plugin?.close();
    });

    test("the next operator follows what was begun, and begins nothing twice", async () => {
      const shop = await stage.app("shop");
      await markedMap(stage, shop, "work", { labels: { operation: "" }, says: { operation: "12s" } });
      const start = () => stage.process("backup", ["--plugin-dir", plugin.folder]);
      let child = start();
      try {
        await stage.create("b", { includedNamespaces: [shop], snapshotVolumes: false });
        await eventually(
          () => plugin.calls("progress"),
          (calls) => calls.length > 1,
        );
        const killed = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGKILL");
        await killed;
        expect(stage.files("b"), "what was begun is in the bucket").toEqual(["begun"]);
        const [before] = plugin.calls("progress").slice(-1);
        const asked = plugin.calls("progress").length;
        child = start();
        const { status } = await stage.ended("b", 120_000);
        expect(status).toMatchObject({ phase: "Completed", backupItemOperationsCompleted: 1 });
        expect(plugin.calls("progress").length).toBeGreaterThan(asked);
        expect(new Set(plugin.calls("progress")), "one operation, before and after").toEqual(
          new Set([before]),
        );
        expect(plugin.calls("operation").map((line) => line.split(" ").at(-1))).toEqual([
          "InProgress",
          "Finalizing",
        ]);
        expect(stage.files("b")).not.toContain("begun");
        const stored = archivedObjects(stage.read("b", "b.tar.gz"));
        expect(
          stored.get(`resources/configmaps/namespaces/${shop}/work.json`)?.metadata.annotations,
        ).toMatchObject({
          "fixture.example/finalized": "Finalizing",
        });
      } finally {
        const over = new Promise((resolve) => child.once("exit", resolve));
        child.kill("SIGTERM");
        await over;
      }
    });
  },
);
