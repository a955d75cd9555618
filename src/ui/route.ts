import type { Filters } from "./filters.ts";

/** What the page shows, as its address tells it. */
export type Route =
  | { readonly page: "overview" }
  | { readonly page: "schedules" }
  | { readonly page: "operations"; readonly filters: Filters }
  | {
      readonly page: "operation";
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      /** Empty where there is one cluster only. */
      readonly cluster: string;
      readonly step?: string;
    }
  | { readonly page: "create"; readonly what: CreateWhat; readonly from?: string; readonly cluster: string }
  | { readonly page: "unknown" };

/** What can be started. */
export const createWhats = ["backup", "restore", "action", "migration"] as const;

/** One of the things that can be started. */
export type CreateWhat = (typeof createWhats)[number];

/** Nothing is narrowed. */
export const noFilters: Filters = { text: "", kinds: [], states: [], namespaces: [], clusters: [] };

/** Reads an address; whatever is not understood in it is left out. */
export function readRoute(path: string, search: string): Route {
  const [first = "", ...rest] = path.split("/").filter(Boolean).map(decode);
  const query = new URLSearchParams(search);
  const cluster = query.get("cluster") ?? "";
  if (first === "") return { page: "overview" };
  if (first === "schedules" && rest.length === 0) return { page: "schedules" };
  if (first === "operations" && rest.length === 0) return { page: "operations", filters: readFilters(query) };
  if (first === "create") {
    const what = createWhats.find((known) => known === rest[0]);
    const from = query.get("from");
    return what ? { page: "create", what, cluster, ...(from && { from }) } : { page: "unknown" };
  }
  const [kind, namespace, name] = rest;
  if (first !== "operations" || !kind || !namespace || !name) return { page: "unknown" };
  const step = query.get("step");
  return { page: "operation", kind, namespace, name, cluster, ...(step && { step }) };
}

/** The address of a route. */
export function writeRoute(route: Route): string {
  switch (route.page) {
    case "overview":
      return "/";
    case "schedules":
      return "/schedules";
    case "operations":
      return `/operations${written(filterQuery(route.filters))}`;
    case "operation": {
      const { kind, namespace, name, cluster, step } = route;
      const path = [kind, namespace, name].map(encodeURIComponent).join("/");
      return `/operations/${path}${queried({ cluster, step })}`;
    }
    case "create":
      return `/create/${route.what}${queried({ cluster: route.cluster, from: route.from })}`;
    case "unknown":
      return "/";
  }
}

/** The address of an operation by its id: `kind/namespace/name`, and `@cluster` where there are several. */
export function operationAddress(id: string): string {
  const at = id.indexOf("@");
  const [kind = "", namespace = "", name = ""] = (at < 0 ? id : id.slice(0, at)).split("/");
  return writeRoute({ page: "operation", kind, namespace, name, cluster: at < 0 ? "" : id.slice(at + 1) });
}

/** The id of the operation that an address means. */
export function idOf({ kind, namespace, name, cluster }: Extract<Route, { page: "operation" }>): string {
  return `${kind}/${namespace}/${name}${cluster === "" ? "" : `@${cluster}`}`;
}

function readFilters(query: URLSearchParams): Filters {
  const list = (name: string) => (query.get(name) ?? "").split(",").filter(Boolean);
  return {
    text: query.get("q") ?? "",
    kinds: list("kind"),
    states: list("state"),
    namespaces: list("namespace"),
    clusters: list("cluster"),
  };
}

function filterQuery({ text, kinds, states, namespaces, clusters }: Filters): URLSearchParams {
  const query = new URLSearchParams();
  if (text !== "") query.set("q", text);
  const lists = { kind: kinds, state: states, namespace: namespaces, cluster: clusters };
  for (const [name, values] of Object.entries(lists)) {
    if (values.length > 0) query.set(name, values.join(","));
  }
  return query;
}

function queried(values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  return written(query);
}

function written(query: URLSearchParams): string {
  const text = query.toString().replaceAll("%2C", ",");
  return text === "" ? "" : `?${text}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is a % here
  }
}
