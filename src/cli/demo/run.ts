import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type KubeObject, kinds } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, isNotFound, type Resource, resourceOf } from "../../kube/index.ts";
import { findMovers, install, machine, moverCache, moverFolders, planInstall } from "../../movers/index.ts";
import { Observer } from "../../observe/index.ts";
import { formatDuration, type Operation } from "../../progress/index.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { paint } from "../render/text.ts";
import { checksums, differences, eventually, untilFilled } from "./data.ts";
import { followOne } from "./follow-one.ts";
import { shopManifests, shopNamespace } from "./shop.ts";
import { type DemoMover, openStage, type Stage } from "./stage.ts";

const namespaces: Resource = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
};

/** The whole story on a cluster of its own: a shop, a backup, a disaster, a restore, the proof. */
export async function runDemo(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const begun = Date.now();
  const say = (words: string) => io.out(`${paint(words, "bold", io.color)}\n`);
  const folder = text(input, "state") ?? mkdtempSync(join(tmpdir(), "headway-demo-"));
  const mover = await ensureMover(io, signal);
  say("1. A cluster in this process, with Headway's operator and agent beside it");
  const stop = new AbortController();
  let keepFolder = given(input, "keep") || text(input, "state") !== undefined;
  const stage = await openStage(folder, mover, AbortSignal.any([signal, stop.signal]));
  const observer = new Observer({ client: stage.client });
  const observing = observer.run(AbortSignal.any([signal, stop.signal]));
  try {
    io.out(`   kubeconfig ${stage.kubeconfig}, logs in ${folder}\n`);
    await observer.synced(signal);
    await story(stage, observer, given(input, "fast") ? 60 : 400, io, signal);
    say(`Done in ${formatDuration((Date.now() - begun) / 1000)}. What to try next:`);
    io.out(nextSteps(stage, given(input, "keep")));
    if (given(input, "keep")) await untilStopped(io, signal);
  } catch (error) {
    // A story that was cut short did not end well: the exit code says so.
    if (signal.aborted) throw signal.reason;
    keepFolder = true;
    io.err(`logs of operator and agent: ${folder}\n`);
    throw error;
  } finally {
    stop.abort();
    await observing;
    await stage.close();
    if (!keepFolder) rmSync(folder, { recursive: true, force: true });
  }
}

async function story(
  stage: Stage,
  observer: Observer,
  megabytes: number,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const { client } = stage;
  const say = (words: string) => io.out(`${paint(words, "bold", io.color)}\n`);
  say(`2. A small shop with ${megabytes} MB of data in two volumes`);
  for (const manifest of shopManifests(megabytes, "docker.io/local/tools:1")) {
    await client.create(await resourceFor(client, manifest, signal), manifest, {}, signal);
  }
  await untilFilled(client, 180_000, signal);
  const before = await checksums(client, signal);
  io.out(`   ${before.size} files written\n`);

  say("3. A backup");
  await createRun(
    client,
    "Backup",
    "shop",
    { includedNamespaces: [shopNamespace], defaultVolumesToFsBackup: true },
    signal,
  );
  report(await followOne(observer, "backup/velero/shop", io, signal), io);

  say(`4. A disaster: namespace ${shopNamespace} is deleted, with everything in it`);
  await client.delete(namespaces, shopNamespace, {}, signal);
  await eventually("the namespace is gone", 120_000, signal, () => isGone(client, signal));

  say("5. A restore");
  await createRun(client, "Restore", "shop", { backupName: "shop" }, signal);
  report(await followOne(observer, "restore/velero/shop", io, signal), io);

  say("6. The proof");
  await untilFilled(client, 120_000, signal);
  const faults = differences(before, await checksums(client, signal));
  if (faults.length > 0) {
    throw new AppError("DEMO_FAILED", `the data are not what they were: ${faults.slice(0, 5).join(", ")}`);
  }
  io.out(`   every byte is back: ${before.size} files with the same checksums\n`);
}

function report(operation: Operation, io: Io): void {
  const { startedAt = 0, finishedAt = 0 } = operation;
  io.out(`   ${operation.title} ${operation.state} in ${formatDuration((finishedAt - startedAt) / 1000)}\n`);
}

async function createRun(
  client: Client,
  kind: "Backup" | "Restore",
  name: string,
  spec: object,
  signal: AbortSignal,
): Promise<void> {
  const object = { apiVersion: "velero.io/v1", kind, metadata: { name, namespace: "velero" }, spec };
  await client.create(resourceOf(kinds[kind]), object, {}, signal);
}

async function isGone(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(namespaces, shopNamespace, {}, signal);
    return false;
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

async function resourceFor(client: Client, object: KubeObject, signal: AbortSignal): Promise<Resource> {
  const { resources } = await client.discover(signal);
  const found = resources.find(
    ({ group, version, kind }) =>
      kind === object.kind && (group === "" ? version : `${group}/${version}`) === object.apiVersion,
  );
  if (!found)
    throw new AppError("DEMO_FAILED", `the cluster does not serve ${object.apiVersion} ${object.kind}`);
  return found;
}

/** The mover to use; gets kopia or restic when the machine has none, saying what and why. */
async function ensureMover(io: Io, signal: AbortSignal): Promise<DemoMover> {
  for (const kind of ["kopia", "restic"] as const) {
    const [program] = findMovers(kind, moverFolders());
    if (program !== undefined) return { kind, folder: dirname(program) };
  }
  const plan = planInstall("restic", machine(process.env));
  io.out(`restic copies the volumes and is not on this machine; it is installed first (${plan.why})\n`);
  return { kind: "restic", folder: dirname(await install("restic", plan, moverCache(), signal)) };
}

function nextSteps({ kubeconfig }: Stage, keep: boolean): string {
  const lines = keep
    ? [
        `export KUBECONFIG=${kubeconfig}`,
        "kubectl get backups,restores,podvolumebackups -n velero",
        "headway get operations -o wide",
        "headway watch",
      ]
    : ["headway demo --keep        keeps this cluster running for you to look around", "headway --help"];
  return `${lines.map((line) => `   ${line}`).join("\n")}\n`;
}

async function untilStopped(io: Io, signal: AbortSignal): Promise<void> {
  io.out("   Ctrl-C ends it all\n");
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
