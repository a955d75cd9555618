import type { About } from "../observe/index.ts";
import { server } from "./server.ts";
import { useAsked } from "./use-asked.ts";

/** The names of the clusters that answer; a single one has the empty name. */
export function useClusters({ several, objects }: About): readonly string[] {
  const { value = [] } = useAsked(several ? "clusters" : undefined, server.clusters, 10_000);
  if (!objects) return [];
  return several ? value.filter(({ error }) => error === undefined).map(({ name }) => name) : [""];
}
