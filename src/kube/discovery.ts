import { messageOf } from "../errors.ts";
import type { Resource } from "./resource.ts";
import type { Transport } from "./transport.ts";

/** A resource as the server lists it. */
export interface DiscoveredResource extends Resource {
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly string[];
  /** This version is the one to use among the group's versions that have the resource. */
  readonly preferred: boolean;
}

/** What a cluster serves; a group that could not be asked is in `failed` and hides nothing else. */
export interface Discovery {
  readonly resources: readonly DiscoveredResource[];
  readonly failed: readonly { readonly groupVersion: string; readonly message: string }[];
}

/** Asks the server what it serves: two requests where it knows aggregated discovery, one per version elsewhere. */
export async function discover(transport: Transport, signal?: AbortSignal): Promise<Discovery> {
  const found = await Promise.all(["/api", "/apis"].map((path) => root(transport, path, signal)));
  const versions = found.flat();
  return {
    resources: markPreferred(versions.flatMap((version) => version.resources)),
    failed: versions.flatMap(({ groupVersion, failure }) =>
      failure === undefined ? [] : [{ groupVersion, message: failure }],
    ),
  };
}

/** The resource that a person means by `backups`, `backup`, `bk`, `Backup`, `backups.velero.io` or `backups.v1.velero.io`. */
export function findResource(
  resources: readonly DiscoveredResource[],
  word: string,
): DiscoveredResource | undefined {
  const [name = "", ...rest] = word.toLowerCase().split(".");
  const suffix = rest.join(".");
  const fits = (r: DiscoveredResource) =>
    suffix === "" ? r.preferred : (suffix === r.group && r.preferred) || suffix === `${r.version}.${r.group}`;
  const candidates = resources.filter(fits);
  return (
    candidates.find((r) => r.plural === name) ??
    candidates.find((r) => r.singular === name || r.kind.toLowerCase() === name) ??
    candidates.find((r) => r.shortNames.includes(name))
  );
}

const accept = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

interface Version {
  readonly groupVersion: string;
  readonly resources: readonly Omit<DiscoveredResource, "preferred">[];
  readonly failure?: string;
}

type Answer = Readonly<Record<string, unknown>>;

async function root(transport: Transport, path: string, signal?: AbortSignal): Promise<Version[]> {
  const answer = await transport.json<Answer>(
    { method: "GET", path, accept, attempt: `discover "${path}"`, repeat: "safe" },
    signal,
  );
  if (answer["kind"] === "APIGroupDiscoveryList") return readAggregated(answer);
  return Promise.all(groupVersions(answer).map((version) => legacy(transport, path, version, signal)));
}

/** Reads `APIGroupDiscoveryList`; groups and versions come in the server's order of preference. */
export function readAggregated(answer: Answer): Version[] {
  return list(answer["items"]).flatMap((group) => {
    const name = text(object(group["metadata"])["name"]);
    return list(group["versions"]).map((version) => {
      const groupVersion = join(name, text(version["version"]));
      return {
        groupVersion,
        resources: list(version["resources"]).flatMap((r) =>
          aggregatedResource(r, name, text(version["version"])),
        ),
        ...(version["freshness"] === "Stale" && { failure: "the server could not ask the API behind it" }),
      };
    });
  });
}

function aggregatedResource(
  r: Answer,
  group: string,
  version: string,
): Omit<DiscoveredResource, "preferred">[] {
  const kind = object(r["responseKind"]);
  // A resource that is only a path for its subresources names no kind.
  if (typeof kind["kind"] !== "string" || kind["kind"] === "") return [];
  return [
    {
      group,
      version,
      plural: text(r["resource"]),
      kind: kind["kind"],
      namespaced: r["scope"] === "Namespaced",
      singular: text(r["singularResource"]),
      verbs: words(r["verbs"]),
      shortNames: words(r["shortNames"]),
      categories: words(r["categories"]),
      subresources: list(r["subresources"]).map((sub) => text(sub["subresource"])),
    },
  ];
}

/** The versions that `APIVersions` or `APIGroupList` names, the preferred one of each group first. */
export function groupVersions(answer: Answer): string[] {
  if (answer["kind"] === "APIVersions") return words(answer["versions"]);
  return list(answer["groups"]).flatMap((group) => {
    const preferred = text(object(group["preferredVersion"])["groupVersion"]);
    const all = list(group["versions"]).map((version) => text(version["groupVersion"]));
    return [...all.filter((v) => v === preferred), ...all.filter((v) => v !== preferred)];
  });
}

async function legacy(
  transport: Transport,
  path: string,
  groupVersion: string,
  signal?: AbortSignal,
): Promise<Version> {
  try {
    const answer = await transport.json<Answer>(
      {
        method: "GET",
        path: `${path}/${groupVersion}`,
        attempt: `discover "${groupVersion}"`,
        repeat: "safe",
      },
      signal,
    );
    return { groupVersion, resources: readLegacy(answer, groupVersion) };
  } catch (error) {
    signal?.throwIfAborted();
    return { groupVersion, resources: [], failure: messageOf(error) };
  }
}

/** Reads `APIResourceList`, where subresources stand beside their resources. */
export function readLegacy(answer: Answer, groupVersion: string): Omit<DiscoveredResource, "preferred">[] {
  const [group, version] = groupVersion.includes("/") ? groupVersion.split("/", 2) : ["", groupVersion];
  const all = list(answer["resources"]);
  return all
    .filter((r) => !text(r["name"]).includes("/"))
    .map((r) => ({
      group: group ?? "",
      version: version ?? "",
      plural: text(r["name"]),
      kind: text(r["kind"]),
      namespaced: r["namespaced"] === true,
      singular: text(r["singularName"]),
      verbs: words(r["verbs"]),
      shortNames: words(r["shortNames"]),
      categories: words(r["categories"]),
      subresources: all
        .map((sub) => text(sub["name"]))
        .filter((name) => name.startsWith(`${text(r["name"])}/`))
        .map((name) => name.slice(text(r["name"]).length + 1)),
    }));
}

/** The first version that has a resource is the one to use: versions come in the order of preference. */
function markPreferred(all: readonly Omit<DiscoveredResource, "preferred">[]): DiscoveredResource[] {
  const seen = new Set<string>();
  return all.map((resource) => {
    const key = `${resource.group}/${resource.plural}`;
    const preferred = !seen.has(key);
    seen.add(key);
    return { ...resource, preferred };
  });
}

function join(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

function list(value: unknown): readonly Answer[] {
  return Array.isArray(value) ? value.map(object) : [];
}

function object(value: unknown): Answer {
  return typeof value === "object" && value !== null ? (value as Answer) : {}; // checked right here
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
