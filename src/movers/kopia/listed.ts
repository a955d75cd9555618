import type { ListedSnapshot } from "../listing.ts";

/** A line of `kopia manifest list`: an id, a size, a time, and the labels, of which tags are some. */
export function listed(line: string): ListedSnapshot | undefined {
  const [id = "", ...words] = line.trim().split(/\s+/);
  if (!/^[0-9a-f]{32}$/.test(id) || !words.includes("type:snapshot")) return undefined;
  return {
    id,
    tags: words.filter((word) => word.startsWith("tag:")).map((word) => word.slice("tag:".length)),
  };
}
