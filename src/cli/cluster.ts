import type { Client } from "../kube/index.ts";
import { type Input, text } from "./command.ts";
import type { Io } from "./io.ts";

/** The cluster that a command line means, and the namespace of the server's objects in it. */
export interface ChosenCluster {
  readonly client: Client;
  readonly namespace: string;
}

/** How it is opened. */
interface OpenOptions {
  /** Another context than that of the flags. */
  readonly context?: string | undefined;
  /** Whoever runs for days waits for a cluster; a person at a terminal wants to know that it is away. */
  readonly isLasting?: boolean;
}

/** A person waits so long at most: three tries to connect, or for an answer that does not come. */
const impatience = { retries: 2, connectMs: 5_000, timeoutMs: 30_000 } as const;

/** Opens the cluster that the flags and the environment name. */
export async function openCluster(
  input: Input,
  io: Io,
  { context = text(input, "context"), isLasting = false }: OpenOptions = {},
): Promise<ChosenCluster> {
  const { connect } = await import("../kube/index.ts");
  const client = await connect({
    kubeconfig: text(input, "kubeconfig"),
    context,
    env: io.env,
    ...(isLasting ? {} : impatience),
  });
  return { client, namespace: text(input, "namespace") ?? io.env["VELERO_NAMESPACE"] ?? "velero" };
}

/** Opens it, works with it, and closes it whatever happens. */
export async function withCluster<T>(
  input: Input,
  io: Io,
  work: (cluster: ChosenCluster) => Promise<T>,
): Promise<T> {
  const cluster = await openCluster(input, io);
  try {
    return await work(cluster);
  } finally {
    cluster.client.close();
  }
}
