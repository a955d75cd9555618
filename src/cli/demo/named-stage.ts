import { hostname } from "node:os";
import { type BackupStorageLocation, kinds } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, isNotFound, type Resource, resourceOf } from "../../kube/index.ts";
import { openCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { type ChosenMover, installHere, startPrograms } from "../local/programs.ts";
import type { Scene } from "./chapter.ts";
import { eventually } from "./data.ts";
import { shopNamespace } from "./shop.ts";
import type { Stage } from "./stage.ts";

const namespaces: Resource = builtIn.namespaces;
const locations = resourceOf(kinds.BackupStorageLocation);

/** Where the demo's own programs are put, when it starts any. */
export interface NamedStageOptions {
  readonly folder: string;
  readonly mover: ChosenMover | undefined;
  readonly hostPods: string | undefined;
}

/** A cluster that was there before; `server` says who does the work in it. */
export async function openNamedStage(
  input: Input,
  io: Io,
  options: NamedStageOptions,
  signal: AbortSignal,
): Promise<Stage & { readonly server: string }> {
  const { client, namespace } = await openCluster(input, io);
  try {
    await refuseOldShop(client, signal);
    const end = await startServer(client, namespace, input, options, signal);
    const common = {
      client,
      kubeconfig: text(input, "kubeconfig") ?? "",
      namespace,
      place: "cluster",
    } as const;
    return {
      ...common,
      folder: options.folder,
      image: text(input, "image") ?? "",
      server: end
        ? "with an operator and an agent of this machine"
        : "with the server that is installed there",
      tidy: (named) => tidy(client, namespace, named),
      async close() {
        await end?.();
        client.close();
      },
    };
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Starts operator and agent here when the kubelet's folder is; otherwise somebody must be there to do the work. */
async function startServer(
  client: Client,
  namespace: string,
  input: Input,
  { folder, mover, hostPods }: NamedStageOptions,
  signal: AbortSignal,
): Promise<(() => Promise<void>) | undefined> {
  const ready = await readyLocation(client, namespace, signal);
  if (hostPods === undefined || mover === undefined) {
    if (ready) return undefined;
    throw new AppError(
      "DEMO_FAILED",
      `no server in namespace "${namespace}" has a default location that is available: install one with "headway install --apply" and ` +
        `"headway location create", or, where this machine is the node, name the kubelet's folder with --host-pods`,
      { retry: false },
    );
  }
  if (ready) {
    throw new AppError(
      "USAGE",
      `a server is already at work in namespace "${namespace}": leave --host-pods out, or name another namespace with -n`,
      { retry: false },
    );
  }
  await installHere(client, namespace, folder, signal);
  const access = ["kubeconfig", "context"].flatMap((flag) => {
    const value = text(input, flag);
    return value === undefined ? [] : [`--${flag}`, value];
  });
  const node = text(input, "node") ?? hostname();
  const { end } = startPrograms({
    folder,
    mover,
    namespace,
    node,
    hostPods,
    access,
    helperImage: text(input, "image") ?? "",
  });
  try {
    await eventually("the location is available", 60_000, signal, () =>
      readyLocation(client, namespace, signal),
    );
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

/** Whether some server looks after the default location: an available one has been looked at. */
async function readyLocation(client: Client, namespace: string, signal: AbortSignal): Promise<boolean> {
  try {
    const found = await client.list<BackupStorageLocation>(locations, { namespace }, signal);
    return found.some(({ spec, status }) => spec?.default === true && status?.phase === "Available");
  } catch (error) {
    if (isNotFound(error)) return false; // the kinds are not installed
    throw error;
  }
}

async function refuseOldShop(client: Client, signal: AbortSignal): Promise<void> {
  try {
    await client.get(namespaces, shopNamespace, {}, signal);
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  throw new AppError(
    "DEMO_FAILED",
    `namespace "${shopNamespace}" is already there, and the demo would destroy it: delete it first`,
    { retry: false },
  );
}

/** The shop goes, and the backup with its data; the server does that in its own time. */
async function tidy(client: Client, namespace: string, named: Scene["named"]): Promise<void> {
  const backupName = named("shop");
  const request = {
    apiVersion: "velero.io/v1",
    kind: "DeleteBackupRequest",
    metadata: { generateName: `${backupName}-`, namespace },
    spec: { backupName },
  };
  await client.delete(namespaces, shopNamespace);
  await client.create(resourceOf(kinds.DeleteBackupRequest), request);
  const signal = AbortSignal.timeout(180_000);
  await eventually("the demo's backup is deleted", 120_000, signal, async () => {
    const left = await client.list(resourceOf(kinds.Backup), { namespace }, signal);
    return left.every(({ metadata }) => metadata.name !== backupName);
  });
}
