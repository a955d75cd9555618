import { join } from "node:path";
import {
  movedForgetter,
  moverFinder,
  podVolumeBackups,
  Repositories,
  RestoreVolumes,
  snapshotForgetter,
  type Uploader,
} from "../engines/podvolume/index.ts";
import { usualMover } from "../movers/index.ts";
import type { OperatorDeps } from "./deps.ts";

/** How pod volumes are copied. */
export interface PodVolumeOptions {
  readonly uploader?: Uploader | undefined;
  /** A copy of which nothing changes for so long is given up. */
  readonly noProgressMs?: number | undefined;
  /** The image of the container that holds restored pods back; it needs a shell. */
  readonly helperImage?: string | undefined;
  readonly helperPullPolicy?: string | undefined;
  /** The ConfigMap with the config of new repositories. */
  readonly repositoryConfigMap?: string | undefined;
  /** The ConfigMap for upstream's maintenance Jobs. */
  readonly maintenanceConfigMap?: string | undefined;
  /** Where movers are looked for. */
  readonly moverFolders?: readonly string[] | undefined;
}

/** What backups and restores are given to copy volumes with, around one keeper of repositories. */
export function podVolumesOf(
  deps: Pick<OperatorDeps, "client" | "cache" | "namespace" | "clock" | "log" | "tempDir">,
  options: PodVolumeOptions = {},
) {
  const mover = moverFinder({
    scratch: join(deps.tempDir, "headway-movers"),
    folders: options.moverFolders,
  });
  const given = {
    ...deps,
    mover,
    uploader: options.uploader ?? usualMover,
    noProgressMs: options.noProgressMs ?? 3_600_000,
    helperImage: options.helperImage ?? "headway",
    helperPullPolicy: options.helperPullPolicy,
    repositoryConfigMap: options.repositoryConfigMap,
    maintenanceConfigMap: options.maintenanceConfigMap,
  };
  const repositories = new Repositories(given);
  return {
    repositories,
    openPodVolumes: podVolumeBackups(given, repositories),
    podVolumes: new RestoreVolumes(given, repositories),
    beforeDelete: [snapshotForgetter(given)],
    forgetMoved: movedForgetter(given),
  };
}
