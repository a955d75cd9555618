import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Backup,
  type DataDownload,
  type DataUpload,
  type KubeObject,
  kinds,
  type PodVolumeBackup,
} from "../../../src/api/index.ts";
import { builtIn, resourceOf } from "../../../src/kube/index.ts";
import * as world from "../../harness/migration-world.ts";
import { noMovement } from "../../harness/movement-world.ts";

const skip = noMovement();

describe.skipIf(skip)(`migrations by snapshot ${skip ?? ""}`, { timeout: 240_000 }, () => {
  let opened: world.MigrationWorld;
  beforeAll(async () => {
    opened = await world.openMigrationWorld({ snapshots: true });
    opened.host();
  }, 120_000);
  afterAll(() => opened?.close(), 60_000);

  test("a volume whose copyMethod is snapshot goes through a snapshot and the store into the other cluster, byte for byte", async () => {
    const { blue, green } = opened;
    const app = opened.space("shop");
    await world.makeShop(blue, app, { storageClass: "csi-folder" });
    const sum = await world.shopFile(blue, app, "sum");
    const { client } = opened.home;
    const plan = await world.readyPlan(opened, "plan", [app]);
    const [volume] = plan.spec?.persistentVolumes ?? [];
    expect(volume?.supported.copyMethods).toEqual(["filesystem", "snapshot"]);
    const chosen = { ...volume, selection: { ...volume?.selection, copyMethod: "snapshot" } };
    const body = { spec: { persistentVolumes: [chosen] } };
    await client.patch(world.migPlans, "plan", { type: "merge", body }, { namespace: world.server });

    await world.migrate(opened, "plan", "final", { quiescePods: true });
    const { status } = await world.ended(opened, "final");
    expect(status?.errors ?? [], opened.log.join("\n")).toEqual([]);
    expect(status?.conditions?.map(({ type }) => type)).toContain("Succeeded");
    expect(await world.shopFile(green, app, "sum")).toBe(sum);
    const checked = await world.inShop(green, app, [
      "sh",
      "-c",
      "cd / && sha256sum -c /data/sum && echo same",
    ]);
    expect(checked).toContain("same");

    const namespace = world.server;
    const backups = await blue.client.list<Backup>(resourceOf(kinds.Backup), { namespace });
    const staged = backups.find(({ metadata }) => metadata.name.includes("-stage-"));
    expect(staged?.spec).toMatchObject({ snapshotVolumes: true, snapshotMoveData: true });
    const uploads = await blue.client.list<DataUpload>(resourceOf(kinds.DataUpload), { namespace });
    expect(uploads.map((one) => one.status?.phase)).toEqual(["Completed"]);
    const downloads = await green.client.list<DataDownload>(resourceOf(kinds.DataDownload), { namespace });
    expect(downloads.map((one) => one.status?.phase)).toEqual(["Completed"]);
    const files = await blue.client.list<PodVolumeBackup>(resourceOf(kinds.PodVolumeBackup), { namespace });
    expect(files, "no file is copied out of a pod").toEqual([]);
    for (const side of [blue, green]) {
      const left = [builtIn.snapshots, builtIn.snapshotContents].map((one) =>
        side.client.list<KubeObject>(one),
      );
      expect((await Promise.all(left)).flat()).toEqual([]);
    }
  });
});
