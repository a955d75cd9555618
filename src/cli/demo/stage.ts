import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPlane } from "../../../packages/plane/index.ts";
import { AppError } from "../../errors.ts";
import { connect } from "../../kube/index.ts";
import { type ChosenMover, installHere, startPrograms } from "../local/programs.ts";
import type { Scene } from "./chapter.ts";

/** A cluster with Headway on it. */
export interface Stage
  extends Pick<Scene, "client" | "kubeconfig" | "entry" | "place" | "namespace" | "folder" | "image"> {
  /** Takes away what the demo left in a cluster that stays. */
  tidy(named: Scene["named"]): Promise<void>;
  close(): Promise<void>;
}

const noMounts =
  "the demo's pods need their volumes at their mount paths, and this system allows no mount namespaces: " +
  "run it as root on Linux, or allow user namespaces, or give the container the SYS_ADMIN capability; " +
  "`headway demo --context NAME` shows it on a cluster of yours";

/** Starts the embedded cluster in this process, and the operator and the agent as programs of their own beside it. */
export async function openStage(
  { name, folder, mover }: { readonly name: string; readonly folder: string; readonly mover: ChosenMover },
  signal: AbortSignal,
): Promise<Stage> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const plane = await startPlane({ stateDir: join(folder, "cluster"), name, node: true }, signal);
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
  const programs = startPrograms({
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
    entry: { name, url: plane.url, token: plane.token, ca: plane.ca },
    place: "embedded",
    namespace,
    folder,
    image,
    tidy: () => Promise.resolve(), // it goes as a whole
    async close() {
      await programs.end();
      client.close();
      await plane.close();
    },
  };
}
