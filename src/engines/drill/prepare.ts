import type { KubeObject } from "../../api/index.ts";
import { accountAnnotation } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { builtIn, type Client, isForbidden, type Outcome } from "../../kube/index.ts";
import type { Failure } from "./blame.ts";
import type { Desk } from "./desk.ts";
import { egressPolicy, excludedTypes, scratchNamespace, scratchQuota, usualModifiers } from "./isolation.ts";
import { drillNames } from "./names.ts";
import { ignoreExisting, ignoreNotFound, resources } from "./resources.ts";
import { toCleanUp } from "./to-clean-up.ts";

/** Makes the scratch namespaces with their walls, and the Restore that fills them. What is there already is taken as it is. */
export async function prepare(desk: Desk, signal: AbortSignal): Promise<Outcome> {
  const actor = desk.deps.actorOf(desk.drill);
  if ("fault" in actor) {
    return toCleanUp(desk, "prepare", [{ part: "cluster", reason: "NotAllowed", message: actor.fault }]);
  }
  for (const { source, target } of desk.status.namespaces ?? []) {
    const failure = await makeNamespace(desk, actor, source, target, signal);
    if (failure) return toCleanUp(desk, "prepare", [failure]);
  }
  await makeRestore(desk, signal);
  const now = desk.deps.clock.now();
  await desk.put(
    { phase: "Restoring" },
    { prepare: { state: "completed", finishedAt: now }, restore: { state: "running", startedAt: now } },
  );
  return { againAfterMs: 500 };
}

async function makeNamespace(
  { uid, drill }: Desk,
  actor: Client,
  source: string,
  target: string,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const object = `namespace ${target}`;
  try {
    const there = await actor.get<KubeObject>(builtIn.namespaces, target, {}, signal).catch(ignoreNotFound);
    if (there && there.metadata.labels?.[drillNames.uid] !== uid) {
      const message = `namespace "${target}" exists already and does not belong to this drill`;
      return { part: "cluster", reason: "NamespaceExists", object, message };
    }
    if (!there) {
      const from = await actor.get<KubeObject>(builtIn.namespaces, source, {}, signal).catch(ignoreNotFound);
      const made = scratchNamespace(target, uid, from?.metadata ?? {});
      // Whoever was faster may be somebody else: the next look sees who.
      await actor.create(builtIn.namespaces, made, {}, signal).catch(ignoreExisting);
      const now = await actor.get<KubeObject>(builtIn.namespaces, target, {}, signal);
      if (now.metadata.labels?.[drillNames.uid] !== uid) return makeNamespaceTaken(target, object);
    }
    const { allowEgress = false, quota = {} } = drill.spec?.isolation ?? {};
    if (!allowEgress) {
      await actor.create(resources.policies, egressPolicy(target, uid), {}, signal).catch(ignoreExisting);
    }
    if (Object.keys(quota).length > 0) {
      await actor
        .create(resources.quotas, scratchQuota(target, uid, quota), {}, signal)
        .catch(ignoreExisting);
    }
    return undefined;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { part: "cluster", reason: "NotAllowed", object, message: messageOf(error) };
  }
}

function makeNamespaceTaken(target: string, object: string): Failure {
  const message = `namespace "${target}" was made by somebody else at the same moment`;
  return { part: "cluster", reason: "NamespaceExists", object, message };
}

/** An ordinary Restore, which the restore engine runs as any other. */
async function makeRestore({ deps, drill, status, uid }: Desk, signal: AbortSignal): Promise<void> {
  const { client, namespace } = deps;
  const { isolation = {} } = drill.spec ?? {};
  const name = status.restoreName ?? "";
  const account = drill.metadata.annotations?.[accountAnnotation];
  const metadata = {
    name,
    namespace,
    labels: { [drillNames.uid]: uid },
    ownerReferences: [
      { apiVersion: drill.apiVersion, kind: drill.kind, name: drill.metadata.name, uid, controller: true },
    ],
  };
  const own = isolation.resourceModifier?.name;
  if (own === undefined) {
    const map = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { "modifiers.yaml": usualModifiers(isolation) },
    };
    await client.create(builtIn.configMaps, map, {}, signal).catch(ignoreExisting);
  }
  const pairs = (status.namespaces ?? []).map(({ source, target }) => [source, target] as const);
  const restore = {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: {
      ...metadata,
      ...(account !== undefined && { annotations: { [accountAnnotation]: account } }),
    },
    spec: {
      backupName: status.backupName,
      includedNamespaces: pairs.map(([source]) => source),
      namespaceMapping: Object.fromEntries(pairs),
      // Of objects outside of namespaces only the volumes of its claims come along.
      excludedResources: [
        ...excludedTypes,
        "customresourcedefinitions.apiextensions.k8s.io",
        ...(isolation.excludedResources ?? []),
      ],
      existingResourcePolicy: "none",
      preserveNodePorts: false,
      resourceModifier: { kind: "ConfigMap", name: own ?? name },
    },
  };
  await client.create(resources.restores, restore, {}, signal).catch(ignoreExisting);
}
