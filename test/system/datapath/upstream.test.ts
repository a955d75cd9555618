import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DataDownload, DataUpload, KubeObject } from "../../../src/api/index.ts";
import { datapathResources } from "../../../src/engines/datapath/index.ts";
import { builtIn, type Resource } from "../../../src/kube/index.ts";
import { type FolderStorage, openFolderStorage } from "../../harness/folder-storage.ts";
import * as movement from "../../harness/movement-world.ts";
import { findTestMover } from "../../harness/movers.ts";
import { type NodeWorld, openNodeWorld } from "../../harness/node-world.ts";
import { findPart } from "../../harness/parts.ts";
import { missingS3, type S3Server, startS3 } from "../../harness/s3.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";
import { runUpstream } from "../../harness/upstream-program.ts";
import { bucketLocation } from "../../harness/volume-copies.ts";

// The data mover of upstream's own program on what we moved out of a snapshot, and ours on what it moved.
const found = findPart("velero", "HEADWAY_VELERO");
const [program, noVelero] = "program" in found ? [found.program] : ["", found.missing];
const kopia = findTestMover("kopia");
const skip = noVelero ?? missingS3() ?? ("missing" in kopia ? kopia.missing : undefined);
const backupStorageLocation = "bucket";

describe.skipIf(skip)(`moved data crosses over ${skip ?? ""}`, { timeout: 240_000 }, () => {
  let world: NodeWorld;
  let storage: FolderStorage;
  let place: movement.MovementPlace;
  let s3: S3Server | undefined;
  const space = `shop-${crypto.randomUUID().slice(0, 8)}`;

  beforeAll(async () => {
    world = await openNodeWorld("kopia", true, { controllers: ["location", "backup-repo"] });
    storage = await openFolderStorage(world.client, world.folder, world.node);
    const { client, namespace } = world;
    const { storageClass, snapshotClass } = storage;
    place = { client, namespace, storageClass, snapshotClass, space };
    s3 = await startS3();
    await bucketLocation(world, backupStorageLocation, s3, `moved-${crypto.randomUUID().slice(0, 8)}`);
  }, 180_000);
  afterAll(async () => {
    await storage?.close();
    await s3?.stop();
    await world?.close();
  }, 60_000);

  /** An object that is upstream's to work on, as its agent hands it to its mover: never seen as new, so that ours leaves it alone. */
  async function theirs(resource: Resource, object: object): Promise<string> {
    const status = { phase: "InProgress", node: "theirs" };
    const made = await world.client.create<KubeObject>(resource, { ...object, status });
    return made.metadata.name;
  }

  function dataMover(verb: "backup" | "restore", kind: "upload" | "download", name: string, folder: string) {
    const mode = [`--volume-path=${folder}`, "--volume-mode=Filesystem", "--resource-timeout=1m"];
    return runUpstream({ ...world, program }, ["data-mover", verb, `--data-${kind}=${name}`, ...mode]);
  }

  test("upstream restores what we moved", async () => {
    const volume = await movement.boundClaim(place, space, "ours");
    fillTree(storage.folderOf(volume), [900_000, 7, 0]);
    const before = treeLines(storage.folderOf(volume));
    const snapshot = await movement.takeSnapshot(place, space, "ours");
    const backup = await movement.asker(place, "Backup");
    const source = { namespace: space, claim: "ours", snapshot };
    const upload = await movement.newUpload(place, backup, source, { backupStorageLocation });
    const out = await movement.endOf<DataUpload>(place, upload);
    expect(out.status, out.status?.message).toMatchObject({ phase: "Completed" });
    const target = join(world.folder, "their-target");
    mkdirSync(target);
    const name = await theirs(datapathResources.dataDownloads, {
      apiVersion: "velero.io/v2alpha1",
      kind: "DataDownload",
      metadata: movement.askedFor(await movement.asker(place, "Restore")),
      spec: {
        targetVolume: { namespace: space, pvc: "none", pv: "" },
        backupStorageLocation,
        snapshotID: out.status?.snapshotID ?? "",
        sourceNamespace: space,
        operationTimeout: "2m0s",
      },
    });
    const said = await dataMover("restore", "download", name, target);
    expect(treeLines(target), said).toEqual(before);
  });

  test("we restore what upstream moved", async () => {
    const folder = join(world.folder, "their-source");
    mkdirSync(folder);
    const bytes = fillTree(folder, [600_000, 9, 65_536]);
    const name = await theirs(datapathResources.dataUploads, {
      apiVersion: "velero.io/v2alpha1",
      kind: "DataUpload",
      metadata: movement.askedFor(await movement.asker(place, "Backup")),
      spec: {
        snapshotType: "CSI",
        csiSnapshot: { volumeSnapshot: "none", storageClass: place.storageClass, snapshotClass: "" },
        sourcePVC: "theirs",
        sourceNamespace: space,
        backupStorageLocation,
        operationTimeout: "2m0s",
      },
    });
    const said = await dataMover("backup", "upload", name, folder);
    const [, snapshotID = ""] = /and ID ([0-9a-f]{32})/.exec(said) ?? [];
    expect(snapshotID, said).not.toBe("");
    await movement.waitingClaim(place, space, "again");
    const restore = await movement.asker(place, "Restore");
    const { client } = world;
    const download = await client.create<DataDownload>(datapathResources.dataDownloads, {
      apiVersion: "velero.io/v2alpha1",
      kind: "DataDownload",
      metadata: movement.askedFor(restore),
      spec: {
        targetVolume: { namespace: space, pvc: "again", pv: "" },
        backupStorageLocation,
        snapshotID,
        snapshotSize: bytes,
        sourceNamespace: space,
        operationTimeout: "2m0s",
      },
    });
    const back = await movement.endOf<DataDownload>(place, download);
    expect(back.status, back.status?.message).toMatchObject({ phase: "Completed" });
    type Claim = KubeObject & { readonly spec: { readonly volumeName: string } };
    const claim = await client.get<Claim>(builtIn.claims, "again", { namespace: space });
    expect(treeLines(storage.folderOf(claim.spec.volumeName))).toEqual(treeLines(folder));
  });
});
