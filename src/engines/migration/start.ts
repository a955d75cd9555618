import {
  type Kind,
  kinds,
  type MigCluster,
  type MigHook,
  type MigMigration,
  type MigPlan,
  type MigStorage,
} from "../../api/index.ts";
import { EventRecorder, isNotFound, type Outcome, resourceOf, StatusWriter } from "../../kube/index.ts";
import { lookAtCluster } from "./cluster-controller.ts";
import { Clusters } from "./clusters.ts";
import { tellConditions } from "./condition-events.ts";
import { digestOf, settleConditions, type Wanted } from "./conditions.ts";
import { hookConditions } from "./hook-faults.ts";
import { MigrationRunner } from "./migration-controller.ts";
import { isSuspended } from "./order.ts";
import { lookAtPlan } from "./plan-controller.ts";
import type { MigrationDeps } from "./run.ts";
import { isOver } from "./run-state.ts";
import { lookAtStorage } from "./storage-controller.ts";
import { find } from "./tolerate.ts";
import { Watched } from "./watched.ts";

/** Runs the controllers of clusters, storages, hooks, plans and migrations until the signal fires. */
export function startMigrationControllers(deps: MigrationDeps, signal: AbortSignal): Promise<void> {
  return new MigrationControllers(deps).run(signal);
}

/** The five controllers; each knows what the others watch. */
class MigrationControllers {
  readonly #deps: MigrationDeps;
  readonly #clients: Clusters;
  readonly #runner: MigrationRunner;
  readonly #events: EventRecorder;
  readonly #status: StatusWriter;
  readonly #clusters: Watched<MigCluster>;
  readonly #storages: Watched<MigStorage>;
  readonly #hooks: Watched<MigHook>;
  readonly #plans: Watched<MigPlan>;
  readonly #migrations: Watched<MigMigration>;

  constructor(deps: MigrationDeps) {
    this.#deps = deps;
    this.#clients = new Clusters(deps);
    this.#events = new EventRecorder({
      client: deps.client,
      component: "headway-migration",
      clock: deps.clock,
      onError: (error) => deps.log("info", "an event was not written", { error }),
    });
    this.#status = writerOf(deps);
    const tells = { events: this.#events, status: this.#status };
    this.#runner = new MigrationRunner(deps, this.#clients, tells, () => this.#clusters.addAll());
    const plansToo = () => this.#plans.addAll();
    this.#clusters = new Watched(
      deps,
      kinds.MigCluster,
      async (cluster, signal) => {
        const { wanted, again } = await lookAtCluster(this.#clients, cluster, deps.clock.now(), signal);
        const spec = cluster.spec?.refresh === true ? { refresh: false } : {};
        await write(deps, kinds.MigCluster, this.#events, cluster, { wanted, spec }, signal);
        return again;
      },
      plansToo,
    );
    this.#storages = new Watched(
      deps,
      kinds.MigStorage,
      async (storage, signal) => {
        const { wanted, again } = await lookAtStorage(deps.client, storage, signal);
        await write(deps, kinds.MigStorage, this.#events, storage, { wanted }, signal);
        return again;
      },
      plansToo,
    );
    this.#hooks = new Watched(
      deps,
      kinds.MigHook,
      (hook, signal) =>
        write(deps, kinds.MigHook, this.#events, hook, { wanted: hookConditions(hook) }, signal),
      plansToo,
    );
    this.#plans = new Watched(
      deps,
      kinds.MigPlan,
      (plan, signal) => this.#lookAtPlan(plan, signal),
      () => this.#migrations.addAll(),
    );
    this.#migrations = new Watched(
      deps,
      kinds.MigMigration,
      (migration, signal) => this.#lookAtMigration(migration, signal),
      () => {
        this.#migrations.addAll();
        this.#plans.addAll();
      },
    );
  }

  async run(signal: AbortSignal): Promise<void> {
    const all = [this.#clusters, this.#storages, this.#hooks, this.#plans, this.#migrations] as const;
    // A look that waits for its status to be stored must not keep the others from ending.
    signal.addEventListener("abort", () => this.#status.close(), { once: true });
    const watching = all.map((one) => one.watch(signal));
    try {
      // Everything is known before anything is decided: a plan without its clusters would look broken.
      await Promise.all(all.map((one) => one.synced(signal)));
      await Promise.all(all.map((one) => one.controller.run(signal)));
      await Promise.all(watching);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#clients.close();
      this.#events.close();
      this.#status.close();
    }
  }

  async #lookAtPlan(plan: MigPlan, signal: AbortSignal): Promise<Outcome> {
    const { srcMigClusterRef, destMigClusterRef, migStorageRef } = plan.spec ?? {};
    const parts = {
      source: this.#clusters.find(srcMigClusterRef),
      destination: this.#clusters.find(destMigClusterRef),
      storage: this.#storages.find(migStorageRef),
      hooks: this.#hooks.list(),
      plans: this.#plans.list(),
      suspended: isSuspended(this.#siblings(plan)),
      running: this.#siblings(plan)
        .filter(({ status }) => status?.startTimestamp && !isOver(status))
        .map(({ metadata }) => metadata.name),
    };
    const look = await lookAtPlan(this.#deps, this.#clients, plan, parts, signal);
    const spec = {
      ...(look.volumes && { persistentVolumes: look.volumes }),
      ...(plan.spec?.refresh === true && { refresh: false }),
    };
    const { wanted, status = {} } = look;
    await write(this.#deps, kinds.MigPlan, this.#events, plan, { wanted, status, spec }, signal);
    return look.again;
  }

  async #lookAtMigration(heard: MigMigration, signal: AbortSignal): Promise<Outcome> {
    const { name, namespace } = heard.metadata;
    const resource = resourceOf(kinds.MigMigration);
    // What was heard may be older than our own last write.
    const migration = await find<MigMigration>(this.#deps.client, resource, name, namespace, signal);
    if (!migration || migration.metadata.deletionTimestamp !== undefined) return undefined;
    const plan = this.#plans.find(migration.spec?.migPlanRef);
    const parts = {
      plan,
      source: this.#clusters.find(plan?.spec?.srcMigClusterRef),
      destination: this.#clusters.find(plan?.spec?.destMigClusterRef),
      storage: this.#storages.find(plan?.spec?.migStorageRef),
      hooks: this.#hooks.list(),
      siblings: this.#siblings(plan).map((one) =>
        one.metadata.uid === migration.metadata.uid ? migration : one,
      ),
    };
    return this.#runner.look(migration, parts, signal);
  }

  #siblings(plan: MigPlan | undefined): readonly MigMigration[] {
    const uid = plan?.metadata.uid;
    return this.#migrations
      .list()
      .filter(({ spec }) => uid !== undefined && this.#plans.find(spec?.migPlanRef)?.metadata.uid === uid);
  }
}

/** What writes the status of migrations, on the host. */
function writerOf({ client, clock, log }: MigrationDeps): StatusWriter {
  return new StatusWriter({
    client,
    clock,
    onDrop: ({ name }, error) => log("warning", `the status of "${name}" was refused`, { error }),
  });
}

/** Writes what holds about an object, when that is new. */
async function write(
  deps: MigrationDeps,
  kind: Kind,
  events: EventRecorder,
  object: MigCluster | MigStorage | MigHook | MigPlan,
  found: { readonly wanted: readonly Wanted[]; readonly status?: object; readonly spec?: object },
  signal: AbortSignal,
): Promise<void> {
  const conditions = settleConditions(object.status?.conditions, found.wanted, deps.clock.now());
  const digest = kind === kinds.MigHook ? {} : { observedDigest: digestOf(object.spec) };
  const status = { ...found.status, conditions, ...digest };
  const stored = new Map(Object.entries(object.status ?? {}));
  const isSame = Object.entries(status).every(
    ([key, value]) => JSON.stringify(stored.get(key)) === JSON.stringify(value),
  );
  const spec = found.spec ?? {};
  if (isSame && Object.keys(spec).length === 0) return;
  const { name, namespace, uid, resourceVersion } = object.metadata;
  // A spec is its owner's: what was chosen since it was read must not be written over.
  const body =
    Object.keys(spec).length > 0
      ? { metadata: { uid, resourceVersion }, spec, status }
      : { metadata: { uid }, status };
  try {
    await deps.client.patch(resourceOf(kind), name, { type: "merge", body }, { namespace }, signal);
    tellConditions(events, object, object.status?.conditions, conditions);
  } catch (error) {
    if (!isNotFound(error)) throw error; // it was deleted meanwhile
  }
}
