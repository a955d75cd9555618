import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { allKinds, crdOf, type KubeObject } from "../../api/index.ts";
import { builtIn, type Client, isAlreadyExists, type Resource } from "../../kube/index.ts";
import {
  findMovers,
  install,
  type MoverKind,
  machine,
  moverCache,
  moverFolders,
  moverKinds,
  planInstall,
  quickestMover,
} from "../../movers/index.ts";
import { ownProgram } from "../../package.ts";
import { eventually } from "../demo/data.ts";
import type { Io } from "../io.ts";

/** Which program copies the volumes, and where it is. */
export interface ChosenMover {
  readonly kind: MoverKind;
  readonly folder: string;
}

const crds: Resource = builtIn.definitions;

/** The mover to use; gets one when the machine has none, saying what and why. */
export async function ensureMover(io: Io, signal: AbortSignal): Promise<ChosenMover> {
  for (const kind of moverKinds) {
    const [program] = findMovers(kind, moverFolders());
    if (program !== undefined) return { kind, folder: dirname(program) };
  }
  const kind = quickestMover();
  const plan = planInstall(kind, machine(process.env));
  io.err(`${kind} copies the volumes and is not on this machine; it is installed first (${plan.why})\n`);
  return { kind, folder: dirname(await install(kind, plan, moverCache(), signal)) };
}

/** What operator and agent are started with. */
export interface Programs {
  readonly folder: string;
  readonly mover: ChosenMover;
  readonly namespace: string;
  readonly node: string;
  readonly hostPods: string;
  /** The flags that name the cluster. */
  readonly access: readonly string[];
  /** Image with a shell for the containers that hold restored pods back. */
  readonly helperImage: string;
}

/** A program that was started beside a cluster. */
export interface Program {
  readonly name: "operator" | "agent";
  readonly pid: number;
}

/** Starts operator and agent as programs of their own; `end` ends them and waits. */
export function startPrograms({ folder, mover, namespace, node, hostPods, access, helperImage }: Programs): {
  readonly all: readonly Program[];
  readonly end: () => Promise<void>;
} {
  const temp = join(folder, "tmp");
  mkdirSync(temp, { recursive: true });
  const env = { ...process.env, PATH: `${mover.folder}:${process.env["PATH"] ?? ""}` };
  const common = [...access, "--namespace", namespace];
  const mode = ["--no-leader-election", "--uploader-type", mover.kind, "--temp-dir", temp];
  const work = [...mode, "--restore-helper-image", helperImage];
  const where = ["--node", node, "--host-pods", hostPods, "--state-dir", join(folder, "agent")];
  const programs = [
    start("operator", [...common, ...work], folder, env),
    start("agent", [...common, ...where], folder, env),
  ];
  return {
    all: programs.map(({ name, pid }) => ({ name, pid })),
    end: async () => void (await Promise.all(programs.map(({ end }) => end()))),
  };
}

/** The custom resources, the server's namespace and a place for backups. */
export async function installHere(
  client: Client,
  namespace: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  mkdirSync(join(folder, "bucket"), { recursive: true });
  for (const kind of allKinds) await make(client, crds, crdOf(kind), signal);
  await eventually("the custom resources are served", 30_000, signal, async () => {
    const { resources } = await client.discover(signal);
    const served = new Set(resources.map(({ group, version, plural }) => `${group}/${version}/${plural}`));
    return allKinds.every(({ group, version, plural }) => served.has(`${group}/${version}/${plural}`));
  });
  const namespaces = builtIn.namespaces;
  await make(
    client,
    namespaces,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    signal,
  );
  const location = {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", namespace },
    spec: {
      provider: "filesystem",
      default: true,
      config: { path: folder },
      objectStorage: { bucket: "bucket" },
    },
  };
  const resource = {
    group: "velero.io",
    version: "v1",
    plural: "backupstoragelocations",
    kind: location.kind,
    namespaced: true,
  };
  await make(client, resource, location, signal);
}

async function make(
  client: Client,
  resource: Resource,
  object: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.create(resource, object, {}, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Starts Headway once more; its words go to a file named after it. */
function start(
  name: Program["name"],
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
): Program & { readonly end: () => Promise<void> } {
  const file = openSync(join(folder, `${name}.log`), "a", 0o600);
  const child = spawn(process.execPath, [...ownProgram, name, ...args], {
    stdio: ["ignore", file, file],
    env,
  });
  closeSync(file);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = async () => {
    child.kill("SIGTERM");
    const insist = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(insist);
  };
  return { name, pid: child.pid ?? 0, end };
}
