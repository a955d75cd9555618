import { parseGoDurationMs } from "../api/index.ts";
import { nextTime, parseCron } from "../engines/backup/index.ts";
import { type DrillDeps, startDrillController } from "../engines/drill/index.ts";
import { actorOf, ownRights } from "../engines/restore/index.ts";
import type { Client } from "../kube/index.ts";
import type { OperatorDeps } from "./deps.ts";

/** Rehearses restores, with the rights that restores have. */
export async function startDrills(deps: OperatorDeps, signal: AbortSignal): Promise<void> {
  /** By account; bounded by the accounts that may restore. */
  const clients = new Map<string, Client>();
  const { client, namespace, restoreRights = ownRights } = deps;
  const drills: DrillDeps = {
    ...deps,
    nextTime: (schedule, afterMs) => {
      const cron = parseCron(schedule, parseGoDurationMs);
      return typeof cron === "string" ? cron : nextTime(cron, afterMs);
    },
    actorOf: (drill) => {
      const actor = actorOf(drill, restoreRights);
      if ("fault" in actor) return actor;
      if (actor.account === undefined) return client;
      const acting = clients.get(actor.account) ?? client.asServiceAccount(namespace, actor.account);
      clients.set(actor.account, acting);
      return acting;
    },
  };
  try {
    await startDrillController(drills, signal);
  } finally {
    for (const acting of clients.values()) acting.close();
  }
}
