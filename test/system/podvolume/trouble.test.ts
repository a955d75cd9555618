import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PodVolumeBackup, stallAnnotation } from "../../../src/api/index.ts";
import { resources } from "../../../src/engines/podvolume/index.ts";
import { isVolumeEnded } from "../../../src/kinds/index.ts";
import { eventually } from "../../harness/eventually.ts";
import { holdLock } from "../../harness/hold-lock.ts";
import { findTestMover } from "../../harness/movers.ts";
import { copied, copyOut } from "../../harness/volume-copies.ts";
import { openVolumeWorld, readyRepository, type VolumeWorld } from "../../harness/volume-world.ts";

// What an agent makes of a repository in trouble, with the real restic.
const found = findTestMover("restic");
const skip = "missing" in found ? found.missing : "";
const restic = "program" in found ? found.program : "";
const password = "static-passw0rd";
let world: VolumeWorld;
let stopAgent: (() => Promise<void>) | undefined;
let spec: { podNamespace: string; pod: string; podUid: string; uploader: "restic" };
beforeAll(async () => {
  world = await openVolumeWorld();
  const bin = join(world.folder, "bin");
  mkdirSync(bin);
  // The real restic; with the file "partial" beside it, one that could not read everything (recorded from 0.18).
  const error =
    '{"message_type":"error","error":{"message":"open /closed: permission denied"},"during":"archival","item":"/closed"}';
  writeFileSync(
    join(bin, "restic"),
    `#!/bin/sh\n'${restic}' "$@"\ncode=$?\ncase "$*" in *" backup "*) [ -f '${bin}/partial' ] && { echo '${error}' >&2; exit 3; };; esac\nexit $code\n`,
  );
  chmodSync(join(bin, "restic"), 0o755);
  stopAgent = world.agent({ folders: [bin] });
  if (skip !== "") return;
  await readyRepository(world, "shop", "restic");
  const pod = await world.pod("shop", "web", ["data"]);
  writeFileSync(join(pod.folders["data"] ?? "", "file"), "content");
  spec = { podNamespace: world.space("shop"), pod: "web", podUid: pod.uid, uploader: "restic" };
}, 180_000);
afterAll(async () => {
  await stopAgent?.();
  await world?.close();
}, 60_000);

const repository = () => join(world.folder, "store", "b", "restic", world.space("shop"));
const limit = { timeout: 240_000 };

async function begin(): Promise<() => Promise<PodVolumeBackup>> {
  const { client, namespace } = world;
  const made = await client.create<PodVolumeBackup>(resources.podVolumeBackups, copyOut(world, spec));
  return () => client.get<PodVolumeBackup>(resources.podVolumeBackups, made.metadata.name, { namespace });
}

const noteOf = ({ metadata }: PodVolumeBackup) => metadata.annotations?.[stallAnnotation] ?? "";
const isOver = ({ status }: PodVolumeBackup) => isVolumeEnded(status);

test.skipIf(skip)(`files that could not be read: completed, and told ${skip}`, limit, async () => {
  const partial = join(world.folder, "bin", "partial");
  writeFileSync(partial, "");
  const pvb = await copied<PodVolumeBackup>(world, copyOut(world, spec));
  rmSync(partial);
  expect(pvb.status).toMatchObject({
    phase: "Completed",
    message: "some files could not be read: open /closed: permission denied",
    snapshotID: expect.any(String),
  });
});

test.skipIf(skip)(`a lock that somebody holds is waited for, and told ${skip}`, limit, async () => {
  const holder = await holdLock(restic, repository(), password);
  const read = await begin();
  const waiting = await eventually(read, (pvb) => noteOf(pvb) !== "" || isOver(pvb), 60_000);
  expect(noteOf(waiting)).toContain('"lock-held"');
  holder.kill("SIGKILL");
  const end = await eventually(read, isOver, 120_000);
  expect(end.status, end.status?.message).toMatchObject({ phase: "Completed" });
  expect(noteOf(end)).toBe("");
});

test.skipIf(skip)(`a repository that is away is waited for, and told ${skip}`, limit, async () => {
  const away = join(world.folder, "away");
  renameSync(repository(), away);
  const read = await begin();
  const waiting = await eventually(read, (pvb) => noteOf(pvb) !== "" || isOver(pvb), 60_000);
  expect(noteOf(waiting)).toContain('"store-unreachable"');
  rmSync(repository(), { recursive: true, force: true });
  renameSync(away, repository());
  const end = await eventually(read, isOver, 120_000);
  expect(end.status, end.status?.message).toMatchObject({ phase: "Completed" });
});

test.skipIf(skip)(`a wrong password ends the copy at once, with the reason ${skip}`, limit, async () => {
  const { client, namespace } = world;
  const change = (text: string) =>
    client.patch(
      resources.secrets,
      "velero-repo-credentials",
      { type: "merge", body: { data: { "repository-password": Buffer.from(text).toString("base64") } } },
      { namespace },
    );
  await change("canary-other");
  const pvb = await copied<PodVolumeBackup>(world, copyOut(world, spec));
  await change(password);
  expect(pvb.status).toMatchObject({
    phase: "Failed",
    message: expect.stringMatching(/wrong password|no key found/),
  });
  expect(JSON.stringify(pvb)).not.toContain("canary-other");
});
