import { isDeepStrictEqual } from "node:util";
import {
  findCondition,
  isTrue,
  kinds,
  type MigCluster,
  type MigHook,
  type MigMigration,
  type MigPlan,
  type MigStorage,
  parseTimeMs,
} from "../../api/index.ts";
import { AppError, messageOf } from "../../errors.ts";
import {
  type Outcome as Again,
  type EventRecorder,
  isUnauthorized,
  labelValue,
  resourceOf,
  type StatusTarget,
  type StatusWriter,
} from "../../kube/index.ts";
import type { Clusters } from "./clusters.ts";
import { tellConditions } from "./condition-events.ts";
import { digestOf, isBlocked, said, type Wanted } from "./conditions.ts";
import { handlers } from "./handlers.ts";
import type { Flags } from "./itinerary.ts";
import { labels, settingNames } from "./names.ts";
import { turnOf } from "./order.ts";
import type { Cluster, MigrationDeps, Ran, Run, Settings } from "./run.ts";
import { beginRun, isOver, type RunStatus, switchRun, wantedItinerary, whereIs } from "./run-state.ts";
import { volumesToMigrate } from "./shapes.ts";
import { applyOutcome, settled, slowness, statusPatch } from "./turn.ts";

const migrations = resourceOf(kinds.MigMigration);
/** How often a wait is looked at: what changed is visible within two of these. */
const pollMs = 1_000;
const retryMs = 3_000;

/** What a migration refers to, as the cluster has it. */
export interface MigrationParts {
  readonly plan: MigPlan | undefined;
  readonly source: MigCluster | undefined;
  readonly destination: MigCluster | undefined;
  readonly storage: MigStorage | undefined;
  readonly hooks: readonly MigHook[];
  /** All migrations of the plan. */
  readonly siblings: readonly MigMigration[];
}

/** Moves migrations along, from what is written in them alone. */
export class MigrationRunner {
  readonly #deps: MigrationDeps;
  readonly #clusters: Clusters;
  readonly #events: Pick<EventRecorder, "record">;
  readonly #status: Pick<StatusWriter, "offer" | "store" | "forget">;
  readonly #onRefused: () => void;

  constructor(
    deps: MigrationDeps,
    clusters: Clusters,
    tells: {
      readonly events: Pick<EventRecorder, "record">;
      readonly status: Pick<StatusWriter, "offer" | "store" | "forget">;
    },
    /** Told when a cluster no longer knows the token that it is asked with. */
    onRefused: () => void,
  ) {
    this.#deps = deps;
    this.#onRefused = onRefused;
    this.#events = tells.events;
    this.#status = tells.status;
    this.#clusters = clusters;
  }

  /** Does what can be done now; the answer tells when to look again. */
  async look(found: MigMigration, parts: MigrationParts, signal: AbortSignal): Promise<Again> {
    let migration = found;
    for (let i = 0; i < 100; i++) {
      signal.throwIfAborted();
      if (isOver(migration.status)) {
        await this.#status.forget(targetOf(migration));
        return undefined;
      }
      const step = await this.#step(migration, parts, signal);
      if (step.again) return step.again;
      migration = step.migration;
    }
    return { againAfterMs: 0 };
  }

  async #step(
    migration: MigMigration,
    parts: MigrationParts,
    signal: AbortSignal,
  ): Promise<{ readonly migration: MigMigration; readonly again?: Again }> {
    const turn = turnOf(migration, parts.plan, parts.siblings);
    const itinerary = wantedItinerary(migration);
    const isUndoing = itinerary === "Cancel" || itinerary === "Failed";
    const begun = whereIs(migration.status);
    const isHeld =
      isBlocked(turn.blockers) && !(isUndoing && begun) && !(itinerary === "Cancel" && parts.plan);
    if (isHeld) {
      await this.#write(migration, { ...migration.status }, turn.blockers, signal);
      return { migration, again: { againAfterMs: turn.againAfterMs ?? retryMs } };
    }
    const now = this.#deps.clock.now();
    if (!begun) {
      const owned = await this.#adopt(migration, parts.plan, signal);
      const { rollback, stage } = migration.spec ?? {};
      const name = rollback === true ? "Rollback" : stage === true ? "Stage" : "Final";
      const flags = flagsOf(owned, parts.plan, owned.status);
      const first = beginRun(owned.status ?? {}, name, now, flags);
      return { migration: await this.#write(owned, first, [], signal) };
    }
    if (begun.itinerary !== itinerary) {
      const flags = flagsOf(migration, parts.plan, migration.status);
      const next = switchRun(migration.status ?? {}, itinerary, flags, now);
      return { migration: await this.#write(migration, next, [], signal) };
    }
    return this.#phase(migration, parts, signal);
  }

  async #phase(
    migration: MigMigration,
    parts: MigrationParts,
    signal: AbortSignal,
  ): Promise<{ readonly migration: MigMigration; readonly again?: Again }> {
    const status = migration.status ?? {};
    const flags = (of: RunStatus) => flagsOf(migration, parts.plan, of);
    try {
      const run = await this.#run(migration, parts, flags(status), signal);
      if ("type" in run) {
        await this.#write(migration, status, [run], signal);
        return { migration, again: { againAfterMs: retryMs } };
      }
      const outcome = await handlers[run.phase](run, signal);
      const now = this.#deps.clock.now();
      const next = applyOutcome(status, outcome, flags, now);
      const slow = outcome.do === "wait" ? slowness(next, now) : [];
      const written = await this.#write(migration, next, slow, signal);
      if (outcome.do === "wait")
        return { migration: written, again: { againAfterMs: this.#deps.pollMs ?? pollMs } };
      this.#deps.log("info", `migration "${migration.metadata.name}": ${run.phase} ${words(outcome.do)}`);
      return { migration: written };
    } catch (error) {
      signal.throwIfAborted();
      return this.#trouble(migration, error, flags, signal);
    }
  }

  /** A request that can never succeed fails the run; any other trouble is told and tried again. */
  async #trouble(
    migration: MigMigration,
    error: unknown,
    flags: (status: RunStatus) => Flags,
    signal: AbortSignal,
  ): Promise<{ readonly migration: MigMigration; readonly again?: Again }> {
    const text = messageOf(error);
    const now = this.#deps.clock.now();
    if (error instanceof AppError && !error.retry) {
      const failed = applyOutcome(migration.status ?? {}, { do: "fail", errors: [text] }, flags, now);
      return { migration: await this.#write(migration, failed, [], signal) };
    }
    this.#deps.log("warning", `migration "${migration.metadata.name}" is tried again`, { error });
    const reason = migration.status?.phase || "Created";
    await this.#write(migration, migration.status ?? {}, [said("Warn", "Retrying", reason, text)], signal);
    // A token has ended or was taken away: its cluster says so, with what to do, and the run waits for it.
    if (isUnauthorized(error)) this.#onRefused();
    return { migration, again: { againAfterMs: retryMs } };
  }

  async #run(
    migration: MigMigration,
    parts: MigrationParts,
    flags: Flags,
    signal: AbortSignal,
  ): Promise<Run | Wanted> {
    const { plan, source, destination } = parts;
    const phase = whereIs(migration.status)?.phase;
    if (!plan || !source || !destination || !phase) {
      const gone = !plan ? "plan" : !source ? "source" : !destination ? "destination" : "phase";
      return said("Warn", "Retrying", "NotFound", `The ${gone} of the migration is gone.`);
    }
    const [from, to] = await Promise.all([
      this.#clusters.open(source, signal),
      this.#clusters.open(destination, signal),
    ]);
    if ("type" in from) return from;
    if ("type" in to) return to;
    const now = this.#deps.clock.now();
    const entered = findCondition(migration.status?.conditions, "Running")?.lastTransitionTime;
    return {
      migration,
      uid: migration.metadata.uid ?? "",
      undone: undoneBy(migration, parts.siblings),
      plan,
      storage: parts.storage,
      hooks: parts.hooks,
      source: from,
      destination: to as Cluster, // the fault was returned above
      phase,
      flags,
      settings: settingsOf(migration, plan),
      restartAgents: source.spec?.restartRestic === true,
      stageImage: this.#deps.stageImage,
      now,
      since: parseTimeMs(entered) ?? now,
    };
  }

  /** The plan owns its migrations. */
  async #adopt(
    migration: MigMigration,
    plan: MigPlan | undefined,
    signal: AbortSignal,
  ): Promise<MigMigration> {
    const { uid, name } = plan?.metadata ?? {};
    const owners = migration.metadata.ownerReferences ?? [];
    if (!plan || uid === undefined || owners.some((owner) => owner.uid === uid)) return migration;
    const owner = { apiVersion: plan.apiVersion, kind: plan.kind, name: name ?? "", uid };
    const body = {
      metadata: {
        uid: migration.metadata.uid,
        labels: { [labels.planName]: labelValue(name ?? "") },
        ownerReferences: [...owners, owner],
      },
    };
    return this.#deps.client.patch<MigMigration>(
      migrations,
      migration.metadata.name,
      { type: "merge", body },
      { namespace: migration.metadata.namespace },
      signal,
    );
  }

  /** Writes a status: each change of phase or condition is stored before the run goes on, mere numbers come when they may. */
  async #write(
    migration: MigMigration,
    status: RunStatus,
    wanted: readonly Wanted[],
    signal: AbortSignal,
  ): Promise<MigMigration> {
    const now = this.#deps.clock.now();
    const next = { ...settled(status, wanted, now), observedDigest: digestOf(migration.spec) };
    const before = migration.status ?? {};
    if (isDeepStrictEqual(next, before)) return migration;
    const patch = statusPatch(before, next);
    if (isDeepStrictEqual(outline(next), outline(before))) {
      this.#status.offer(targetOf(migration), patch);
      return migration;
    }
    const stored = await this.#status.store(targetOf(migration), patch);
    tellConditions(this.#events, migration, before.conditions, next.conditions);
    // Nothing was stored: it is gone, and whoever asks for it is told so.
    const { name, namespace } = migration.metadata;
    return stored
      ? (stored as MigMigration) // the server answers with what was patched
      : this.#deps.client.get<MigMigration>(migrations, name, { namespace }, signal);
  }
}

function targetOf({ metadata: { name, namespace, uid } }: MigMigration): StatusTarget {
  return { resource: migrations, name, namespace, uid };
}

/** What must be stored before anything else is done; numbers alone are written within the budget. */
function outline({ phase, itinerary, errors, conditions = [] }: RunStatus): unknown {
  const held = conditions.map(({ type, reason, category, durable }) => [type, reason, category, durable]);
  return [phase, itinerary, errors, held];
}

function flagsOf(migration: MigMigration, plan: MigPlan | undefined, status: RunStatus | undefined): Flags {
  return {
    volumes: plan !== undefined && volumesToMigrate(plan).length > 0,
    stagePods: isTrue(status?.conditions, "StagePodsCreated"),
    quiesce: migration.spec?.quiescePods === true,
    verify: migration.spec?.verify === true,
    undo: plan !== undefined && settingsOf(migration, plan).rollback,
  };
}

/** What a run undoes after a failure or a cancel. */
function undoneBy(migration: MigMigration, siblings: readonly MigMigration[]): readonly Ran[] {
  const isRollback = migration.spec?.rollback === true;
  const runs = isRollback ? siblings.filter(({ spec, status }) => !spec?.rollback && isOver(status)) : [];
  return [migration, ...runs].map((one) => ({ migration: one, uid: one.metadata.uid ?? "" }));
}

function settingsOf(migration: MigMigration, plan: MigPlan): Settings {
  const value = (name: string) => migration.metadata.annotations?.[name] ?? plan.metadata.annotations?.[name];
  return {
    rollback: value(settingNames.rollback) === "true",
    failOnPartial: value(settingNames.partial) === "fail",
    acceptMissing: value(settingNames.acceptMissing) === "true",
    dropLabels: value(settingNames.dropLabels) === "true",
  };
}

function words(what: "advance" | "fail"): string {
  return what === "advance" ? "is done" : "failed";
}
