import type { KubeObject } from "../api/index.ts";
import type { Resource } from "../kube/index.ts";
import type { ChosenCluster } from "./cluster.ts";
import { type Input, text } from "./command.ts";
import type { Io } from "./io.ts";
import type { TableStyle } from "./render/table.ts";

/** How a list is drawn: `wide` with all there is to say, and never cut. */
export interface ListStyle extends TableStyle {
  readonly wide: boolean;
}

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
  resource: Resource,
  { input, io }: { readonly input: Input; readonly io: Io },
  table: (found: readonly T[], style: ListStyle) => string,
): Promise<void> {
  const format = text(input, "output") ?? "table";
  if (format === "name") return io.out(found.map((object) => `${nameOf(resource, object)}\n`).join(""));
  if (format === "table" || format === "wide") {
    const wide = format === "wide";
    if (found.length === 0 && io.terminal) return io.err(`no ${resource.plural} in this namespace\n`);
    return io.out(table(found, { wide, columns: wide ? undefined : io.terminal?.columns }));
  }
  const { structured } = await import("./render/structured.ts");
  const typed = found.map((object) => ({ ...typeOf(resource), ...object }));
  const one = input.args.length === 1 && found.length === 1;
  io.out(await structured(one ? typed[0] : { apiVersion: "v1", kind: "List", items: typed }, format));
}

/** The name of an object as kubectl prints and takes it: `backup.velero.io/nightly`. */
export function nameOf(
  { kind, group }: Resource,
  { metadata }: { readonly metadata: { readonly name: string } },
): string {
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${metadata.name}`;
}

/** Items of a list come without their type. */
function typeOf({ group, version, kind }: Resource): { readonly apiVersion: string; readonly kind: string } {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind };
}
