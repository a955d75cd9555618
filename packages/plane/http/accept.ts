/** What the client wants back. */
export interface Accepted {
  readonly media: "json" | "yaml";
  /** `Table`, `PartialObjectMetadata`, `APIGroupDiscoveryList`… */
  readonly as?: string;
  readonly version?: string;
}

/** The first representation of an Accept header that we have, or undefined when there is none. */
export function negotiate(header: string | undefined): Accepted | undefined {
  if (header === undefined || header.trim() === "") return { media: "json" };
  for (const entry of header.split(",")) {
    const [type = "", ...parameters] = entry.split(";").map((part) => part.trim());
    const media = mediaOf(type);
    if (!media) continue;
    const named = new Map(parameters.map((p) => p.split("=", 2) as [string, string]));
    const as = named.get("as");
    const version = named.get("v");
    if (as !== undefined && !known.has(as)) continue;
    return { media, ...(as !== undefined && { as }), ...(version !== undefined && { version }) };
  }
  return undefined;
}

const known = new Set([
  "Table",
  "PartialObjectMetadata",
  "PartialObjectMetadataList",
  "APIGroupDiscoveryList",
]);

function mediaOf(type: string): "json" | "yaml" | undefined {
  switch (type) {
    case "application/json":
    case "application/*":
    case "*/*":
      return "json";
    case "application/yaml":
      return "yaml";
    default:
      return undefined;
  }
}
