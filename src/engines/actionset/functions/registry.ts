import { AppError } from "../../../errors.ts";
import { argumentFaults, signatures } from "./arguments.ts";
import type { Func } from "./call.ts";
import {
  createSnapshot,
  createStaticSnapshot,
  deleteSnapshot,
  deleteSnapshotContent,
  restoreSnapshot,
} from "./csi-snapshot.ts";
import { backupData, backupDataAll, copyVolumeData } from "./data/backup.ts";
import {
  backupDataStats,
  checkRepository,
  deleteData,
  deleteDataAll,
  locationDelete,
} from "./data/maintain.ts";
import { restoreData, restoreDataAll } from "./data/restore.ts";
import { kubeExec, kubeExecAll } from "./kube-exec.ts";
import { kubeOps } from "./kube-ops.ts";
import { kubeTask, prepareData } from "./kube-task.ts";
import { multiContainerRun } from "./multi-container-run.ts";
import { scaleWorkload } from "./scale-workload.ts";
import { wait, waitV2 } from "./wait.ts";

/** Every function that is run here, by the name that blueprints use. */
const functions: Readonly<Record<string, Func>> = {
  CreateCSISnapshot: createSnapshot,
  CreateCSISnapshotStatic: createStaticSnapshot,
  RestoreCSISnapshot: restoreSnapshot,
  DeleteCSISnapshot: deleteSnapshot,
  DeleteCSISnapshotContent: deleteSnapshotContent,
  BackupData: backupData,
  BackupDataAll: backupDataAll,
  BackupDataStats: backupDataStats,
  CheckRepository: checkRepository,
  CopyVolumeData: copyVolumeData,
  DeleteData: deleteData,
  DeleteDataAll: deleteDataAll,
  RestoreData: restoreData,
  RestoreDataAll: restoreDataAll,
  LocationDelete: locationDelete,
  KubeExec: kubeExec,
  KubeExecAll: kubeExecAll,
  KubeOps: kubeOps,
  KubeTask: kubeTask,
  MultiContainerRun: multiContainerRun,
  PrepareData: prepareData,
  ScaleWorkload: scaleWorkload,
  Wait: wait,
  WaitV2: waitV2,
};

/** A function by name, once it is known that its arguments have the right names. */
export function functionFor(name: string, args: readonly string[]): Func {
  const [fault] = argumentFaults(name, args);
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (fault === undefined && found) return found;
  const isArgument = Object.hasOwn(signatures, name) && signatures[name]?.refused === undefined && found;
  throw new AppError(
    isArgument ? "ACTION_ARGUMENTS" : "ACTION_FUNCTION",
    fault ?? `function "${name}" is not run here`,
    {
      retry: false,
    },
  );
}

/** Arguments that a function renders itself. */
export function rendersItself(name: string): readonly string[] {
  return (Object.hasOwn(signatures, name) ? signatures[name]?.rendersItself : undefined) ?? [];
}
