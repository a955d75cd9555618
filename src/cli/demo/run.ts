import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Observer, openClusterView } from "../../observe/index.ts";
import { formatDuration } from "../../progress/index.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { ensureMover } from "../local/programs.ts";
import { bold, resourceFor, type Scene, tell } from "./chapter.ts";
import { allChapters } from "./chapters.ts";
import { followOne } from "./follow-one.ts";
import { openNamedStage } from "./named-stage.ts";
import { servePage } from "./page.ts";
import { shopNamespace } from "./shop.ts";
import { openStage, type Stage } from "./stage.ts";

/** The whole story: a shop, a backup, a disaster, a restore, the proof, and what else can be told there. */
export async function runDemo(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const begun = Date.now();
  const say = (words: string) => io.out(bold(words, io.color));
  const folder = text(input, "state") ?? mkdtempSync(join(tmpdir(), "headway-demo-"));
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const keep = given(input, "keep");
  let keepFolder = text(input, "state") !== undefined;
  const stage = await openAny(input, io, folder, either).catch((error: unknown) => {
    if (!keepFolder) rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const view = openClusterView({ client: stage.client, serverNamespace: stage.namespace });
  const observing = view.run(either);
  const served = await servePage(stage.client, view.observer, given(input, "open"), io, either);
  const closes: (() => Promise<void>)[] = [];
  const atEnd = (close: () => Promise<void>) => void closes.push(close);
  const scene = { ...sceneOf(stage, view.observer, given(input, "fast") ? 60 : 400, io, signal), atEnd };
  try {
    await view.observer.synced(signal);
    await tell(allChapters(scene.megabytes), scene, say, 2);
    say(`Done in ${formatDuration((Date.now() - begun) / 1000)}. What to try next:`);
    io.out(nextSteps(stage, keep));
    if (keep && stage.place === "embedded") await untilStopped(io, signal);
    if (!keep) await stage.tidy((name) => scene.named(name));
  } catch (error) {
    if (stage.place === "cluster") io.err(leftBehind(stage, scene.named("shop")));
    // A story that was cut short did not end well: the exit code says so.
    if (signal.aborted) throw signal.reason;
    keepFolder = true;
    if (existsSync(join(folder, "operator.log"))) io.err(`logs of operator and agent: ${folder}\n`);
    throw error;
  } finally {
    stop.abort();
    await Promise.all([observing, served.closed]);
    for (const close of closes) await close();
    await stage.close();
    if (!keepFolder) rmSync(folder, { recursive: true, force: true });
    else if (stage.place === "embedded") io.err(`what the demo left is in ${folder}\n`);
  }
}

/** The cluster that was named, or one of our own. */
async function openAny(input: Input, io: Io, folder: string, signal: AbortSignal): Promise<Stage> {
  const isNamed = text(input, "context") !== undefined || text(input, "kubeconfig") !== undefined;
  const hostPods = text(input, "host-pods");
  const mover = isNamed && hostPods === undefined ? undefined : await ensureMover(io, signal);
  if (!isNamed && mover) {
    io.out(bold("1. A cluster in this process, with Headway's operator and agent beside it", io.color));
    const stage = await openStage({ name: "blue", folder, mover }, signal);
    io.out(`   kubeconfig: ${stage.kubeconfig}\n   logs: ${folder}\n`);
    return stage;
  }
  io.out(bold("1. A cluster that is there", io.color));
  const stage = await openNamedStage(input, io, { folder, mover, hostPods }, signal);
  io.out(`   ${stage.server}, namespace ${stage.namespace}\n`);
  return stage;
}

function sceneOf(
  stage: Stage,
  observer: Observer,
  megabytes: number,
  io: Io,
  signal: AbortSignal,
): Omit<Scene, "atEnd"> {
  const { client } = stage;
  const id = randomUUID().slice(0, 6);
  return {
    ...stage,
    megabytes,
    signal,
    named: (name) => (stage.place === "embedded" ? name : `${name}-${id}`),
    say: (words) => io.out(`   ${words}\n`),
    create: async (object) =>
      void (await client.create(await resourceFor(client, object, signal), object, {}, signal)),
    follow: (operation) => followOne(observer, operation, io, signal),
  };
}

function nextSteps({ kubeconfig, place }: Stage, keep: boolean): string {
  const look = ["headway get operations -o wide", "headway watch"];
  const lines =
    place === "cluster"
      ? look
      : keep
        ? [
            `export KUBECONFIG=${kubeconfig}`,
            ...look,
            `headway backup create again --include-namespaces ${shopNamespace} --default-volumes-to-fs-backup --wait`,
            "headway backup describe again",
            "headway --context green get operations",
          ]
        : ["headway demo --keep        keeps both clusters running for you to look around", "headway --help"];
  return `${lines.map((line) => `   ${line}`).join("\n")}\n`;
}

/** A story that was cut short leaves its props on somebody's cluster: they are for a look, then to be thrown away. */
function leftBehind({ namespace }: Stage, backup: string): string {
  return (
    `the shop stays for a look; to remove it: kubectl delete namespace ${shopNamespace}; ` +
    `headway backup delete ${backup} -n ${namespace} --confirm\n`
  );
}

async function untilStopped(io: Io, signal: AbortSignal): Promise<void> {
  io.out("   Both clusters run until Ctrl-C, which ends them and removes what they hold\n");
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
