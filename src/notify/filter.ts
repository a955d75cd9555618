import { isRecord } from "../api/index.ts";
import type { RootObject } from "../kinds/index.ts";
import type { Operation } from "../progress/index.ts";
import type { EventWord, Filter } from "./config.ts";

/** Whether a receiver wants to hear this of that operation. Outcomes narrow the ends only. */
export function wants(
  { events, kinds, namespaces, outcomes }: Filter,
  event: EventWord,
  { ref, state }: Operation,
  about: readonly string[],
): boolean {
  const isEnd = event === "completed" || event === "failed" || event === "canceled";
  return (
    (events.length === 0 || events.includes(event)) &&
    (kinds.length === 0 || kinds.some((kind) => kind.toLowerCase() === ref.kind.toLowerCase())) &&
    (namespaces.length === 0 || about.some((name) => namespaces.some((pattern) => matches(pattern, name)))) &&
    (!isEnd || outcomes.length === 0 || outcomes.includes(state))
  );
}

/** The namespaces that an operation is about: its own, and those that it backs up, restores or acts on. `*` stands for all. */
export function namespacesOf(object: RootObject): readonly string[] {
  const spec: unknown = object.spec;
  const { includedNamespaces, actions } = isRecord(spec) ? spec : {};
  const included = Array.isArray(includedNamespaces) ? includedNamespaces : [];
  const acted = (Array.isArray(actions) ? actions : []).map((action: unknown) => {
    const on = isRecord(action) ? action["object"] : undefined;
    return isRecord(on) ? on["namespace"] : undefined;
  });
  const takesAll = (object.kind === "Backup" || object.kind === "Restore") && included.length === 0;
  const all = [object.metadata.namespace, ...included, ...acted, ...(takesAll ? ["*"] : [])];
  return [...new Set(all.filter((one): one is string => typeof one === "string" && one !== ""))];
}

/** A pattern of the configuration against a name, which may be a pattern itself; `*` of the operation is any. */
function matches(pattern: string, name: string): boolean {
  if (name === "*" || pattern === "*" || pattern === name) return true;
  const parts = pattern.split("*").map((part) => part.replace(/[^\w-]/g, String.raw`\$&`));
  return parts.length > 1 && new RegExp(`^${parts.join("[^/]*")}$`).test(name);
}
