import {
  type Kind,
  type KubeObject,
  kinds,
  type MigCluster,
  type MigHook,
  type MigMigration,
  type MigPlan,
  type MigStorage,
  type ObjectReference,
} from "../../api/index.ts";
import { Controller, Informer, isNotFound, keyOf, type Outcome, resourceOf } from "../../kube/index.ts";
import { lookAtCluster } from "./cluster-controller.ts";
import { Clusters } from "./clusters.ts";
import { digestOf, settleConditions, type Wanted } from "./conditions.ts";
import { hookConditions } from "./hook-faults.ts";
import { MigrationRunner } from "./migration-controller.ts";
import { isSuspended } from "./order.ts";
import { lookAtPlan } from "./plan-controller.ts";
import type { MigrationDeps } from "./run.ts";
import { lookAtStorage } from "./storage-controller.ts";

/** An informer with the controller that looks at what changed. */
interface Watched<T extends KubeObject> {
  readonly informer: Informer<T, T>;
  readonly controller: Controller;
  list(): readonly T[];
  find(ref: ObjectReference | undefined): T | undefined;
}

type Conditioned = MigCluster | MigStorage | MigHook | MigPlan;

/** Runs the controllers of clusters, storages, hooks, plans and migrations until the signal fires. */
export async function startMigrationControllers(deps: MigrationDeps, signal: AbortSignal): Promise<void> {
  const clusters = new Clusters(deps);
  const runner = new MigrationRunner(deps, clusters);
  const allPlans = () => plans.list().forEach((plan) => plans.controller.add(keyOf(plan)));
  const migClusters = watched<MigCluster>(deps, kinds.MigCluster, allPlans, async (cluster, inner) => {
    const { wanted, again } = await lookAtCluster(clusters, cluster, inner);
    await write(deps, kinds.MigCluster, cluster, wanted, {}, inner);
    return again;
  });
  const storages = watched<MigStorage>(deps, kinds.MigStorage, allPlans, async (storage, inner) => {
    const { wanted, again } = await lookAtStorage(deps.client, storage, inner);
    await write(deps, kinds.MigStorage, storage, wanted, {}, inner);
    return again;
  });
  const hooks = watched<MigHook>(deps, kinds.MigHook, allPlans, async (hook, inner) => {
    await write(deps, kinds.MigHook, hook, hookConditions(hook), {}, inner);
  });
  const plans: Watched<MigPlan> = watched<MigPlan>(
    deps,
    kinds.MigPlan,
    () => migrations.list().forEach((migration) => migrations.controller.add(keyOf(migration))),
    async (plan, inner) => {
      const { srcMigClusterRef, destMigClusterRef, migStorageRef } = plan.spec ?? {};
      const parts = {
        source: migClusters.find(srcMigClusterRef),
        destination: migClusters.find(destMigClusterRef),
        storage: storages.find(migStorageRef),
        hooks: hooks.list(),
        plans: plans.list(),
        suspended: isSuspended(siblingsOf(plan)),
      };
      const look = await lookAtPlan(deps, clusters, plan, parts, inner);
      const more = { ...look.status };
      const spec = {
        ...(look.volumes && { persistentVolumes: look.volumes }),
        ...(plan.spec?.refresh === true && { refresh: false }),
      };
      await write(deps, kinds.MigPlan, plan, look.wanted, more, inner, spec);
      return look.again;
    },
  );
  const siblingsOf = (plan: MigPlan | undefined) =>
    migrations.list().filter(({ spec }) => plan !== undefined && plans.find(spec?.migPlanRef) === plan);
  const migrations: Watched<MigMigration> = watched<MigMigration>(
    deps,
    kinds.MigMigration,
    (changed) => {
      for (const other of migrations.list()) {
        if (other.spec?.migPlanRef?.name === changed.spec?.migPlanRef?.name)
          migrations.controller.add(keyOf(other));
      }
      const plan = plans.find(changed.spec?.migPlanRef);
      if (plan) plans.controller.add(keyOf(plan));
    },
    async (heard, inner) => {
      const { name, namespace } = heard.metadata;
      // What was heard may be older than our own last write.
      const migration = await deps.client
        .get<MigMigration>(resourceOf(kinds.MigMigration), name, { namespace }, inner)
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      if (!migration || migration.metadata.deletionTimestamp !== undefined) return undefined;
      const plan = plans.find(migration.spec?.migPlanRef);
      const siblings = siblingsOf(plan).map((one) =>
        one.metadata.uid === migration.metadata.uid ? migration : one,
      );
      return runner.look(
        migration,
        {
          plan,
          source: migClusters.find(plan?.spec?.srcMigClusterRef),
          destination: migClusters.find(plan?.spec?.destMigClusterRef),
          storage: storages.find(plan?.spec?.migStorageRef),
          hooks: hooks.list(),
          siblings,
        },
        inner,
      );
    },
  );
  const all = [migClusters, storages, hooks, plans, migrations] as const;
  const informers = all.map(({ informer }) => informer.run(signal));
  try {
    // Everything is known before anything is decided: a plan without its clusters would look broken.
    await Promise.all(all.map(({ informer }) => informer.synced(signal)));
    await Promise.all([...informers, ...all.map(({ controller }) => controller.run(signal))]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clusters.close();
  }
}

function watched<T extends KubeObject>(
  deps: MigrationDeps,
  kind: Kind,
  changed: (object: T) => void,
  look: (object: T, signal: AbortSignal) => Promise<Outcome>,
): Watched<T> {
  const informer: Informer<T, T> = new Informer<T, T>({
    client: deps.client,
    resource: resourceOf(kind),
    query: { namespace: deps.namespace },
    // Items of lists do not say their kind.
    project: (object) => ({ ...object, kind: kind.kind, apiVersion: `${kind.group}/${kind.version}` }),
    onChange: (key, now, before) => {
      controller.add(key);
      const either = now ?? before;
      // A status that changes nothing for others is not worth their look.
      if (either && verdict(now) !== verdict(before)) changed(either);
    },
    onError: (error) => deps.log("warning", `cannot watch ${kind.plural}`, { error }),
    clock: deps.clock,
  });
  const controller: Controller = new Controller({
    clock: deps.clock,
    workers: 4,
    backoff: { firstMs: 500, maxMs: 10_000 },
    reconcile: async (key, inner) => {
      const object = informer.get(key);
      return object ? look(object, inner) : undefined;
    },
    onError: (key, error) => deps.log("warning", `${kind.kind} "${key}" is tried again`, { error }),
  });
  const list = () => [...informer.entries()].map(([, object]) => object);
  return {
    informer,
    controller,
    list,
    find: (ref) => {
      if (!ref?.name) return undefined;
      return informer.get(`${ref.namespace || deps.namespace}/${ref.name}`);
    },
  };
}

/** What others look at: the spec, and which conditions hold. */
function verdict(object: KubeObject | undefined): string {
  if (!object) return "";
  const { spec, status } = object as KubeObject & {
    readonly spec?: unknown;
    readonly status?: {
      readonly phase?: string;
      readonly conditions?: readonly { type: string; category?: string }[];
    };
  };
  const types = (status?.conditions ?? []).map(({ type }) => type).toSorted();
  return JSON.stringify([object.metadata.uid, spec, types, status?.phase === "Completed"]);
}

/** Writes what holds about an object, when that is new. */
async function write(
  deps: MigrationDeps,
  kind: Kind,
  object: Conditioned,
  wanted: readonly Wanted[],
  more: object,
  signal: AbortSignal,
  spec: object = {},
): Promise<void> {
  const conditions = settleConditions(object.status?.conditions, wanted, deps.clock.now());
  const digest = kind === kinds.MigHook ? {} : { observedDigest: digestOf(object.spec) };
  const status = { ...more, conditions, ...digest };
  const before = Object.fromEntries(
    Object.keys(status).map((key) => [
      key,
      (object.status as Readonly<Record<string, unknown>> | undefined)?.[key],
    ]),
  );
  const isSame = JSON.stringify(before) === JSON.stringify(status);
  if (isSame && Object.keys(spec).length === 0) return;
  const { name, namespace, uid } = object.metadata;
  const body = { metadata: { uid }, ...(Object.keys(spec).length > 0 && { spec }), status };
  try {
    await deps.client.patch(resourceOf(kind), name, { type: "merge", body }, { namespace }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error; // it was deleted meanwhile
  }
}
