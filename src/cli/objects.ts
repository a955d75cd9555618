import type { KubeObject } from "../api/index.ts";
import type { Resource } from "../kube/index.ts";
import type { ChosenCluster } from "./cluster.ts";
import { type Input, text } from "./command.ts";
import type { Io } from "./io.ts";

/** The objects that arguments and `--selector` name; all when they name none. */
export async function chosenObjects<T extends KubeObject>(
  { client, namespace }: ChosenCluster,
  resource: Resource,
  input: Input,
  signal: AbortSignal,
): Promise<T[]> {
  if (input.args.length > 0) {
    return Promise.all(input.args.map((name) => client.get<T>(resource, name, { namespace }, signal)));
  }
  return client.list<T>(resource, { namespace, labelSelector: text(input, "selector") }, signal);
}

/** Prints objects as `--output` asks, as a table when it does not; one that was named alone is not wrapped into a list. */
export async function printObjects<T extends KubeObject>(
  found: readonly T[],
  input: Input,
  io: Io,
  table: (found: readonly T[]) => string,
): Promise<void> {
  const format = text(input, "output") ?? "table";
  if (format === "name") return io.out(found.map(({ metadata }) => `${metadata.name}\n`).join(""));
  if (format === "table") return io.out(table(found));
  const { structured } = await import("./render/structured.ts");
  const one = input.args.length === 1 && found.length === 1;
  io.out(await structured(one ? found[0] : { apiVersion: "v1", kind: "List", items: found }, format));
}
