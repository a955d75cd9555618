import { cancelAnnotation, type Drill, kinds, type Restore } from "../../api/index.ts";
import { type DrillStep, drillPhaseOf, isDrillEnded, isDrillSchedule } from "../../kinds/index.ts";
import { Controller, type Outcome } from "../../kube/index.ts";
import { begin } from "./begin.ts";
import { type CheckClock, checking } from "./checking.ts";
import { cleanUp } from "./clean-up.ts";
import type { DrillDeps } from "./deps.ts";
import { Desk } from "./desk.ts";
import { finish } from "./finish.ts";
import { drillNames } from "./names.ts";
import { prepare } from "./prepare.ts";
import { ignoreNotFound, resources } from "./resources.ts";
import { restoring } from "./restoring.ts";
import { lookSchedule } from "./schedule.ts";
import { toCleanUp } from "./to-clean-up.ts";

/** Rehearses restores until the signal fires. Each look reads what is: a process that died leaves nothing that the next does not find. */
export async function startDrillController(deps: DrillDeps, signal: AbortSignal): Promise<void> {
  const { cache, namespace, client, clock, log } = deps;
  const begun: CheckClock = new Map();
  const controller = new Controller({
    clock,
    workers: 4,
    reconcile: async (key, inner) => {
      const name = key.slice(key.indexOf("/") + 1);
      const drill = await client
        .get<Drill>(resources.drills, name, { namespace }, inner)
        .catch(ignoreNotFound);
      return drill ? look(deps, { ...drill, kind: "Drill" }, begun, inner) : undefined;
    },
    onError: (key, error) => log("warning", `drill "${key}" is tried again`, { error }),
  });
  const drills = cache.view<Drill>(kinds.Drill, {
    namespace,
    onChange: (key, now, before) => {
      controller.add(key);
      if (now) return;
      for (const check of begun.keys())
        if (check.startsWith(`${before?.metadata.uid ?? ""}/`)) begun.delete(check);
    },
    onError: (error) => log("warning", "cannot watch Drills", { error }),
  });
  const restores = cache.view<Restore>(kinds.Restore, {
    namespace,
    where: ({ metadata }) => metadata.labels?.[drillNames.uid] !== undefined,
    onChange: (_key, now, before) => {
      const owner = (now ?? before)?.metadata.ownerReferences?.find(({ kind }) => kind === "Drill");
      if (owner) controller.add(`${namespace}/${owner.name}`);
    },
  });
  await Promise.all([drills.run(signal), restores.run(signal), controller.run(signal)]);
}

async function look(deps: DrillDeps, drill: Drill, begun: CheckClock, signal: AbortSignal): Promise<Outcome> {
  const desk = new Desk(deps, drill);
  if (drill.metadata.deletionTimestamp) return letGo(desk, signal);
  if (isDrillSchedule(drill)) return lookSchedule(deps, drill, signal);
  if (isDrillEnded(drill)) return undefined;
  const phase = drillPhaseOf(drill);
  if (drill.metadata.annotations?.[cancelAnnotation] === "true" && phase !== "CleaningUp")
    return cancel(desk);
  switch (phase) {
    case "New":
    case "Scheduled":
      return begin(desk, signal);
    case "Preparing":
      return prepare(desk, signal);
    case "Restoring":
      return restoring(desk, signal);
    case "Checking":
      return checking(desk, begun, signal);
    case "CleaningUp": {
      const going = await cleanUp(desk, signal);
      if (going === undefined) return finish(desk, {}, signal);
      desk.tell({ cleanup: { state: "running", waitingFor: { reason: "deletion", message: going } } });
      return { againAfterMs: 500 };
    }
    default:
      return undefined; // it has ended
  }
}

function cancel(desk: Desk): Promise<Outcome> {
  const running = desk.status.steps?.find(({ state }) => state === "running");
  return toCleanUp(desk, (running?.name ?? "prepare") satisfies DrillStep, []);
}

/** A deleted drill goes when nothing of it is left. */
async function letGo(desk: Desk, signal: AbortSignal): Promise<Outcome> {
  const { metadata } = desk.drill;
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(drillNames.finalizer)) return undefined;
  const going = await cleanUp(desk, signal);
  if (going !== undefined) return { againAfterMs: 500 };
  desk.deps.report.forget(desk.drill);
  const body = {
    metadata: { uid: metadata.uid, finalizers: finalizers.filter((one) => one !== drillNames.finalizer) },
  };
  const place = { namespace: desk.deps.namespace };
  await desk.deps.client
    .patch(resources.drills, metadata.name, { type: "merge", body }, place, signal)
    .catch(ignoreNotFound);
  return undefined;
}
