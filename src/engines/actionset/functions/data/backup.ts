import { randomBytes } from "node:crypto";
import { AppError } from "../../../../errors.ts";
import type { Work } from "../../../../kinds/index.ts";
import { patiently } from "../../../../kube/index.ts";
import { plainText, recordOf } from "../../args.ts";
import { resources } from "../../core-objects.ts";
import { startingStep } from "../../pod/job.ts";
import { read } from "../../read-object.ts";
import type { Output } from "../../status.ts";
import type { Call, Func } from "../call.ts";
import { refuseResumed } from "../kube-exec.ts";
import { overAll } from "../over-all.ts";
import { type MoverResult, runByExec, runInPod, sizeText, summaryOf } from "./mover-run.ts";
import { repositoryAt } from "./repository.ts";
import { backupScript } from "./script.ts";

const version = "v0.0.0";

/** BackupData: the files of a container that is there already. */
export const backupData: Func = async (call) => {
  const { args, params, progress } = call;
  refuseResumed(call);
  const place = {
    namespace: args.need("namespace"),
    pod: args.need("pod"),
    container: args.need("container"),
  };
  const repository = repositoryAt(params.profile, args.need("backupArtifactPrefix"), keyOf(call));
  const tag = randomTag();
  progress.update({ step: `reading ${args.need("includePath")}` });
  const script = backupScript(repository, args.need("includePath"), tag, params.profile?.mover);
  const result = await runByExec(call, place, script, (news) => progress.update(news));
  progress.update(bytesOf(result));
  return { ...snapshotOf(result), backupTag: tag, version };
};

/** BackupDataAll: the same in every pod of the workload at the same time. */
export const backupDataAll: Func = async (call) => {
  const { args, params } = call;
  refuseResumed(call);
  const pods = args.has("pods") ? args.words("pods") : (params.workload?.pods ?? []);
  if (pods.length === 0)
    throw new AppError("ACTION_OBJECT", "there is no running pod to back up", { retry: false });
  const [namespace, container] = [args.need("namespace"), args.need("container")];
  const path = args.need("includePath");
  const infos = await overAll(call, "pods", pods, async (pod, _i, onProgress) => {
    const repository = repositoryAt(
      params.profile,
      `${args.need("backupArtifactPrefix")}/${pod}`,
      keyOf(call),
    );
    const tag = randomTag();
    const script = backupScript(repository, path, tag, params.profile?.mover);
    const result = await runByExec(call, { namespace, pod, container }, script, onProgress);
    onProgress(bytesOf(result));
    return { PodName: pod, BackupID: snapshotOf(result)["backupID"], BackupTag: tag };
  });
  return {
    BackupAllInfo: JSON.stringify(Object.fromEntries(infos.map((info, i) => [pods[i] ?? "", info]))),
    version,
  };
};

/** CopyVolumeData: the files of a claim, from a pod of its own. */
export const copyVolumeData: Func = async (call) => {
  const { args, params, deps, progress, signal } = call;
  const [namespace, volume] = [args.need("namespace"), args.need("volume")];
  const root = args.text("mountPath", `/mnt/vol_data/${volume}`);
  const repository = repositoryAt(params.profile, args.need("dataArtifactPrefix"), keyOf(call));
  const tag = plainText(call.before?.output["backupTag"]) || randomTag();
  progress.update({ step: call.before?.step ?? startingStep });
  await call.keep({ backupTag: tag });
  const claim = await patiently(
    () => read(deps.client, resources.claims, { name: volume, namespace }, signal),
    deps.clock,
    signal,
  );
  const modes = recordOf((claim as { spec?: unknown }).spec)["accessModes"];
  const result = await runInPod(
    call,
    {
      prefix: "copy-vol-data-",
      namespace,
      image: args.text("image", deps.options.toolsImage),
      volumes: { [volume]: root },
      ...(Array.isArray(modes) && modes.includes("ReadOnlyMany") && { readOnlyClaims: [volume] }),
      onProgress: (news) => progress.update(news),
    },
    backupScript(repository, root, tag, params.profile?.mover),
  );
  progress.update(bytesOf(result));
  return {
    ...snapshotOf(result),
    backupRoot: root,
    backupArtifactLocation: repository.artifact,
    backupTag: tag,
    version,
  };
};

/** The options of every function that opens a repository. */
export function keyOf({ args, deps }: Call) {
  return {
    encryptionKey: args.text("encryptionKey"),
    insecureTls: args.flag("insecureTLS", false),
    patienceMs: deps.options.repositoryMs,
  };
}

/** The outputs of a snapshot, in upstream's words, from either mover's result. */
function snapshotOf(result: MoverResult): Output {
  const { mover, sentBytes } = result;
  const { id, files, bytes, storedBytes, failed } = summaryOf(result);
  if (failed > 0)
    throw new AppError("ACTION_COMMAND", `${mover} could not read ${failed} files`, { retry: false });
  if (id === "")
    throw new AppError("ACTION_COMMAND", "the mover ended without naming its snapshot", { retry: false });
  return {
    backupID: id,
    fileCount: String(files),
    size: sizeText(bytes),
    phySize: sizeText(storedBytes ?? sentBytes ?? 0),
  };
}

/** The sizes of a snapshot that is done: a quick mover may never have told them. */
function bytesOf(result: MoverResult): Work {
  const { sentBytes } = result;
  const { bytes: total, addedBytes } = summaryOf(result);
  // A mover that told on its way what it had dealt with cannot say less at its end.
  const sent = Math.max(sentBytes ?? 0, Math.min(addedBytes ?? 0, total));
  return {
    ...(total > 0 && { uploadTotalBytes: total, progress: { unit: "bytes", done: total, total } }),
    ...(sent > 0 && { uploadedBytes: sent }),
  };
}

function randomTag(): string {
  return randomBytes(5).toString("hex");
}
