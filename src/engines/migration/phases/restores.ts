import {
  type Backup,
  type DataDownload,
  type KubeObject,
  kinds,
  type PodVolumeBackup,
  type PodVolumeRestore,
  type Restore,
  veleroNames,
} from "../../../api/index.ts";
import type { MigDetail } from "../../../kinds/index.ts";
import { labelValue, resourceOf } from "../../../kube/index.ts";
import { labels, partOf } from "../names.ts";
import {
  advance,
  type Handler,
  madeLabels,
  type Outcome,
  planNamespaces,
  type Run,
  remark,
  untilNone,
} from "../run.ts";
import {
  type Claim,
  claimOf,
  hasSnapshots,
  namespacesOf,
  type Pod,
  resources,
  volumesToMigrate,
} from "../shapes.ts";
import { all, ensure, find, keyOf, remove } from "../tolerate.ts";
import { judge, nameOf, restoreOf } from "../velero-run.ts";
import { account, claimOfCopy, type LostVolume, notRestored } from "../volume-account.ts";
import { podWords, stageImageOf, stagePods } from "./stage-pods.ts";

const backups = resourceOf(kinds.Backup);
const restores = resourceOf(kinds.Restore);
const copies = resourceOf(kinds.PodVolumeRestore);
const downloads = resourceOf(kinds.DataDownload);
const copiesThere = resourceOf(kinds.PodVolumeBackup);

type RestoreKind = "stageRestore" | "finalRestore";

/** Creates the Restore of the volumes, in claims that are empty: what an earlier stage run restored goes first. */
export const createStageRestore: Handler = async (run, signal) => {
  const name = nameOf(run, "stageRestore");
  const { client, namespace } = run.destination;
  if (await find(client, restores, name, namespace, signal)) return advance;
  const cleared = await clearClaims(run, signal);
  if (cleared.do !== "advance") return cleared;
  await makeNamespaces(run, signal);
  const [from, to] = [
    await stageImageOf(run, run.source, signal),
    await stageImageOf(run, run.destination, signal),
  ];
  const rules = modifierRules(run, from === to ? undefined : to);
  const modifiers = rules.length > 0 ? `${name}-modifiers` : undefined;
  if (modifiers !== undefined) {
    await ensure(
      client,
      resources.configMaps,
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          name: modifiers,
          namespace,
          labels: madeLabels(run),
        },
        data: { "rules.yaml": JSON.stringify({ version: "v1", resourceModifierRules: rules }) },
      },
      signal,
    );
  }
  const given = { ...(modifiers !== undefined && { modifiers }), stageImage: to };
  return create(run, "stageRestore", given, signal);
};

/** Creates the Restore of all resources. */
export const createFinalRestore: Handler = async (run, signal) => {
  await makeNamespaces(run, signal);
  return create(run, "finalRestore", {}, signal);
};

/** Waits for a Restore on the destination, with its volumes. */
export const restoreDone =
  (kind: RestoreKind, warning: string): Handler =>
  async (run, signal) => {
    const { client, namespace } = run.destination;
    const name = nameOf(run, kind);
    const restore = await find<Restore>(client, restores, name, namespace, signal);
    if (!restore) return { do: "fail", errors: [`Restore ${namespace}/${name}: was deleted under way.`] };
    const labelSelector = `${veleroNames.restoreName}=${labelValue(name)}`;
    const volumes = await all<PodVolumeRestore>(client, copies, { namespace, labelSelector }, signal);
    const pods = volumes.length === 0 ? [] : await holders(run, signal);
    const kinded = volumes.map((volume) => withClaim({ ...volume, kind: "PodVolumeRestore" as const }, pods));
    const moved = hasSnapshots(run.plan)
      ? (await all<DataDownload>(client, downloads, { namespace, labelSelector }, signal)).map((one) => ({
          ...one,
          kind: "DataDownload" as const,
        }))
      : [];
    const outcome = judge(run, run.destination, restore, [...kinded, ...moved], warning);
    if (kind === "finalRestore") return outcome;
    if (outcome.do === "wait") return withStagePods(run, outcome, signal);
    return account(
      outcome,
      await lostIn(run, restore, { restored: kinded, downloads: moved }, signal),
      run.settings,
    );
  };

/** The volumes of the plan that the Restore did not bring. */
async function lostIn(
  run: Run,
  restore: Restore,
  {
    restored,
    downloads: moved,
  }: { readonly restored: readonly PodVolumeRestore[]; readonly downloads: readonly DataDownload[] },
  signal: AbortSignal,
): Promise<readonly LostVolume[]> {
  const { client, namespace } = run.source;
  const labelSelector = `${veleroNames.backupName}=${labelValue(nameOf(run, "stageBackup"))}`;
  const copied = await all<PodVolumeBackup>(client, copiesThere, { namespace, labelSelector }, signal);
  const spaces = planNamespaces(run, run.destination);
  const claims = await Promise.all(
    spaces.map((space) => all(run.destination.client, resources.claims, { namespace: space }, signal)),
  );
  const pods = [...(await holders(run, signal)), ...(await stagePods(run, run.source, signal))];
  const found = {
    copies: copied,
    restored,
    pods,
    claims: new Set(claims.flat().map(keyOf)),
    // Snapshots of a provider come back as volumes, without a copy.
    ...(moved.length > 0 && { downloads: moved }),
  };
  return notRestored(run.plan, restore, found);
}

/** The pods whose volumes are restored; while they are not there, those of the source tell what they will hold. */
async function holders(run: Run, signal: AbortSignal): Promise<readonly Pod[]> {
  const targets = new Map(namespacesOf(run.plan).map(({ source, destination }) => [source, destination]));
  const there = await stagePods(run, run.destination, signal);
  const here = await stagePods(run, run.source, signal);
  const moved = here.map((pod) => {
    const { namespace = "" } = pod.metadata;
    return { ...pod, metadata: { ...pod.metadata, namespace: targets.get(namespace) ?? namespace } };
  });
  return [...there, ...moved];
}

/** A copy knows its pod and its volume; people know the claim behind it. */
function withClaim(copy: PodVolumeRestore, pods: readonly Pod[]): PodVolumeRestore {
  const claim = claimOfCopy(copy, pods)?.split("/")[1];
  if (claim === undefined) return copy;
  const annotations = { ...copy.metadata.annotations, [veleroNames.pvcName]: claim };
  return { ...copy, metadata: { ...copy.metadata, annotations } };
}

async function create(
  run: Run,
  kind: RestoreKind,
  given: Parameters<typeof restoreOf>[2],
  signal: AbortSignal,
): Promise<Outcome> {
  const { client, namespace } = run.destination;
  const from = nameOf(run, kind === "stageRestore" ? "stageBackup" : "initialBackup");
  const backup = await find<Backup>(client, backups, from, namespace, signal);
  if (!backup) {
    return {
      do: "fail",
      errors: [`Backup ${namespace}/${from}: not found on cluster ${run.destination.name}.`],
    };
  }
  await ensure(client, restores, restoreOf(run, kind, given), signal);
  return advance;
}

/** While volumes are restored, their pods tell why it may take long. */
async function withStagePods(
  run: Run,
  outcome: Outcome & { do: "wait" },
  signal: AbortSignal,
): Promise<Outcome> {
  const there = await stagePods(run, run.destination, signal);
  const names = new Set(there.map(({ metadata }) => metadata.name));
  const here = await stagePods(run, run.source, signal);
  const missing = here.filter(({ metadata }) => !names.has(metadata.name));
  const idle = there.filter(({ status }) => status?.phase !== "Running");
  const say = (message: string): MigDetail => ({ message, remark: true });
  const details =
    missing.length > 0
      ? missing.map(({ metadata }) => say(`${metadata.name} is missing. Migration might fail`))
      : idle.length > 0
        ? idle.flatMap((pod) => podWords(pod).map((words) => remark("Pod", pod, words)))
        : [say("All the stage pods are restored, waiting for restore to Complete")];
  return { ...outcome, report: { details: [...outcome.report.details, ...details] } };
}

/**
 * Removes the claims that an earlier stage run of this plan made: a restore adds and replaces files but takes none away,
 * so that what the application deleted meanwhile would come back. What was moved is in its place already, and would not be bound
 * a second time. Claims of somebody else are left, and fail the run.
 */
async function clearClaims(run: Run, signal: AbortSignal): Promise<Outcome> {
  const { client } = run.destination;
  const planUid = labelValue(run.plan.metadata.uid ?? "");
  const targets = new Map(namespacesOf(run.plan).map(({ source, destination }) => [source, destination]));
  const waiting: MigDetail[] = [];
  for (const volume of volumesToMigrate(run.plan)) {
    const { namespace, name } = claimOf(volume);
    const target = targets.get(namespace) ?? namespace;
    const claim = await find<Claim>(client, resources.claims, name, target, signal);
    if (!claim) continue;
    const title = `PersistentVolumeClaim ${target}/${name}`;
    if (claim.metadata.labels?.[labels.migratedByPlan] !== planUid) {
      return {
        do: "fail",
        errors: [`${title}: exists on cluster ${run.destination.name} and is not of this plan.`],
      };
    }
    const user = await userOf(run, claim, signal);
    if (user)
      return { do: "fail", errors: [`${title}: is in use by ${user} on cluster ${run.destination.name}.`] };
    if (volume.selection.action === "move" && claim.metadata.deletionTimestamp === undefined) continue;
    if (claim.metadata.deletionTimestamp === undefined) await remove(client, resources.claims, claim, signal);
    waiting.push(remark("PersistentVolumeClaim", claim, "Deleting what an earlier run restored"));
  }
  return untilNone(waiting);
}

async function userOf(run: Run, claim: Claim, signal: AbortSignal): Promise<string | undefined> {
  const { namespace } = claim.metadata;
  const pods = await all<Pod>(run.destination.client, resources.pods, { namespace }, signal);
  const user = pods.find(
    ({ spec, status }) =>
      !["Succeeded", "Failed"].includes(status?.phase ?? "") &&
      spec?.volumes?.some((one) => one.persistentVolumeClaim?.claimName === claim.metadata.name),
  );
  return user && `Pod ${keyOf(user)}`;
}

/** Namespaces that the destination lacks, marked as made by this run, so that a cancel can take them away again. */
async function makeNamespaces(run: Run, signal: AbortSignal): Promise<void> {
  for (const { source, destination } of namespacesOf(run.plan)) {
    const there = await find(run.destination.client, resources.namespaces, destination, undefined, signal);
    if (there) continue;
    const model = await find<KubeObject>(run.source.client, resources.namespaces, source, undefined, signal);
    const {
      [labels.included]: _,
      ["kubernetes.io/metadata.name"]: __,
      ...kept
    } = model?.metadata.labels ?? {};
    const object = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: destination,
        labels: { ...kept, [labels.partOf]: partOf, [labels.migration]: labelValue(run.uid) },
        ...(model?.metadata.annotations && { annotations: model.metadata.annotations }),
      },
    };
    await ensure(run.destination.client, resources.namespaces, object, signal);
  }
}

/** Changes on the way that a plain server cannot know from annotations: storage classes, access modes, the image. */
function modifierRules(run: Run, image: string | undefined): readonly object[] {
  const claims = volumesToMigrate(run.plan).flatMap((volume) => {
    const { storageClass, accessMode } = volume.selection;
    const { namespace, name } = claimOf(volume);
    const spec = {
      ...(storageClass && storageClass !== volume.storageClass && { storageClassName: storageClass }),
      ...(accessMode && { accessModes: [accessMode] }),
    };
    if (Object.keys(spec).length === 0) return [];
    const exact = `^${name.replaceAll(".", "\\.")}$`;
    return [
      {
        conditions: {
          groupResource: "persistentvolumeclaims",
          resourceNameRegex: exact,
          namespaces: [namespace],
        },
        mergePatches: [{ patchData: JSON.stringify({ spec }) }],
      },
    ];
  });
  if (image === undefined) return claims;
  const patches = [{ operation: "replace", path: "/spec/containers/0/image", value: `"${image}"` }];
  const conditions = {
    groupResource: "pods",
    labelSelector: { matchLabels: { [labels.isStagePod]: "True" } },
  };
  return [...claims, { conditions, patches }];
}
