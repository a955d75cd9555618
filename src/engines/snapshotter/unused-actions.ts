import type { PluginInfo } from "./plugins.ts";

/** Kinds that are used; everything else that a program offers is not. */
const used = ["VolumeSnapshotter", "ObjectStore", "PluginLister", ""];

/** Whether a plugin is one that nothing here ever calls. */
export function isUnused({ kind, source }: { readonly kind: string; readonly source?: string }): boolean {
  return source === "program" && !used.includes(kind);
}

/** What a person should know of plugin programs whose item actions are not run: one sentence a program. */
export function unusedActions(all: readonly PluginInfo[]): readonly string[] {
  const byProgram = Map.groupBy(all.filter(isUnused), ({ path = "" }) => path);
  return [...byProgram].map(([path, some]) => {
    const names = some.slice(0, 10).map(({ kind, name }) => `${kind} ${name}`);
    const more = some.length > 10 ? ` and ${some.length - 10} more` : "";
    return `plugin program "${path}" offers ${names.join(", ")}${more}, which are not run`;
  });
}
