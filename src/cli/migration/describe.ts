import { kinds, type MigMigration, type MigStep } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { resourceOf } from "../../kube/index.ts";
import { formatDuration } from "../../progress/index.ts";
import { moment } from "../backup/words.ts";
import { withCluster } from "../cluster.ts";
import { given, type Input } from "../command.ts";
import type { Io } from "../io.ts";
import { clean } from "../render/text.ts";
import { conditionLines, getObjects } from "./objects.ts";

const migrations = resourceOf(kinds.MigMigration);

/** Lists runs. */
export function getMigrations(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  return getObjects(
    "MigMigration",
    {
      headings: ["NAME", "PLAN", "TYPE", "STATUS", "STEP", "PHASE", "STARTED"],
      rowOf: (run) => [
        run.metadata.name,
        run.spec?.migPlanRef?.name ?? "",
        typeOf(run),
        outcomeOf(run),
        run.status?.step ?? "",
        run.status?.phase || (run.status?.startTimestamp ? "Created" : ""),
        moment(run.status?.startTimestamp),
      ],
    },
    { input, io },
    signal,
  );
}

/** Tells everything about runs. */
export async function describeMigrations(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async ({ client, namespace }) => {
    const texts: string[] = [];
    for (const name of input.args) {
      const run = await client.get<MigMigration>(migrations, name, { namespace }, signal);
      texts.push(describeText(run, given(input, "details"), Date.now()));
    }
    io.out(texts.join("\n"));
  });
}

/** Asks runs to stop and to undo what they did. */
export async function cancelMigration(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  await withCluster(input, io, async ({ client, namespace }) => {
    const run = await client.get<MigMigration>(migrations, name, { namespace }, signal);
    const ended = outcomeOf(run);
    if (run.status?.phase === "Completed" || ended === "Failed") {
      throw new AppError("USAGE", `migration "${name}" has ended as ${ended}: there is nothing to cancel`, {
        retry: false,
      });
    }
    const body = { spec: { canceled: true } };
    await client.patch(migrations, name, { type: "merge", body }, { namespace }, signal);
    io.err(`migration "${name}" was asked to stop; what it made on the destination is deleted\n`);
  });
}

/** One word for what a run is to do. */
export function typeOf({ spec }: Pick<MigMigration, "spec">): string {
  if (spec?.rollback === true) return "Rollback";
  return spec?.stage === true ? "Stage" : "Final";
}

/** One word for how a run stands. */
export function outcomeOf({ status }: MigMigration): string {
  const has = (type: string) => status?.conditions?.some((one) => one.type === type && one.status === "True");
  const known = ["Canceled", "Canceling", "Failed", "SucceededWithWarnings", "Succeeded", "Postponed"];
  const found = known.find((type) => has(type));
  if (found) return found;
  const held = status?.conditions?.find(({ category }) => category === "Critical");
  return held?.type ?? (status?.startTimestamp ? "Running" : "New");
}

/** Everything about a run, for a person. */
export function describeText(run: MigMigration, details: boolean, nowMs: number): string {
  const { metadata, spec, status } = run;
  const running = status?.conditions?.find(({ type }) => type === "Running");
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Name", metadata.name],
    ["Namespace", metadata.namespace],
    ["Plan", spec?.migPlanRef?.name],
    ["Type", typeOf(run)],
    ["Status", outcomeOf(run)],
    ["Itinerary", status?.itinerary],
    ["Phase", running ? `${status?.phase || "Created"} (${running.message})` : status?.phase],
    ["Progress", running?.progress],
    ["Started", status?.startTimestamp && moment(status.startTimestamp)],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`${`${name}:`.padEnd(11)} ${value}`] : []));
  if (status?.errors?.length) lines.push("Errors:", ...status.errors.map((error) => `  ${error}`));
  if (status?.pipeline?.length)
    lines.push("Steps:", ...status.pipeline.flatMap((step) => stepLines(step, details, nowMs)));
  const conditions = conditionLines(status?.conditions);
  if (conditions.length > 0) lines.push("Conditions:", ...conditions);
  return `${lines.map((line) => line.replace(/^(\s*)(.*)$/s, (_, space: string, rest: string) => space + clean(rest))).join("\n")}\n`;
}

function stepLines(step: MigStep, details: boolean, nowMs: number): readonly string[] {
  const took = durationOf(step.started, step.completed, nowMs);
  const remark = step.skipped && step.reason ? `${step.message}, ${step.reason}` : (step.message ?? "");
  const where = step.failed && step.phase ? ` in ${step.phase}` : "";
  const phases = details
    ? (step.phases ?? []).map(({ name = "", started, completed, skipped }) => {
        const state = skipped ? "skipped" : started ? durationOf(started, completed, nowMs) : "not started";
        return `      ${name.padEnd(32)} ${state}`;
      })
    : [];
  return [
    `  ${step.name.padEnd(14)} ${took.padEnd(10)} ${remark}${where}`,
    ...(step.warnings ?? []).map((warning) => `    warning: ${warning}`),
    ...(step.progress ?? []).map((line) => `    ${line}`),
    ...phases,
  ];
}

function durationOf(started: string | undefined, completed: string | undefined, nowMs: number): string {
  if (!started) return "";
  return formatDuration(((completed ? Date.parse(completed) : nowMs) - Date.parse(started)) / 1000);
}
