import { type Drill, kinds } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { cancelPatch, isDrillEnded, isDrillSchedule } from "../../kinds/index.ts";
import { builtIn, resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import { givenWords } from "../given-file.ts";
import type { Io } from "../io.ts";
import { demandNamed, isPrinted, makeOrShow } from "../make.ts";
import { nameFrom } from "../restore/spec.ts";
import { verdictWords } from "./describe-text.ts";
import { drillSpecOf } from "./spec.ts";

const drills = resourceOf(kinds.Drill);

/** Makes a drill and waits for its verdict. */
export function runDrill(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  return createDrill({ ...input, flags: { ...input.flags, wait: true } }, io, signal);
}

/** Makes a drill from the flags, or prints it with `-o`; `--wait` stays until it has ended. */
export async function createDrill(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const file = text(input, "checks");
  const spec = drillSpecOf(input, file === undefined ? undefined : await givenWords("checks", file));
  const source = text(input, "from-backup") ?? text(input, "from-schedule") ?? "";
  const name = input.args[0] ?? nameFrom(source, Date.now());
  return withCluster(input, io, async ({ client, namespace }) => {
    const drill = {
      apiVersion: "headway.dev/v1alpha1" as const,
      kind: "Drill" as const,
      metadata: { name, namespace },
      spec,
    };
    if (!isPrinted(input)) {
      const named = [
        { word: "backup", resource: resourceOf(kinds.Backup), name: text(input, "from-backup") },
        { word: "schedule", resource: resourceOf(kinds.Schedule), name: text(input, "from-schedule") },
        { word: "ConfigMap", resource: builtIn.configMaps, name: text(input, "resource-modifier-configmap") },
      ];
      await demandNamed(client, namespace, named, signal);
    }
    const make = (options: { readonly dryRun: boolean }) =>
      client.create<Drill>(drills, drill, options, signal);
    if (!(await makeOrShow([drill], drills, { input, io }, make))) return 0;
    io.err(`drill "${name}" was requested\n`);
    if (!given(input, "wait") || isDrillSchedule(drill)) {
      io.err(`\`headway drill describe ${name}\` tells more\n`);
      return 0;
    }
    const { waitForEnd } = await import("../watch/wait.ts");
    const code = await waitForEnd({ kind: "drill", namespace, name }, input, io, signal);
    const ended = await client.get<Drill>(drills, name, { namespace }, signal);
    io.out(verdictWords(ended));
    return code;
  });
}

/** Asks a drill to stop. */
export async function cancelDrill(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const [name = ""] = input.args;
  await withCluster(input, io, async ({ client, namespace }) => {
    const drill = await client.get<Drill>(drills, name, { namespace }, signal);
    if (isDrillEnded(drill) || isDrillSchedule(drill)) {
      throw new AppError("USAGE", `drill "${name}" does not run: there is nothing to cancel`, {
        retry: false,
      });
    }
    await client.patch(drills, name, { type: "merge", body: cancelPatch("Drill") }, { namespace }, signal);
    io.err(`drill "${name}" was asked to stop\n`);
  });
}

/** Deletes drills; the operator removes what they made, then lets them go. */
export async function deleteDrills(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async ({ client, namespace }) => {
    for (const name of input.args) {
      await client.delete(drills, name, { namespace }, signal);
      io.err(`the deletion of drill "${name}" was requested\n`);
    }
  });
}
