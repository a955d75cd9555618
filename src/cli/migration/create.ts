import { kinds, type MigPlan } from "../../api/index.ts";
import { settingNames } from "../../engines/migration/index.ts";
import { AppError } from "../../errors.ts";
import { resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { isPrinted } from "../make.ts";
import { createObjects, headOf } from "./objects.ts";

/** Starts a run of a plan; `--wait` stays until it has ended. */
export async function createMigration(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const plan = text(input, "plan") ?? "";
  const namespace = text(input, "namespace") ?? io.env["VELERO_NAMESPACE"] ?? "velero";
  const isStage = given(input, "stage");
  const isRollback = given(input, "rollback");
  const other = ["stage", "quiesce", "verify"].find((flag) => given(input, flag));
  if (isRollback && other !== undefined) {
    throw new AppError("USAGE", `--rollback does not go with --${other}`, { retry: false });
  }
  const word = isRollback ? "rollback" : isStage ? "stage" : "final";
  const name = input.args[0] ?? nameFor(plan, word, Date.now());
  const head = headOf("MigMigration", name, namespace);
  const annotations = {
    ...(given(input, "rollback-on-failure") && { [settingNames.rollback]: "true" }),
    ...(given(input, "accept-missing-volumes") && { [settingNames.acceptMissing]: "true" }),
    ...(given(input, "fail-on-partial") && { [settingNames.partial]: "fail" }),
  };
  const object = {
    ...head,
    metadata: { ...head.metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      migPlanRef: { name: plan, namespace },
      stage: isStage,
      ...(isRollback && { rollback: true }),
      ...(given(input, "quiesce") && { quiescePods: true }),
      ...(given(input, "verify") && { verify: true }),
      ...(given(input, "keep-annotations") && { keepAnnotations: true }),
    },
  };
  if (!isPrinted(input)) await refuseUselessRun(input, io, plan, signal);
  if (!(await createObjects([object], { input, io }, signal))) return 0;
  io.err(`migration "${name}" was requested\n`);
  if (!given(input, "wait")) {
    io.err(`\`headway migration watch ${name}\` shows how far it is\n`);
    return 0;
  }
  const { waitForEnd } = await import("../watch/wait.ts");
  return waitForEnd({ kind: "migration", namespace, name }, input, io, signal);
}

/** A plan that is not there or closed runs nothing: told now, instead of in a condition that nobody reads. */
async function refuseUselessRun(input: Input, io: Io, plan: string, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async ({ client, namespace }) => {
    const plans = await client.list<MigPlan>(resourceOf(kinds.MigPlan), { namespace }, signal);
    const found = plans.find(({ metadata }) => metadata.name === plan);
    if (!found) {
      const others = plans.filter(({ spec }) => spec?.closed !== true).map(({ metadata }) => metadata.name);
      const there =
        others.length === 0
          ? 'there is none: "headway plan create" makes one'
          : `there are ${others.slice(0, 20).join(", ")}`;
      const words = `there is no plan "${plan}" in namespace "${namespace}"; ${there}`;
      throw new AppError("USAGE", words, { retry: false });
    }
    if (found.spec?.closed !== true) return;
    throw new AppError("USAGE", `plan "${plan}" is closed: make another one with "headway plan create"`, {
      retry: false,
    });
  });
}

/** Follows a run until it has ended: its pipeline, and what the running step works on. */
export async function watchMigration(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const [name = ""] = input.args;
  const namespace = text(input, "namespace") ?? io.env["VELERO_NAMESPACE"] ?? "velero";
  const { runWatch } = await import("../watch/run.ts");
  const args = [`migration/${namespace}/${name}`];
  return runWatch({ args, flags: { ...input.flags, namespace, wait: true } }, io, signal);
}

/** `shop-stage-20261115120000`. */
function nameFor(plan: string, word: string, nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);
  return `${plan.slice(0, 40)}-${word}-${time}`;
}
