import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "../../src/api/index.ts";
import { resources, type Uploader } from "../../src/engines/podvolume/index.ts";
import { agentShows } from "../harness/node-world.ts";
import { inProgress, prepareServer, readyRepository } from "../harness/volume-world.ts";
import type { Program } from "./program.ts";
import type { Stage } from "./stage.ts";

/**
 * A second namespace of a server in which an agent runs and no operator: a Backup and a Restore stay in progress there, so that
 * the agent alone stands between a forged object and the node.
 */
export interface Lone {
  readonly namespace: string;
  readonly agent: Program;
  readonly askers: { readonly backup: KubeObject; readonly restore: KubeObject };
  /** The folder of its storage location. */
  readonly store: string;
}

/** Opens it, with repositories for the victim's namespace. */
export async function openLone(stage: Stage): Promise<Lone> {
  const { client, folder } = stage;
  const namespace = await stage.space("lone");
  const store = join(folder, "lone-store");
  mkdirSync(store);
  await prepareServer(client, namespace, store);
  const askers = {
    backup: await inProgress(client, resources.backups, "Backup", namespace),
    restore: await inProgress(client, resources.restores, "Restore", namespace),
  };
  const world = { client, namespace, folder, space: () => stage.victim.namespace };
  for (const uploader of ["restic", "kopia"] satisfies Uploader[]) {
    await readyRepository(world, "victim", uploader);
  }
  const agent = stage.agentOf(namespace);
  await agentShows({ client, namespace, node: stage.node });
  return { namespace, agent, askers, store };
}
