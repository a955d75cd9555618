import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";

/** Shows an ActionSet until it has ended; the exit code tells how. */
export async function watchActionSet(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const namespace = text(input, "namespace") ?? io.env["VELERO_NAMESPACE"] ?? "velero";
  return watchSet(input.args[0] ?? "", namespace, input, io, signal);
}

/** The same for a name and namespace that are known already. */
export async function watchSet(
  name: string,
  namespace: string,
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  const { runWatch } = await import("../watch/run.ts");
  const { kubeconfig, context } = input.flags;
  const flags = { kubeconfig, context, namespace, wait: true };
  return runWatch({ args: [`actionset/${namespace}/${name}`], flags }, io, signal);
}
