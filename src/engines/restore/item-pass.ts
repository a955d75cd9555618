import { messageOf } from "../../errors.ts";
import type { Clock } from "../../kube/index.ts";
import type { Spool } from "./archive/spool.ts";
import { establish } from "./definitions.ts";
import type { ItemRestorer } from "./item-restorer.ts";
import { archivedNamespace, ensureNamespace, namespaceFor } from "./namespaces.ts";
import type { Ended } from "./outcomes.ts";
import { inParallel } from "./parallel.ts";
import type { Plan, PlannedType } from "./plan.ts";
import type { PutContext } from "./put.ts";
import type { RunLog } from "./run-log.ts";
import type { Cluster, Served } from "./served.ts";

/** What going through the items needs. */
interface PassContext {
  readonly plan: Plan;
  readonly served: Served;
  readonly spool: Spool;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: RunLog;
  readonly put: PutContext;
  readonly restorer: Pick<ItemRestorer, "takeCreated">;
  readonly parallel: number;
  readonly resourceTimeoutMs: number;
  readonly terminatingTimeoutMs: number;
  /** Restores the items of one type. */
  type(type: PlannedType): Promise<void>;
  /** Told how each namespace fared; undefined when it was there before. */
  namespace(target: string, ended: Ended | undefined): void;
  waiting(what: string | undefined): void;
}

/** Goes through everything in its order: definitions, then namespaces, then the rest. A run and its plan both do. */
export async function bringItems(context: PassContext, signal: AbortSignal): Promise<void> {
  const { plan, restorer } = context;
  const definitions = plan.types.filter(({ groupResource }) =>
    groupResource.startsWith("customresourcedefinitions."),
  );
  for (const type of definitions) await context.type(type);
  const created = restorer.takeCreated();
  if (created.length > 0) {
    context.waiting("custom resource definitions to be established");
    await establish(created, context, signal);
    context.waiting(undefined);
  }
  const ensure = ([target, source]: [string, string]) => ensureOne(target, source, context, signal);
  await inParallel(plan.namespaces, context.parallel, ensure, signal);
  for (const type of plan.types) if (!definitions.includes(type)) await context.type(type);
}

async function ensureOne(
  target: string,
  source: string,
  context: PassContext,
  signal: AbortSignal,
): Promise<void> {
  const { put, terminatingTimeoutMs, log } = context;
  try {
    const wanted = namespaceFor(await archivedNamespace(context.spool, source), target);
    const made = await ensureNamespace(wanted, { ...put, terminatingLimitMs: terminatingTimeoutMs }, signal);
    context.namespace(target, made);
  } catch (error) {
    signal.throwIfAborted();
    const reason = messageOf(error);
    log.fail({ namespace: target }, reason);
    context.namespace(target, { outcome: "failed", reason, error });
  }
}
