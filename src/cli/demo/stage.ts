import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allKinds, crdOf, type KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, connect, isAlreadyExists, type Resource } from "../../kube/index.ts";
import { startPlane } from "../../plane/index.ts";
import type { Scene } from "./chapter.ts";
import { eventually } from "./data.ts";

/** A cluster with Headway on it. */
export interface Stage
  extends Pick<Scene, "client" | "kubeconfig" | "place" | "namespace" | "folder" | "image"> {
  /** Takes away what the demo left in a cluster that stays. */
  tidy(named: Scene["named"]): Promise<void>;
  close(): Promise<void>;
}

/** Which program copies the volumes, and where it is. */
export interface DemoMover {
  readonly kind: "kopia" | "restic";
  readonly folder: string;
}

const launcher = join(import.meta.dirname, "../../../bin/headway.js");
const crds: Resource = builtIn.definitions;

const noMounts =
  "the demo's pods need their volumes at their mount paths, and this system allows no mount namespaces: " +
  "run it as root on Linux, or allow user namespaces, or give the container the SYS_ADMIN capability; " +
  "`headway demo --context NAME` shows it on a cluster of yours";

/** Starts the embedded cluster in this process, and the operator and the agent as programs of their own beside it. */
export async function openStage(folder: string, mover: DemoMover, signal: AbortSignal): Promise<Stage> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const plane = await startPlane({ stateDir: join(folder, "cluster"), node: true }, signal);
  if (!plane.node) throw new AppError("DEMO_FAILED", "the embedded cluster has no node here");
  if (plane.node.isolation === "none") {
    await plane.close();
    throw new AppError("DEMO_FAILED", noMounts);
  }
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, plane.kubeconfig(), { mode: 0o600 });
  const client = await connect({ kubeconfig });
  const namespace = "velero";
  await installHere(client, namespace, folder, signal);
  const { name: node, podsDir: hostPods } = plane.node;
  const image = "docker.io/local/tools:1"; // any name: pods are processes here
  const end = startPrograms({
    folder,
    mover,
    namespace,
    node,
    hostPods,
    access: ["--kubeconfig", kubeconfig],
    helperImage: image,
  });
  return {
    client,
    kubeconfig,
    place: "embedded",
    namespace,
    folder,
    image,
    tidy: () => Promise.resolve(), // it goes as a whole
    async close() {
      await end();
      client.close();
      await plane.close();
    },
  };
}

/** What operator and agent are started with. */
export interface Programs {
  readonly folder: string;
  readonly mover: DemoMover;
  readonly namespace: string;
  readonly node: string;
  readonly hostPods: string;
  /** The flags that name the cluster. */
  readonly access: readonly string[];
  /** Image with a shell for the containers that hold restored pods back. */
  readonly helperImage: string;
}

/** Starts operator and agent as programs of their own; the returned function ends them and waits. */
export function startPrograms({
  folder,
  mover,
  namespace,
  node,
  hostPods,
  access,
  helperImage,
}: Programs): () => Promise<void> {
  const temp = join(folder, "tmp");
  mkdirSync(temp, { recursive: true });
  const env = { ...process.env, PATH: `${mover.folder}:${process.env["PATH"] ?? ""}` };
  const common = [...access, "--namespace", namespace];
  const mode = ["--no-leader-election", "--uploader-type", mover.kind, "--temp-dir", temp];
  const work = [...mode, "--restore-helper-image", helperImage];
  const where = ["--node", node, "--host-pods", hostPods, "--state-dir", join(folder, "agent")];
  const programs = [
    start(["operator", ...common, ...work], join(folder, "operator.log"), env),
    start(["agent", ...common, ...where], join(folder, "agent.log"), env),
  ];
  return async () => void (await Promise.all(programs.map((end) => end())));
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

/** Starts Headway once more; the returned function ends it and waits. */
function start(args: readonly string[], log: string, env: NodeJS.ProcessEnv): () => Promise<void> {
  const file = openSync(log, "a", 0o600);
  const child = spawn(process.execPath, [launcher, ...args], { stdio: ["ignore", file, file], env });
  closeSync(file);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return async () => {
    child.kill("SIGTERM");
    const insist = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(insist);
  };
}
