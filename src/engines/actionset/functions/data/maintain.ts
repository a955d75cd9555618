import { badArgument, plainText, recordOf } from "../../args.ts";
import { startingStep } from "../../pod/job.ts";
import type { Output } from "../../status.ts";
import type { Call, Func } from "../call.ts";
import { keyOf } from "./backup.ts";
import { countOf, type MoverPod, runInPod, sizeText, summaryOf, waitOf } from "./mover-run.ts";
import { insideBucket, profileStore, repositoryAt } from "./repository.ts";
import { backupInfos } from "./restore.ts";
import { checkScript, deleteScript, type MoverScript, statsScript } from "./script.ts";

const version = "v0.0.0";
/** A store that is silent for so long is told, and again each time. */
const silenceMs = 5_000;

/** DeleteData: snapshots by id or tag, each with its own prefix if there are several. */
export const deleteData: Func = async (call) => {
  const { args, params } = call;
  const [ids, tags] = [args.words("backupID"), args.words("backupTag")];
  if ((ids.length === 0) === (tags.length === 0))
    throw badArgument('function "DeleteData" needs one of "backupID" and "backupTag"');
  const prefixes = args.words("backupArtifactPrefix");
  const wanted = ids.length > 0 ? ids.map((id) => ({ id, tag: "" })) : tags.map((tag) => ({ id: "", tag }));
  if (prefixes.length > 1 && prefixes.length !== wanted.length) {
    throw badArgument(`there are ${prefixes.length} prefixes for ${wanted.length} snapshots`);
  }
  const groups =
    prefixes.length > 1
      ? prefixes.map((prefix, i) => ({ prefix, what: wanted.slice(i, i + 1) }))
      : [{ prefix: prefixes[0] ?? "", what: wanted }];
  const scripts = groups.map(({ prefix, what }) =>
    deleteScript(
      repositoryAt(params.profile, prefix, keyOf(call)),
      what,
      args.flag("reclaimSpace", false),
      params.profile?.mover,
    ),
  );
  return deleteAll(call, "delete-data-", scripts);
};

/** DeleteDataAll: everything that BackupDataAll stored. */
export const deleteDataAll: Func = async (call) => {
  const { args, params } = call;
  const scripts = [...backupInfos(call)].map(([pod, info]) => {
    const repository = repositoryAt(
      params.profile,
      `${args.need("backupArtifactPrefix")}/${pod}`,
      keyOf(call),
    );
    return deleteScript(repository, [info], args.flag("reclaimSpace", false), params.profile?.mover);
  });
  return deleteAll(call, "delete-data-all-", scripts);
};

/** BackupDataStats: how large a snapshot is. */
export const backupDataStats: Func = async (call) => {
  const { args, params } = call;
  const mode = args.text("statsMode", "restore-size");
  const repository = repositoryAt(params.profile, args.need("backupArtifactPrefix"), keyOf(call));
  const script = statsScript(repository, args.need("backupID"), mode, params.profile?.mover);
  const where = { prefix: "backup-data-stats-", namespace: args.need("namespace"), repeatable: true };
  const { files, bytes } = summaryOf(await inPod(call, where, script));
  return { mode, fileCount: String(files), size: sizeText(bytes), version };
};

/** CheckRepository: whether it is there and the key opens it. */
export const checkRepository: Func = async (call) => {
  const { args, params, deps } = call;
  const repository = repositoryAt(params.profile, args.need("backupArtifactPrefix"), keyOf(call));
  const where = { prefix: "check-repository-", namespace: deps.namespace, repeatable: true };
  const { json } = await inPod(call, where, checkScript(repository, params.profile?.mover));
  return {
    passwordIncorrect: String(json["password"] === true),
    repoUnavailable: String(json["unavailable"] === true),
    version,
  };
};

/** LocationDelete: every object of an artifact. A name is a folder or an object, never the beginning of others. */
export const locationDelete: Func = async (call) => {
  const { args, params, progress, signal } = call;
  const { profile } = params;
  const store = await profileStore(profile);
  const inside = insideBucket(profile?.location.bucket ?? "", args.need("artifact"));
  const prefix = (profile?.location.prefix ?? "").replace(/^\/+|\/+$/g, "");
  const key =
    prefix === "" || inside === prefix || inside.startsWith(`${prefix}/`) ? inside : `${prefix}/${inside}`;
  if (key === "" || key === prefix)
    throw badArgument(`"artifact" names the whole place of profile "${profile?.name}"`);
  progress.update({ step: `deleting ${key}` });
  await answered(call, store.place, store.delete(key, signal));
  await store.deletePrefix(`${key}/`, signal);
  return {};
};

/** Waits for the answer to one request, and tells how long it is waited for. */
async function answered<T>({ deps, progress }: Call, place: string, asked: Promise<T>): Promise<T> {
  const since = deps.clock.monotonic();
  const tell = () => {
    const seconds = Math.round((deps.clock.monotonic() - since) / 1000);
    progress.update(waitOf(`${place} has not answered for ${seconds} s`, "store-unreachable"));
    cancel = deps.clock.after(silenceMs, tell);
  };
  let cancel = deps.clock.after(silenceMs, tell);
  try {
    return await asked;
  } finally {
    cancel();
    progress.update(waitOf(undefined));
  }
}

/** Scripts one after another; how many are done outlives a restart, since a snapshot can be deleted only once. */
async function deleteAll(call: Call, prefix: string, scripts: readonly MoverScript[]): Promise<Output> {
  const { args, progress } = call;
  const before = recordOf(call.before?.output["done"]);
  let freed = countOf(before["freedBytes"]);
  let words = plainText(before["freed"]);
  const namespace = args.need("namespace");
  for (const [i, script] of scripts.entries()) {
    if (i < countOf(before["count"])) continue;
    const part = scripts.length > 1 ? `${i}` : undefined;
    const { json } = await inPod(call, { prefix, namespace, ...(part !== undefined && { part }) }, script);
    freed += countOf(json["freedBytes"]);
    words = plainText(json["freed"]) || words;
    if (part === undefined) continue;
    progress.update({ progress: { unit: "steps", done: i + 1, total: scripts.length } });
    await call.keep({ done: { count: i + 1, freedBytes: freed, freed: words } });
  }
  return { spaceFreed: words || sizeText(freed) };
}

/** A short script in a pod of the tools' image, through its three steps. */
async function inPod(
  call: Call,
  where: Pick<MoverPod, "prefix" | "namespace" | "part" | "repeatable">,
  script: MoverScript,
) {
  const { args, deps, progress } = call;
  const { part } = where;
  progress.update({ step: call.before?.step ?? startingStep });
  const pod: MoverPod = {
    ...where,
    image: args.text("image", deps.options.toolsImage),
    onProgress: ({ step }) => {
      if (step === "running" && part === undefined) progress.prepared();
    },
  };
  const result = await runInPod(call, pod, script);
  if (part === undefined) progress.executed();
  return result;
}
