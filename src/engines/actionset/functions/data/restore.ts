import { patiently } from "../../../../kube/index.ts";
import { badArgument, isRecord, plainText } from "../../args.ts";
import { type PodObject, resources } from "../../core-objects.ts";
import { startingStep } from "../../pod/job.ts";
import { read } from "../../read-object.ts";
import { claimsOf } from "../../resolve.ts";
import type { Output } from "../../status.ts";
import type { Call, Func } from "../call.ts";
import { overAll } from "../over-all.ts";
import { keyOf } from "./backup.ts";
import { runInPod, waitOf } from "./mover-run.ts";
import { repositoryAt } from "./repository.ts";
import { restoreScript } from "./script.ts";

/** RestoreData: a snapshot into the volumes of a pod, or into volumes that are named. */
export const restoreData: Func = async (call) => {
  const { args, params, progress } = call;
  const [id, tag] = [args.text("backupIdentifier"), args.text("backupTag")];
  if ((id === "") === (tag === ""))
    throw badArgument('function "RestoreData" needs one of "backupIdentifier" and "backupTag"');
  const [pod, hasVolumes] = [args.text("pod"), args.has("volumes")];
  if ((pod === "") === !hasVolumes)
    throw badArgument('function "RestoreData" needs one of "pod" and "volumes"');
  const namespace = args.need("namespace");
  const volumes = hasVolumes ? args.textMap("volumes") : await volumesOf(call, namespace, pod);
  const repository = repositoryAt(params.profile, args.need("backupArtifactPrefix"), keyOf(call));
  const wish = { id, tag, subPath: args.text("backupPath"), target: args.text("restorePath", "/") };
  progress.update({ step: call.before?.step ?? startingStep });
  const result = await runInPod(
    call,
    {
      prefix: "restore-data-",
      namespace,
      image: args.need("image"),
      volumes,
      repeatable: true,
      onProgress: (news) => progress.update(news),
    },
    restoreScript(repository, wish, params.profile?.mover),
  );
  return result.output;
};

/** RestoreDataAll: what BackupDataAll stored, into the volumes of each pod at the same time. */
export const restoreDataAll: Func = async (call) => {
  const { args, params, progress } = call;
  const [namespace, image] = [args.need("namespace"), args.need("image")];
  const infos = backupInfos(call);
  const pods = args.has("pods") ? args.words("pods") : (params.workload?.pods ?? [...infos.keys()]);
  const target = args.text("restorePath", "/");
  progress.update({ step: call.before?.step ?? startingStep });
  const outputs = await overAll(call, "pods", pods, async (pod, _i, onProgress) => {
    const info = infos.get(pod);
    if (!info) throw badArgument(`"backupInfo" says nothing about pod "${pod}"`);
    const repository = repositoryAt(
      params.profile,
      `${args.need("backupArtifactPrefix")}/${pod}`,
      keyOf(call),
    );
    const script = restoreScript(repository, { ...info, subPath: "", target }, params.profile?.mover);
    const volumes = await volumesOf(call, namespace, pod);
    const wanted = { prefix: "restore-data-all-", namespace, image, volumes, part: pod, onProgress };
    const where = { ...wanted, repeatable: true };
    return (await runInPod(call, { ...where, onWaiting: (...why) => onProgress(waitOf(...why)) }, script))
      .output;
  });
  return Object.assign({}, ...outputs) as Output;
};

/** Snapshots by pod, as BackupDataAll put them out. */
export function backupInfos({
  args,
}: Pick<Call, "args">): Map<string, { readonly id: string; readonly tag: string }> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(args.need("backupInfo"));
  } catch (cause) {
    throw badArgument('"backupInfo" is not what BackupDataAll puts out', cause);
  }
  if (!isRecord(parsed)) throw badArgument('"backupInfo" is not what BackupDataAll puts out');
  return new Map(
    Object.entries(parsed).map(([pod, info]) => {
      const { BackupID, BackupTag } = isRecord(info) ? info : {};
      return [pod, { id: plainText(BackupID), tag: plainText(BackupTag) }];
    }),
  );
}

async function volumesOf(
  { deps, signal }: Call,
  namespace: string,
  pod: string,
): Promise<Record<string, string>> {
  const found = await patiently(
    () => read<PodObject>(deps.client, resources.pods, { name: pod, namespace }, signal),
    deps.clock,
    signal,
  );
  return claimsOf(found);
}
