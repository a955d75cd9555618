import type { Filters } from "./order.ts";

/** What the page shows, as its address tells it. */
export type Route =
  | { readonly page: "operations"; readonly filters: Filters }
  | {
      readonly page: "operation";
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      readonly step?: string;
    }
  | { readonly page: "create"; readonly what: CreateWhat; readonly from?: string }
  | { readonly page: "unknown" };

/** What can be started. */
export const createWhats = ["backup", "restore", "action", "migration"] as const;

/** One of the things that can be started. */
export type CreateWhat = (typeof createWhats)[number];

/** Nothing is narrowed. */
export const noFilters: Filters = { text: "", kinds: [], states: [], namespaces: [] };

/** Reads an address; whatever is not understood in it is left out. */
export function readRoute(path: string, search: string): Route {
  const [first = "", ...rest] = path.split("/").filter(Boolean).map(decode);
  const query = new URLSearchParams(search);
  if (first === "") return { page: "operations", filters: readFilters(query) };
  if (first === "create") {
    const what = createWhats.find((known) => known === rest[0]);
    const from = query.get("from");
    return what ? { page: "create", what, ...(from && { from }) } : { page: "unknown" };
  }
  const [kind, namespace, name] = rest;
  if (first !== "operations" || !kind || !namespace || !name) return { page: "unknown" };
  const step = query.get("step");
  return { page: "operation", kind, namespace, name, ...(step && { step }) };
}

/** The address of a route. */
export function writeRoute(route: Route): string {
  switch (route.page) {
    case "operations":
      return `/${written(filterQuery(route.filters))}`;
    case "operation": {
      const { kind, namespace, name, step } = route;
      const path = [kind, namespace, name].map(encodeURIComponent).join("/");
      return `/operations/${path}${written(new URLSearchParams(step ? { step } : {}))}`;
    }
    case "create":
      return `/create/${route.what}${written(new URLSearchParams(route.from ? { from: route.from } : {}))}`;
    case "unknown":
      return "/";
  }
}

/** The address of an operation by its id, `kind/namespace/name`. */
export function operationAddress(id: string): string {
  const [kind = "", namespace = "", name = ""] = id.split("/");
  return writeRoute({ page: "operation", kind, namespace, name });
}

function readFilters(query: URLSearchParams): Filters {
  const list = (name: string) => (query.get(name) ?? "").split(",").filter(Boolean);
  return {
    text: query.get("q") ?? "",
    kinds: list("kind"),
    states: list("state"),
    namespaces: list("namespace"),
  };
}

function filterQuery({ text, kinds, states, namespaces }: Filters): URLSearchParams {
  const query = new URLSearchParams();
  if (text !== "") query.set("q", text);
  for (const [name, values] of Object.entries({ kind: kinds, state: states, namespace: namespaces })) {
    if (values.length > 0) query.set(name, values.join(","));
  }
  return query;
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
