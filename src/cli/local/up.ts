import { spawn } from "node:child_process";
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../../errors.ts";
import { ownProgram } from "../../package.ts";
import type { Io } from "../io.ts";
import { findRunning, programsLeft, type Running, runFile, startedAt, stateFolder } from "./run-file.ts";
import { type LocalServer, startServers } from "./servers.ts";

/** How to start. */
export interface UpOptions {
  readonly clusters: 1 | 2;
  readonly foreground: boolean;
  /** Whether an operator and an agent run beside each cluster. */
  readonly withOperator: boolean;
  readonly folder?: string;
  readonly format?: string;
}

/** The longest that a start may take: a slow disk, many objects. */
const limitMs = 120_000;

/** Starts the embedded cluster, or finds it running, and prints how to reach it. */
export async function up(options: UpOptions, io: Io, signal: AbortSignal): Promise<number> {
  const folder = stateFolder(options.folder, io);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const running = findRunning(folder);
  if (running) {
    if (running.clusters.length !== options.clusters && options.clusters === 2) {
      throw new AppError(
        "LOCAL_RUNNING",
        `one cluster runs with "${folder}", not two: \`headway local down\` first`,
        { retry: false },
      );
    }
    if (options.withOperator && running.programs === undefined) {
      throw new AppError(
        "LOCAL_RUNNING",
        `the cluster that runs with "${folder}" has no operator: \`headway local down\` first`,
        { retry: false },
      );
    }
    await print(running, options.format, io);
    return 0;
  }
  for (const { pid } of programsLeft(folder)) process.kill(pid, "SIGTERM"); // of a cluster that was killed
  if (options.foreground) return serve(folder, options, io, signal);
  await print(await launch(folder, options, signal), options.format, io);
  return 0;
}

/** Starts this very command again as a process of its own and waits until it says that it is ready. */
async function launch(folder: string, options: UpOptions, signal: AbortSignal): Promise<Running> {
  const log = join(folder, "plane.log");
  const out = openSync(log, "a");
  const before = fstatSync(out).size;
  const args = ["local", "up", "--foreground", "--state", folder, "--clusters", String(options.clusters)];
  if (options.withOperator) args.push("--with-operator");
  const child = spawn(process.execPath, [...ownProgram, ...args], {
    detached: true,
    stdio: ["ignore", out, out],
  });
  closeSync(out);
  let exited = false;
  child.on("exit", () => {
    exited = true;
  });
  child.unref();
  for (const begun = performance.now(); performance.now() - begun < limitMs; ) {
    const running = findRunning(folder);
    if (running) return running;
    // Whoever came first holds the state and is about to say that it is ready.
    if (exited && !said(log, before).includes("database is locked")) break;
    await delay(10, undefined, { signal });
  }
  throw new AppError("LOCAL_START", `the embedded cluster did not start, its log says: ${said(log, before)}`);
}

/** The end of what was written to the log since then. */
function said(log: string, from: number): string {
  const text = readFileSync(log).subarray(from).toString().trim();
  return text === "" ? "nothing" : JSON.stringify(text.slice(-500));
}

/** Is the cluster until interrupted. */
async function serve(folder: string, options: UpOptions, io: Io, signal: AbortSignal): Promise<number> {
  const { kubeconfigOf, startPlane } = await import("../../../packages/plane/index.ts");
  const names = options.clusters === 2 ? ["blue", "green"] : ["headway-local"];
  const planes = await Promise.all(
    names.map(async (name) => ({
      name,
      plane: await startPlane({ stateDir: join(folder, name), name, port: await portOf(folder, name) }),
    })),
  );
  const kubeconfig = join(folder, "kubeconfig");
  const entries = planes.map(({ name, plane }) => ({
    name,
    url: plane.url,
    token: plane.token,
    ca: plane.ca,
  }));
  writeFileSync(kubeconfig, kubeconfigOf(entries, names[0] ?? ""), { mode: 0o600 });
  const servers = options.withOperator ? await startServers(folder, kubeconfig, planes, io, signal) : [];
  const running: Running = {
    pid: process.pid,
    started: startedAt(process.pid) ?? "",
    kubeconfig,
    clusters: planes.map(({ name, plane }) => ({
      context: name,
      url: plane.url,
      node: plane.node?.name ?? "",
      hostPods: plane.node?.podsDir ?? "",
      volumes: plane.node?.isolation ?? "none",
      ...serverOf(servers, name),
    })),
    ...(options.withOperator && { programs: servers.flatMap(({ programs }) => programs) }),
  };
  for (const { name, plane } of planes) writeFileSync(join(folder, name, "port"), new URL(plane.url).port);
  // Written beside and renamed: whoever waits for it never reads half of it.
  writeFileSync(`${runFile(folder)}.new`, JSON.stringify(running));
  renameSync(`${runFile(folder)}.new`, runFile(folder));
  if (options.foreground && options.format === undefined) await print(running, undefined, io);
  await new Promise<void>((done) => {
    signal.addEventListener("abort", () => done(), { once: true });
    if (signal.aborted) done();
  });
  rmSync(runFile(folder), { force: true });
  await Promise.all(servers.map(({ end }) => end()));
  await Promise.all(planes.map(({ plane }) => plane.close()));
  return 0;
}

/** The port of the last time, so that a kubeconfig copied elsewhere stays good; any other when it is taken. */
async function portOf(folder: string, name: string): Promise<number> {
  let port: number;
  try {
    port = Number(readFileSync(join(folder, name, "port"), "utf8"));
  } catch {
    return 0;
  }
  const { createServer } = await import("node:net");
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(0));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(port)));
  });
}

async function print(running: Running, format: string | undefined, io: Io): Promise<void> {
  if (format !== undefined) {
    const { structured } = await import("../render/structured.ts");
    const contexts = running.clusters.map((cluster) => cluster.context);
    io.out(
      await structured(
        { kubeconfig: running.kubeconfig, contexts, pid: running.pid, clusters: running.clusters },
        format,
      ),
    );
    return;
  }
  io.out(`${running.kubeconfig}\n`);
  for (const { context, url, node, volumes } of running.clusters) {
    io.err(
      `context ${context}: ${url}, node ${node}${volumes === "none" ? " (no mount namespaces here: volumes are not at their mount paths)" : ""}\n`,
    );
  }
  io.err(nextSteps(running));
}

function serverOf(servers: readonly LocalServer[], name: string) {
  const server = servers.find(({ context }) => context === name);
  return server && { server: { namespace: server.namespace, folder: server.folder } };
}

/** What to type next; without an operator nobody would do the work. */
function nextSteps({ kubeconfig, programs }: Running): string {
  const lines =
    programs === undefined
      ? ["nothing takes backups here yet: `headway local down`, then `headway local up --with-operator`"]
      : [
          "next:",
          `  export KUBECONFIG=${kubeconfig}`,
          "  headway backup create first --include-namespaces default --wait",
        ];
  return `${lines.join("\n")}\n`;
}
