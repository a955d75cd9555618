import { LineSplitter } from "../../../../packages/wire/index.ts";
import { AppError } from "../../../errors.ts";
import { resources } from "../core-objects.ts";
import { PhaseOutput, printedLines } from "../phase-output.ts";
import type { Output } from "../status.ts";
import type { Call, Func } from "./call.ts";
import { overAll } from "./over-all.ts";

/** KubeExec: a command in a container that runs already. */
export const kubeExec: Func = async (call) => {
  const { args, progress } = call;
  refuseResumed(call);
  const where = {
    namespace: args.need("namespace"),
    pod: args.need("pod"),
    container: args.text("container"),
  };
  progress.update({ step: `running in pod ${where.pod}` });
  const output = await execute(
    call,
    where,
    args.texts("command"),
    new PhaseOutput((news) => progress.said(news), call.mask),
  );
  progress.executed();
  return output;
};

/** KubeExecAll: a command in every container of every pod at the same time; any failure fails all. */
export const kubeExecAll: Func = async (call) => {
  const { args } = call;
  refuseResumed(call);
  const namespace = args.need("namespace");
  const places = args
    .words("pods")
    .flatMap((pod) => args.words("containers").map((container) => ({ namespace, pod, container })));
  const outputs = await overAll(call, "containers", places.map(titleOf), async (_name, i, onProgress) => {
    const place = places[i];
    return place ? execute(call, place, args.texts("command"), new PhaseOutput(onProgress, call.mask)) : {};
  });
  return Object.assign({}, ...outputs) as Output;
};

/** A container to run in; no container means the pod's only or default one. */
export interface ExecPlace {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Runs a command and returns the outputs that it printed; `printed` reads each of its lines, once. */
export async function execute(
  { deps, signal }: Call,
  { namespace, pod, container }: ExecPlace,
  command: readonly string[],
  printed: Pick<PhaseOutput, "take" | "output" | "lastWords">,
  stdin?: AsyncIterable<Uint8Array>,
): Promise<Output> {
  const take = (lines: readonly string[]) => {
    for (const line of lines) printed.take(line);
  };
  const [stdout, stderr] = [new LineSplitter(printedLines), new LineSplitter(printedLines)];
  const { exitCode } = await deps.client.exec(
    resources.pods,
    pod,
    {
      namespace,
      container: container === "" ? undefined : container,
      command,
      ...(stdin && { stdin }),
      onStdout: (chunk) => take(stdout.push(chunk)),
      onStderr: (chunk) => take(stderr.push(chunk)),
    },
    signal,
  );
  take(stdout.end());
  take(stderr.end());
  if (exitCode === 0) return printed.output;
  const said = printed.lastWords === "" ? "" : `; its last lines:\n${printed.lastWords}`;
  const where = `${namespace}/${pod}${container === "" ? "" : ` (${container})`}`;
  throw new AppError("ACTION_COMMAND", `the command in pod "${where}" exited with ${exitCode}${said}`, {
    retry: false,
  });
}

/** A command in a container cannot be found again: nobody knows whether it went on. */
export function refuseResumed({ before }: Call): void {
  if (!before) return;
  throw new AppError(
    "ACTION_LOST",
    "the operator was restarted while this phase ran a command in a container; whether the command ended is not known",
    { retry: false },
  );
}

function titleOf({ pod, container }: ExecPlace): string {
  return `${pod}/${container}`;
}
