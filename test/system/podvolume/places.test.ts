import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PodVolumeBackup, PodVolumeRestore } from "../../../src/api/index.ts";
import { resources } from "../../../src/engines/podvolume/index.ts";
import { isVolumeEnded } from "../../../src/kinds/index.ts";
import { moversOf } from "../../harness/agent-process.ts";
import { eventually } from "../../harness/eventually.ts";
import { findTestMover } from "../../harness/movers.ts";
import { missingS3, type S3Server, startS3 } from "../../harness/s3.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";
import { bucketLocation, copied, copyBack, copyOut, heldBack } from "../../harness/volume-copies.ts";
import { openVolumeWorld, readyRepository, uploaders, type VolumeWorld } from "../../harness/volume-world.ts";

let world: VolumeWorld;
let stopAgent: (() => Promise<void>) | undefined;
beforeAll(async () => {
  world = await openVolumeWorld();
  stopAgent = world.agent();
}, 180_000);
afterAll(async () => {
  await stopAgent?.();
  await world?.close();
}, 60_000);

const missing = findTestMover("restic");
const noRestic = "missing" in missing ? missing.missing : undefined;

test.skipIf(noRestic)(
  `a copy is canceled, and its mover ends ${noRestic ?? ""}`,
  { timeout: 240_000 },
  async () => {
    const { client, namespace } = world;
    await readyRepository(world, "shop", "restic");
    const pod = await world.pod("shop", "web-restic", ["data"]);
    for (let i = 0; i < 12; i += 1)
      writeFileSync(join(pod.folders["data"] ?? "", `f${i}`), randomBytes(16 << 20));
    const made = await client.create<PodVolumeBackup>(
      resources.podVolumeBackups,
      copyOut(world, {
        podNamespace: world.space("shop"),
        pod: "web-restic",
        podUid: pod.uid,
        uploader: "restic",
      }),
    );
    const { name } = made.metadata;
    await eventually(
      () => moversOf(world.owner),
      (pids) => pids.length > 0,
    );
    await client.patch(
      resources.podVolumeBackups,
      name,
      { type: "merge", body: { spec: { cancel: true } } },
      { namespace },
    );
    const end = await eventually(
      () => client.get<PodVolumeBackup>(resources.podVolumeBackups, name, { namespace }),
      ({ status }) => isVolumeEnded(status),
      120_000,
    );
    expect(end.status).toMatchObject({ phase: "Canceled", message: "canceled: by request" });
    expect(end.metadata.finalizers ?? []).toEqual([]);
    expect(moversOf(world.owner)).toEqual([]);
  },
);

describe.each(uploaders)("a repository of %s in a bucket", (uploader) => {
  const mover = findTestMover(uploader);
  const skip = missingS3() ?? ("missing" in mover ? mover.missing : undefined);
  let s3: S3Server | undefined;
  beforeAll(async () => {
    if (skip === undefined) s3 = await startS3();
  }, 60_000);
  afterAll(() => s3?.stop());

  test.skipIf(skip)(`takes a volume and gives it back ${skip ?? ""}`, { timeout: 240_000 }, async () => {
    if (!s3) throw new Error("no server");
    const location = `bucket-${uploader}`;
    await bucketLocation(world, location, s3, uploader);
    await readyRepository(world, location, uploader, location);
    const pod = await world.pod(location, "web", ["data"]);
    const bytes = fillTree(pod.folders["data"] ?? "", [1_500_000, 9]);
    const podNamespace = world.space(location);
    const spec = { podNamespace, pod: "web", podUid: pod.uid, uploader, location };
    const pvb = await copied<PodVolumeBackup>(world, copyOut(world, spec));
    expect(pvb.status, pvb.status?.message).toMatchObject({
      phase: "Completed",
      progress: { totalBytes: bytes, bytesDone: bytes },
    });
    const target = await world.pod(location, "again", ["data"], heldBack);
    const to = { ...spec, pod: "again", podUid: target.uid };
    const from = {
      snapshotID: pvb.status?.snapshotID ?? "",
      sourceNamespace: podNamespace,
      snapshotSize: bytes,
    };
    const pvr = await copied<PodVolumeRestore>(world, copyBack(world, to, from));
    expect(pvr.status, pvr.status?.message).toMatchObject({ phase: "Completed" });
    expect(treeLines(target.folders["data"] ?? "")).toEqual(treeLines(pod.folders["data"] ?? ""));
  });
});
