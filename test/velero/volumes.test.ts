import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeObject, PodVolumeBackup, PodVolumeRestore } from "../../src/api/index.ts";
import { resources } from "../../src/engines/podvolume/index.ts";
import type { Resource } from "../../src/kube/index.ts";
import { findTestMover } from "../harness/movers.ts";
import { findPart } from "../harness/parts.ts";
import { missingS3, type S3Server, startS3 } from "../harness/s3.ts";
import { fillTree, treeLines } from "../harness/tree.ts";
import { runUpstream } from "../harness/upstream-program.ts";
import { bucketLocation, copied, copyBack, copyOut, heldBack } from "../harness/volume-copies.ts";
import { openVolumeWorld, readyRepository, type VolumeWorld } from "../harness/volume-world.ts";

// The data path of upstream's own program on our objects and repositories, and ours on what it wrote.
const found = findPart("velero", "HEADWAY_VELERO");
const [program, noVelero] = "program" in found ? [found.program] : ["", found.missing];
const kopia = findTestMover("kopia");
const skip = noVelero ?? missingS3() ?? ("missing" in kopia ? kopia.missing : undefined);

let world: VolumeWorld;
let s3: S3Server | undefined;
let stopAgent: (() => Promise<void>) | undefined;
beforeAll(async () => {
  if (skip !== undefined) return;
  world = await openVolumeWorld();
  stopAgent = world.agent();
  s3 = await startS3();
  await bucketLocation(world, "bucket", s3, `upstream-${world.node}`);
  await readyRepository(world, "shop", "kopia", "bucket");
}, 180_000);
afterAll(async () => {
  await stopAgent?.();
  await s3?.stop();
  await world?.close();
}, 60_000);

/** Runs upstream's data path for one object until its program ends; what it said. */
function dataPath(verb: "backup" | "restore", name: string, folder: string): Promise<string> {
  return upstream([
    "pod-volume",
    verb,
    `--volume-path=${folder}`,
    `--pod-volume-${verb}=${name}`,
    "--resource-timeout=1m",
  ]);
}

function upstream(args: readonly string[]): Promise<string> {
  return runUpstream({ ...world, program }, args);
}

/** Every snapshot in the repository, as kopia itself lists it. */
function manifests(): readonly Readonly<Record<string, unknown>>[] {
  const bin = "program" in kopia ? kopia.program : "";
  const { endpoint = "http://", bucket, accessKeyId, secretAccessKey } = s3 ?? {};
  const env = {
    PATH: process.env["PATH"],
    HOME: world.folder,
    KOPIA_PASSWORD: "static-passw0rd",
    KOPIA_CONFIG_PATH: join(world.folder, "by-hand.config"),
    KOPIA_CHECK_FOR_UPDATES: "false",
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  const place = [
    `--bucket=${bucket}`,
    `--prefix=upstream-${world.node}/kopia/${world.space("shop")}/`,
    `--endpoint=${new URL(endpoint).host}`,
    "--disable-tls",
  ];
  const run = (args: readonly string[]) => {
    const end = spawnSync(bin, args, { env, encoding: "utf8" });
    if (end.status !== 0) throw new Error(`kopia ${args.join(" ")}: ${end.stderr}`);
    return end.stdout;
  };
  run([
    "repository",
    "connect",
    "s3",
    ...place,
    "--override-username=default",
    "--override-hostname=default",
  ]);
  return JSON.parse(run(["snapshot", "list", "--all", "--json"])) as Record<string, unknown>[]; // kopia's own shape
}

async function inProgress(resource: Resource, object: object): Promise<string> {
  const { client, namespace } = world;
  const made = await client.create<KubeObject>(resource, object);
  const body = { status: { phase: "InProgress", node: "theirs" } };
  await client.patch(resource, made.metadata.name, { type: "merge", body }, { namespace });
  return made.metadata.name;
}

test.skipIf(skip)(`upstream restores what we copied ${skip ?? ""}`, { timeout: 240_000 }, async () => {
  const pod = await world.pod("shop", "ours", ["data"]);
  const folder = pod.folders["data"] ?? "";
  fillTree(folder, [900_000, 7]);
  const spec = {
    podNamespace: world.space("shop"),
    pod: "ours",
    podUid: pod.uid,
    uploader: "kopia",
    location: "bucket",
  } as const;
  const pvb = await copied<PodVolumeBackup>(world, copyOut(world, spec));
  expect(pvb.status, pvb.status?.message).toMatchObject({ phase: "Completed" });
  const from = { snapshotID: pvb.status?.snapshotID ?? "", sourceNamespace: world.space("shop") };
  const target = join(world.folder, "their-target");
  mkdirSync(target);
  const name = await inProgress(resources.podVolumeRestores, copyBack(world, spec, from));
  const said = await dataPath("restore", name, target);
  expect(treeLines(target), said).toEqual(treeLines(folder));
});

test.skipIf(skip)(`we restore what upstream copied ${skip ?? ""}`, { timeout: 240_000 }, async () => {
  const pod = await world.pod("shop", "theirs", ["data"]);
  const folder = pod.folders["data"] ?? "";
  fillTree(folder, [600_000, 9]);
  const spec = {
    podNamespace: world.space("shop"),
    pod: "theirs",
    podUid: pod.uid,
    uploader: "kopia",
    location: "bucket",
  } as const;
  const name = await inProgress(resources.podVolumeBackups, copyOut(world, { ...spec, node: "theirs" }));
  const said = await dataPath("backup", name, folder);
  const [, snapshotID = ""] = /and ID ([0-9a-f]{32})/.exec(said) ?? [];
  expect(snapshotID, said).not.toBe("");
  const [ours, theirs] = ["ours", "theirs"].map((pod) => {
    const path = `snapshot-pod-volume/kopia/${world.space("shop")}/${pod}/data`;
    const found = manifests().find(({ source }) => (source as { path: string }).path === path); // kopia's own shape
    const { host, userName } = (found?.["source"] ?? {}) as Record<string, unknown>; // likewise
    return { host, userName, description: found?.["description"], pins: found?.["pins"] };
  });
  expect(ours).toEqual({
    host: "default",
    userName: "default",
    description: "Kopia Uploader",
    pins: ["velero-pin"],
  });
  expect(theirs).toEqual(ours);
  const target = await world.pod("shop-again", "theirs", ["data"], heldBack);
  const to = { ...spec, podNamespace: world.space("shop-again"), podUid: target.uid };
  const pvr = await copied<PodVolumeRestore>(
    world,
    copyBack(world, to, { snapshotID, sourceNamespace: world.space("shop") }),
  );
  expect(pvr.status, pvr.status?.message).toMatchObject({ phase: "Completed" });
  expect(treeLines(target.folders["data"] ?? "")).toEqual(treeLines(folder));
});

test.skipIf(skip)(
  `upstream maintains our repository as its own ${skip ?? ""}`,
  { timeout: 240_000 },
  async () => {
    const args = ["repo-maintenance", "--repo-name", world.space("shop"), "--repo-type", "kopia"];
    const said = await upstream([...args, "--backup-storage-location", "bucket"]);
    expect(said).not.toMatch(/level=error/);
    expect(manifests().map(({ description }) => description)).toContain("Kopia Uploader");
  },
);
