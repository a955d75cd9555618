import { kinds, parseGoDurationMs, type Schedule, selectorQuery } from "../../api/index.ts";
import { parseCron } from "../../engines/backup/index.ts";
import { AppError } from "../../errors.ts";
import { resourceOf } from "../../kube/index.ts";
import { namedBy } from "../backup/create.ts";
import { pairs } from "../backup/describe-text.ts";
import { backupSpecOf, pairsOf } from "../backup/spec.ts";
import { age, listWords, moment, selectorWords } from "../backup/words.ts";
import { withCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { demandNamed, isPrinted, makeOrShow } from "../make.ts";
import { chosenObjects, type ListStyle, printObjects } from "../objects.ts";
import { table } from "../render/table.ts";

const schedules = resourceOf(kinds.Schedule);

/** Makes a Schedule from the flags, or prints it with `-o`. */
export async function createSchedule(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  const when = text(input, "schedule") ?? "";
  const cron = parseCron(when, parseGoDurationMs);
  if (typeof cron === "string") throw new AppError("USAGE", `--schedule: ${cron}`, { retry: false });
  await withCluster(input, io, async ({ client, namespace }) => {
    const schedule = {
      apiVersion: "velero.io/v1",
      kind: "Schedule",
      metadata: {
        name,
        namespace,
        labels: pairsOf(input, "labels"),
        annotations: pairsOf(input, "annotations"),
      },
      spec: {
        schedule: when,
        template: backupSpecOf(input),
        ...(given(input, "use-owner-references-in-backup") && { useOwnerReferencesInBackup: true }),
        ...(given(input, "paused") && { paused: true }),
        ...(given(input, "skip-immediately") && { skipImmediately: true }),
      },
    };
    if (!isPrinted(input)) await demandNamed(client, namespace, namedBy(input), signal);
    const make = (options: { readonly dryRun: boolean }) =>
      client.create(schedules, schedule, options, signal);
    if (await makeOrShow([schedule], schedules, { input, io }, make))
      io.err(`schedule "${name}" was created\n`);
  });
}

/** Lists schedules. */
export async function getSchedules(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async (cluster) => {
    const found = await chosenObjects<Schedule>(cluster, schedules, input, signal);
    await printObjects(found, schedules, { input, io }, (all, style) =>
      scheduleTable(all, Date.now(), style),
    );
  });
}

/** The table of `schedule get`, with upstream's columns. */
export function scheduleTable(
  found: readonly Schedule[],
  nowMs: number,
  { columns }: Pick<ListStyle, "columns"> = {},
): string {
  return table(
    ["NAME", "STATUS", "CREATED", "SCHEDULE", "BACKUP TTL", "LAST BACKUP", "SELECTOR", "PAUSED"],
    found.map(({ metadata, spec, status }) => [
      metadata.name,
      status?.phase || "New",
      moment(metadata.creationTimestamp),
      spec?.schedule ?? "",
      // Upstream says 0s, which is not how long they are kept: the server has a default.
      spec?.template.ttl ?? "default",
      status?.lastBackup ? `${age(nowMs - Date.parse(status.lastBackup))} ago` : "n/a",
      selectorWords(spec?.template.labelSelector, selectorQuery),
      String(spec?.paused ?? false),
    ]),
    { columns },
  );
}

/** Prints everything about schedules. */
export async function describeSchedules(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async (cluster) => {
    const texts = (await chosenObjects<Schedule>(cluster, schedules, input, signal)).map(
      ({ metadata, spec, status }) =>
        [
          pairs([
            ["Name", metadata.name],
            ["Namespace", metadata.namespace ?? ""],
          ]),
          pairs([["Phase", status?.phase || "New"]]),
          ...(status?.validationErrors?.length
            ? [pairs([["Validation errors", status.validationErrors.join("\n")]])]
            : []),
          pairs([["Paused", String(spec?.paused ?? false)]]),
          pairs([["Schedule", spec?.schedule ?? ""]]),
          `Backup Template:\n${pairs(
            [
              ["Namespaces", listWords(spec?.template.includedNamespaces, "*")],
              ["Storage Location", spec?.template.storageLocation ?? ""],
              ["TTL", spec?.template.ttl ?? ""],
            ],
            "  ",
          )}`,
          pairs([["Last Backup", moment(status?.lastBackup)]]),
        ].join("\n\n"),
    );
    io.out(`${texts.join("\n\n\n")}\n`);
  });
}

/** Deletes schedules; the backups they made stay. */
export async function deleteSchedules(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async ({ client, namespace }) => {
    for (const name of input.args) {
      await client.delete(schedules, name, { namespace }, signal);
      io.err(`schedule "${name}" was deleted\n`);
    }
  });
}

/** Pauses schedules, or lets them go on. */
export async function pauseSchedules(
  input: Input,
  io: Io,
  signal: AbortSignal,
  paused: boolean,
): Promise<void> {
  await withCluster(input, io, async ({ client, namespace }) => {
    const spec = { paused, ...(given(input, "skip-immediately") && { skipImmediately: true }) };
    for (const name of input.args) {
      await client.patch(schedules, name, { type: "merge", body: { spec } }, { namespace }, signal);
      io.err(`schedule "${name}" ${paused ? "is paused" : "goes on"}\n`);
    }
  });
}
