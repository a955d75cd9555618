import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Plane } from "../../../packages/plane/index.ts";
import { type BackupStorageLocation, kinds } from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import { type Client, connect, resourceOf } from "../../kube/index.ts";
import { eventually } from "../demo/data.ts";
import type { Io } from "../io.ts";
import { ensureMover, installHere, startPrograms } from "./programs.ts";
import { type RunningProgram, startedAt } from "./run-file.ts";

/** Headway beside a cluster: an operator and an agent, and a location that is ready. */
export interface LocalServer {
  readonly context: string;
  readonly namespace: string;
  /** Logs, the files of the location, and what the agent keeps. */
  readonly folder: string;
  readonly programs: readonly RunningProgram[];
  readonly end: () => Promise<void>;
}

/** Where the objects of the server are. */
const namespace = "velero";
/** How long an operator may take to look at its location for the first time. */
const readyMs = 60_000;

/** Installs Headway on each cluster, starts its programs beside it and waits until a backup can be made. */
export async function startServers(
  folder: string,
  kubeconfig: string,
  planes: readonly { readonly name: string; readonly plane: Plane }[],
  io: Io,
  signal: AbortSignal,
): Promise<readonly LocalServer[]> {
  const mover = await ensureMover(io, signal);
  return Promise.all(
    planes.map(async ({ name, plane }) => {
      const own = join(folder, name, "server");
      mkdirSync(own, { recursive: true, mode: 0o700 });
      const client = await connect({ kubeconfig, context: name });
      try {
        await installHere(client, namespace, own, signal);
        const { all, end } = startPrograms({
          folder: own,
          mover,
          namespace,
          node: plane.node?.name ?? "",
          hostPods: plane.node?.podsDir ?? "",
          access: ["--kubeconfig", kubeconfig, "--context", name],
          helperImage: "docker.io/local/tools:1", // any name: pods are processes here
        });
        await untilReady(client, signal).catch(async (cause: unknown) => {
          await end();
          signal.throwIfAborted();
          throw new AppError("LOCAL_START", `${messageOf(cause)}; its log is in "${own}"`, { cause });
        });
        const programs = all.map((one) => ({ ...one, context: name, started: startedAt(one.pid) ?? "" }));
        return { context: name, namespace, folder: own, programs, end };
      } finally {
        client.close();
      }
    }),
  );
}

async function untilReady(client: Client, signal: AbortSignal): Promise<void> {
  await eventually("the operator has looked at its location", readyMs, signal, async () => {
    const locations = resourceOf(kinds.BackupStorageLocation);
    const found = await client.list<BackupStorageLocation>(locations, { namespace }, signal);
    return found.some(({ status }) => status?.phase === "Available");
  });
}
