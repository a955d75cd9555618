import { AppError } from "../../../errors.ts";
import { resources } from "../core-objects.ts";
import { Lines } from "../lines.ts";
import { PhaseOutput } from "../phase-output.ts";
import type { FuncProgress, Part } from "../phase-progress.ts";
import type { Output } from "../status.ts";
import type { Call, Func } from "./call.ts";

/** KubeExec: a command in a container that runs already. */
export const kubeExec: Func = async (call) => {
  const { args, progress } = call;
  refuseResumed(call);
  const where = {
    namespace: args.need("namespace"),
    pod: args.need("pod"),
    container: args.text("container"),
  };
  progress.update({ percent: 0, step: `running in pod ${where.pod}` });
  const output = await execute(call, where, args.texts("command"), (news) => {
    const { percent, ...more } = news;
    if (percent === undefined) progress.update(more);
    else progress.executing(percent / 100, more);
  });
  progress.executed();
  return output;
};

/** KubeExecAll: a command in every container of every pod at the same time; any failure fails all. */
export const kubeExecAll: Func = async (call) => {
  const { args, progress } = call;
  refuseResumed(call);
  const namespace = args.need("namespace");
  const places = args
    .words("pods")
    .flatMap((pod) => args.words("containers").map((container) => ({ namespace, pod, container })));
  const parts = new Map<string, Part["state"]>(places.map((place) => [titleOf(place), "running"]));
  const tell = () => {
    const states = [...parts.values()];
    const done = states.filter((state) => state === "completed").length;
    progress.executing(places.length === 0 ? 1 : done / places.length, {
      step: `${done} of ${places.length} containers done`,
      parts: [...parts].map(([name, state]) => ({ name, state })),
    });
  };
  progress.prepared();
  tell();
  const results = await Promise.allSettled(
    places.map(async (place) => {
      try {
        const output = await execute(call, place, args.texts("command"), () => undefined);
        parts.set(titleOf(place), "completed");
        return output;
      } catch (error) {
        parts.set(titleOf(place), "failed");
        throw error;
      } finally {
        tell();
      }
    }),
  );
  call.signal.throwIfAborted();
  const faults = results.flatMap((one) => (one.status === "rejected" ? [wordsOf(one.reason)] : []));
  if (faults.length > 0) throw new AppError("ACTION_COMMAND", faults.join("\n"), { retry: false });
  progress.executed();
  return Object.assign(
    {},
    ...results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])),
  ) as Output;
};

/** A container to run in; no container means the pod's only or default one. */
export interface ExecPlace {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Runs a command and returns the outputs that it printed; what it says of its progress is handed on. */
export async function execute(
  { deps, mask, signal }: Call,
  { namespace, pod, container }: ExecPlace,
  command: readonly string[],
  onProgress: (news: FuncProgress) => void,
  more: { readonly stdin?: AsyncIterable<Uint8Array>; readonly onLine?: (line: string) => void } = {},
): Promise<Output> {
  const output = new PhaseOutput(onProgress, mask);
  const take = (line: string) => {
    more.onLine?.(line);
    output.take(line);
  };
  const [stdout, stderr] = [new Lines(take), new Lines(take)];
  const { exitCode } = await deps.client.exec(
    resources.pods,
    pod,
    {
      namespace,
      container: container === "" ? undefined : container,
      command,
      ...(more.stdin && { stdin: more.stdin }),
      onStdout: (chunk) => stdout.push(chunk),
      onStderr: (chunk) => stderr.push(chunk),
    },
    signal,
  );
  stdout.end();
  stderr.end();
  if (exitCode === 0) return output.output;
  const said = output.lastWords === "" ? "" : `; its last lines:\n${output.lastWords}`;
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

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
