import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PodVolumeBackup, PodVolumeRestore } from "../../../src/api/index.ts";
import type { Uploader } from "../../../src/engines/podvolume/index.ts";
import { findTestMover } from "../../harness/movers.ts";
import { fillTree, treeLines } from "../../harness/tree.ts";
import { copied, copyBack, copyOut, heldBack } from "../../harness/volume-copies.ts";
import { openVolumeWorld, readyRepository, type VolumeWorld } from "../../harness/volume-world.ts";

// Repositories as upstream lays them out, written and read with the movers' own command lines.
const password = "static-passw0rd";
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

const repositoryOf = (uploader: Uploader, namespace: string) =>
  join(world.folder, "store", "b", uploader, world.space(namespace));

/** Runs a mover by hand; its standard output. */
function cli(uploader: Uploader, args: readonly string[], cwd = world.folder): string {
  const found = findTestMover(uploader);
  const program = "program" in found ? found.program : "";
  const env = {
    PATH: process.env["PATH"],
    HOME: world.folder,
    RESTIC_PASSWORD: password,
    KOPIA_PASSWORD: password,
    KOPIA_CONFIG_PATH: join(world.folder, "by-hand.config"),
    KOPIA_CHECK_FOR_UPDATES: "false",
  };
  const end = spawnSync(program, args, { cwd, env, encoding: "utf8", maxBuffer: 1 << 24 });
  if (end.status !== 0) throw new Error(`${uploader} ${args.join(" ")}: ${end.stderr}`);
  return end.stdout;
}

async function filledPod(namespace: string, uploader: Uploader) {
  const pod = await world.pod(namespace, "web", ["data"]);
  fillTree(pod.folders["data"] ?? "", [400_000, 5, 70], uploader === "restic");
  const spec = { podNamespace: world.space(namespace), pod: "web", podUid: pod.uid, uploader };
  return { spec, folder: pod.folders["data"] ?? "" };
}

async function restoredTree(
  uploader: Uploader,
  namespace: string,
  snapshotID: string,
): Promise<readonly string[]> {
  const target = await world.pod(`${namespace}-again`, "web", ["data"], heldBack);
  const spec = { podNamespace: world.space(`${namespace}-again`), pod: "web", podUid: target.uid, uploader };
  const from = { snapshotID, sourceNamespace: world.space(namespace) };
  const pvr = await copied<PodVolumeRestore>(world, copyBack(world, spec, from));
  expect(pvr.status, pvr.status?.message).toMatchObject({ phase: "Completed" });
  return treeLines(target.folders["data"] ?? "");
}

const noRestic = missing("restic");
const noKopia = missing("kopia");
function missing(uploader: Uploader): string {
  const found = findTestMover(uploader);
  return "missing" in found ? found.missing : "";
}

test.skipIf(noRestic)(
  `a restic repository of upstream's shape is restored ${noRestic}`,
  { timeout: 120_000 },
  async () => {
    const { folder } = await filledPod("theirs-r", "restic");
    const repo = repositoryOf("restic", "theirs-r");
    mkdirSync(repo, { recursive: true });
    cli("restic", [`--repo=${repo}`, "init"]);
    const tags = ["backup=nightly", "ns=shop", "pod=web", "volume=data"].map((tag) => `--tag=${tag}`);
    cli("restic", [`--repo=${repo}`, "backup", ".", ...tags, "--host=velero", "--json"], folder);
    // Upstream keeps the short id.
    const [found] = JSON.parse(
      cli("restic", [
        `--repo=${repo}`,
        "snapshots",
        "--json",
        "--latest=1",
        "--tag=backup=nightly,volume=data",
      ]),
    ) as { short_id: string }[];
    await readyRepository(world, "theirs-r", "restic");
    expect(await restoredTree("restic", "theirs-r", found?.short_id ?? "")).toEqual(treeLines(folder));
  },
);

test.skipIf(noRestic)(
  `our restic snapshots carry upstream's identities, and restic restores them ${noRestic}`,
  { timeout: 120_000 },
  async () => {
    await readyRepository(world, "ours-r", "restic");
    const { spec, folder } = await filledPod("ours-r", "restic");
    const tags = {
      backup: "nightly",
      "backup-uid": "u1",
      ns: world.space("ours-r"),
      pod: "web",
      volume: "data",
    };
    const pvb = await copied<PodVolumeBackup>(world, copyOut(world, { ...spec, tags }));
    expect(pvb.status, pvb.status?.message).toMatchObject({ phase: "Completed" });
    const repo = `--repo=${repositoryOf("restic", "ours-r")}`;
    const [found, ...others] = JSON.parse(
      cli("restic", [repo, "snapshots", "--json", "--tag=backup=nightly,volume=data"]),
    ) as { id: string; hostname: string; tags: string[]; paths: string[] }[];
    expect(others).toEqual([]);
    expect(found).toMatchObject({ hostname: "velero", paths: [folder] });
    expect(found?.id.startsWith(pvb.status?.snapshotID ?? "none")).toBe(true);
    expect(new Set(found?.tags)).toEqual(
      new Set(Object.entries(tags).map(([key, value]) => `${key}=${value}`)),
    );
    const to = mkdtempSync(join(world.folder, "by-hand-"));
    cli("restic", [repo, "restore", pvb.status?.snapshotID ?? "", "--target=."], to);
    expect(treeLines(to)).toEqual(treeLines(folder));
  },
);

const identity = ["--override-username=default", "--override-hostname=default"];

test.skipIf(noKopia)(
  `a kopia repository of upstream's shape is restored ${noKopia}`,
  { timeout: 180_000 },
  async () => {
    const { folder } = await filledPod("theirs-k", "kopia");
    const repo = repositoryOf("kopia", "theirs-k");
    mkdirSync(repo, { recursive: true });
    cli("kopia", ["repository", "create", "filesystem", `--path=${repo}`, ...identity]);
    const source = `default@default:snapshot-pod-volume/kopia/${world.space("theirs-k")}/web/data`;
    const said = cli("kopia", [
      "snapshot",
      "create",
      folder,
      "--json",
      "--description=Kopia Uploader",
      `--override-source=${source}`,
      "--tags=snapshot-requester:pod-volume-backup-restore",
      "--tags=snapshot-uploader:kopia",
    ]);
    const { id } = JSON.parse(said) as { id: string };
    await readyRepository(world, "theirs-k", "kopia");
    expect(await restoredTree("kopia", "theirs-k", id)).toEqual(treeLines(folder));
  },
);

test.skipIf(noKopia)(
  `our kopia snapshots carry upstream's identities and mark, and kopia restores them ${noKopia}`,
  { timeout: 180_000 },
  async () => {
    await readyRepository(world, "ours-k", "kopia");
    const { spec, folder } = await filledPod("ours-k", "kopia");
    const pvb = await copied<PodVolumeBackup>(
      world,
      copyOut(world, { ...spec, tags: { backup: "nightly" } }),
    );
    expect(pvb.status, pvb.status?.message).toMatchObject({ phase: "Completed" });
    const repo = repositoryOf("kopia", "ours-k");
    expect(existsSync(join(repo, "udmrepo.Repository.f"))).toBe(true);
    cli("kopia", ["repository", "connect", "filesystem", `--path=${repo}`, ...identity]);
    const [found] = JSON.parse(cli("kopia", ["snapshot", "list", "--all", "--json"])) as object[];
    expect(found).toMatchObject({
      id: pvb.status?.snapshotID,
      source: {
        host: "default",
        userName: "default",
        path: `snapshot-pod-volume/kopia/${world.space("ours-k")}/web/data`,
      },
      description: "Kopia Uploader",
      pins: ["velero-pin"],
      // The program puts "tag:" in front of every tag, so upstream takes our snapshots for restores, not as parents.
      tags: {
        "tag:backup": "nightly",
        "tag:snapshot-requester": "snapshot-pod-volume",
        "tag:snapshot-uploader": "kopia",
      },
    });
    expect(JSON.parse(cli("kopia", ["maintenance", "info", "--json"]))).toMatchObject({
      owner: "default@default",
    });
    const to = mkdtempSync(join(world.folder, "by-hand-"));
    cli("kopia", ["snapshot", "restore", pvb.status?.snapshotID ?? "", to]);
    expect(treeLines(to)).toEqual(treeLines(folder));
  },
);
