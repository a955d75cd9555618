import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findMovers, install, machine, moverCache, moverFolders, planInstall } from "../../movers/index.ts";
import { Observer } from "../../observe/index.ts";
import { formatDuration } from "../../progress/index.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { bold, resourceFor, type Scene, tell } from "./chapter.ts";
import { allChapters } from "./chapters.ts";
import { followOne } from "./follow-one.ts";
import { servePage } from "./page.ts";
import { type DemoMover, openStage, type Stage } from "./stage.ts";

/** The whole story on a cluster of its own: a shop, a backup, a disaster, a restore, the proof. */
export async function runDemo(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const begun = Date.now();
  const say = (words: string) => io.out(bold(words, io.color));
  const folder = text(input, "state") ?? mkdtempSync(join(tmpdir(), "headway-demo-"));
  const mover = await ensureMover(io, signal);
  say("1. A cluster in this process, with Headway's operator and agent beside it");
  const stop = new AbortController();
  let keepFolder = given(input, "keep") || text(input, "state") !== undefined;
  const stage = await openStage(folder, mover, AbortSignal.any([signal, stop.signal]));
  const observer = new Observer({ client: stage.client });
  const both = AbortSignal.any([signal, stop.signal]);
  const observing = observer.run(both);
  const served = await servePage(stage.client, observer, given(input, "open"), io, both);
  try {
    io.out(`   kubeconfig ${stage.kubeconfig}, logs in ${folder}\n`);
    await observer.synced(signal);
    const megabytes = given(input, "fast") ? 60 : 400;
    await tell(allChapters(megabytes), sceneOf(stage, observer, megabytes, io, signal), say, 2);
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
    await Promise.all([observing, served.closed]);
    await stage.close();
    if (!keepFolder) rmSync(folder, { recursive: true, force: true });
  }
}

function sceneOf(stage: Stage, observer: Observer, megabytes: number, io: Io, signal: AbortSignal): Scene {
  const { client } = stage;
  return {
    ...stage,
    place: "embedded",
    megabytes,
    image: "docker.io/local/tools:1",
    signal,
    say: (words) => io.out(`   ${words}\n`),
    create: async (object) =>
      void (await client.create(await resourceFor(client, object, signal), object, {}, signal)),
    follow: (id) => followOne(observer, id, io, signal),
  };
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
